// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors of the library as exceptions of Python.

#pragma once

#include <utility>

#include "zpack.h"
#include "zpack/result.h"

namespace zpack::python {

// Raises the exception of zpack.errors that stands for the error. The caller
// holds the interpreter's lock.
[[noreturn]] void Raise(const Error& error);
// From now on, a value that cannot become that of a parameter is a TypeError of
// Python, which is a RuntimeError to pybind11.
void TranslateCastErrors();

// The last error of the C interface in this thread, which returned `code`.
Error LastError(int code);

// The value of `result`, or its exception.
template <typename T>
T ValueOf(Result<T> result) {
  if (!result) Raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace zpack::python
