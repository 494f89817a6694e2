// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where exceptions end. Only lack of memory throws one in this library: what
// allocates throws std::bad_alloc, and whoever is called from outside, or is
// the bottom of a thread, makes an error of that.

#pragma once

#include <new>
#include <utility>

#include "base/error.h"
#include "zpack/result.h"

namespace zpack {

// The exception that is being handled, as an error: kOutOfMemory for lack of
// memory, which allocates nothing.
Error ErrorOfCurrentException() noexcept;

// Calls `body`, which returns a Result or a Status, and turns an exception into
// an error.
template <typename Body>
auto Guarded(Body&& body) noexcept -> decltype(body()) {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return std::unexpected(ErrorOfCurrentException());
  }
}

// Calls `body` from a destructor. What it cannot do for lack of memory is left
// undone.
template <typename Body>
void CleanUp(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
  } catch (...) {
    (void)ErrorOfCurrentException();
  }
}

// `pointer`, which a library in C has allocated. Throws std::bad_alloc when it
// is null.
template <typename T>
T* Allocated(T* pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

}  // namespace zpack
