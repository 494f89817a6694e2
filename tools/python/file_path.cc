// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "file_path.h"

namespace zpack::python {

std::string FilePath(const pybind11::object& path) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) {
    throw pybind11::error_already_set();
  }
  return pybind11::reinterpret_steal<pybind11::bytes>(encoded);
}

std::vector<std::string> FilePaths(const pybind11::object& paths) {
  if (PyUnicode_Check(paths.ptr()) || PyBytes_Check(paths.ptr()) ||
      pybind11::hasattr(paths, "__fspath__")) {
    return {FilePath(paths)};
  }
  std::vector<std::string> strings;
  for (const pybind11::handle path : paths) {
    strings.push_back(
        FilePath(pybind11::reinterpret_borrow<pybind11::object>(path)));
  }
  return strings;
}

}  // namespace zpack::python
