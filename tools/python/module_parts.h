// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pybind11/pybind11.h>

namespace zpack::python {

void DefineArchive(pybind11::module_& module);
void DefineOperations(pybind11::module_& module);

}  // namespace zpack::python
