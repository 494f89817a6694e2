// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "python_errors.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <optional>
#include <string>

namespace zpack::python {
namespace {

namespace py = pybind11;

}  // namespace

void Raise(const Error& error) {
  const py::object type = py::module_::import("zpack.errors")
                              .attr("type_of")(ErrorCodeName(error.code));
  const py::object raised = type(
      py::bytes(error.message), py::bytes(error.path),
      error.object.empty() ? std::nullopt : std::optional(error.object.ToHex()),
      error.offset);
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw py::error_already_set();
}

void TranslateCastErrors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const py::cast_error&) {
      PyErr_SetString(PyExc_TypeError,
                      "an argument has another type than its parameter, or is "
                      "out of range");
    }
  });
}

Error LastError(int code) {
  const zpack_error& last = *zpack_error_last();
  Error error;
  // The codes of the C interface are those of ErrorCode, from -1 downwards.
  static_assert(ZPACK_EIO == -1 - static_cast<int>(ErrorCode::kIo));
  static_assert(ZPACK_EINTERNAL == -1 - static_cast<int>(ErrorCode::kInternal));
  error.code = static_cast<ErrorCode>(-code - 1);
  error.message = last.message;
  error.path = last.path;
  if (last.object.size != 0) {
    error.object = ObjectId({last.object.bytes, last.object.size});
  }
  if (last.has_offset != 0) error.offset = last.offset;
  return error;
}

}  // namespace zpack::python
