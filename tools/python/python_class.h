// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Classes of the package that are written in Python. The caller has the
// interpreter's lock.

#pragma once

#include <pybind11/pybind11.h>

namespace zpack::python {

// The class stays until the process ends.
inline pybind11::object& ClassOf(const char* module, const char* name) {
  return *new pybind11::object(pybind11::module_::import(module).attr(name));
}

}  // namespace zpack::python
