// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The searches of zpack.Archive. Another thread searches; the iterator that a
// function returns has the results. `values` has what zpack/search.py makes of
// the parameters of its functions. The caller has the interpreter's lock.

#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "interpreter_lock.h"
#include "zpack/archive_reader.h"

namespace zpack::python {

// Raise the error of a pattern that is not valid.
pybind11::object MakeTreeSearch(std::shared_ptr<ArchiveReader> reader,
                                std::shared_ptr<Users> users,
                                const ObjectId& root,
                                const pybind11::dict& values);
pybind11::object MakeHistorySearch(std::shared_ptr<ArchiveReader> reader,
                                   std::shared_ptr<Users> users,
                                   const pybind11::dict& values);
pybind11::object MakeVersionSearch(std::shared_ptr<ArchiveReader> reader,
                                   std::shared_ptr<Users> users,
                                   const pybind11::dict& values);

// The classes of the iterators.
void DefineSearches(pybind11::module_& module);
// Gives the class Archive the functions of zpack/search.py that call these.
void AddSearchMethods(const pybind11::object& archive);

}  // namespace zpack::python
