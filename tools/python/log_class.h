// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zpack.Archive.log. Another thread lists the commits; the iterator has them.
// `values` has what zpack/log.py makes of the parameters. The caller has the
// interpreter's lock.

#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "interpreter_lock.h"
#include "zpack/archive_reader.h"

namespace zpack::python {

pybind11::object MakeLog(std::shared_ptr<ArchiveReader> reader,
                         std::shared_ptr<Users> users,
                         const pybind11::dict& values);

// The class of the iterator.
void DefineLog(pybind11::module_& module);
// Gives the class Archive the function of zpack/log.py that calls MakeLog.
void AddLogMethod(const pybind11::object& archive);

}  // namespace zpack::python
