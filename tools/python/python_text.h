// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Text that Git stored, whose bytes need not be UTF-8, as str. The caller has
// the interpreter's lock.

#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

#include "zpack/object_id.h"

namespace zpack::python {

inline pybind11::str TextOf(std::string_view bytes) {
  return pybind11::reinterpret_steal<pybind11::str>(PyUnicode_DecodeUTF8(
      bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

inline std::string BytesOf(const pybind11::str& text) {
  const auto bytes = pybind11::reinterpret_steal<pybind11::bytes>(
      PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw pybind11::error_already_set();
  return bytes;
}

// The id in hexadecimal; None for an empty one.
inline pybind11::object IdOrNone(const ObjectId& id) {
  if (id.empty()) return pybind11::none();
  return pybind11::str(id.ToHex());
}

}  // namespace zpack::python
