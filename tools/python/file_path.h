// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace zpack::python {

// The bytes of a path, which is str, bytes or os.PathLike. Raises TypeError for
// anything else and ValueError for a NUL character, as Python's open() does.
// The caller holds the interpreter's lock.
std::string FilePath(const pybind11::object& path);
// The same of each of several paths, or of one. Raises TypeError if `paths` is
// neither a path nor iterable.
std::vector<std::string> FilePaths(const pybind11::object& paths);

}  // namespace zpack::python
