// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts exceptions to errors. In this library only lack of memory throws:
// functions that allocate throw std::bad_alloc. Public functions and the main
// functions of threads convert the exception to an error.

#pragma once

#include <new>
#include <utility>

#include "base/error.h"
#include "zpack/result.h"

namespace zpack {

// Converts the exception that is being handled to an error. For std::bad_alloc
// the result is kOutOfMemory; the call does not allocate.
Error ErrorOfCurrentException() noexcept;

// Calls `body`, which returns a Result or a Status, and converts an exception
// to an error.
template <typename Body>
auto Guarded(Body&& body) noexcept -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return std::unexpected(ErrorOfCurrentException());
  }
}

// Calls `body` from a destructor. If memory runs out, the rest of `body` is
// skipped.
template <typename Body>
void CleanUp(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
  } catch (...) {
    (void)ErrorOfCurrentException();
  }
}

// Returns `pointer`, the result of an allocation by a C library. Throws
// std::bad_alloc if `pointer` is null.
template <typename T>
T* Allocated(T* pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

}  // namespace zpack
