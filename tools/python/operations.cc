// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// convert, verify and restore, through the C interface, which calls back with
// progress about ten times a second. zpack/operations.py gives them defaults.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>

#include "file_path.h"
#include "module_parts.h"
#include "operation.h"
#include "zpack.h"

namespace zpack::python {
namespace {

namespace py = pybind11;

struct FreeReport {
  void operator()(zpack_report* report) const { zpack_report_free(report); }
};
using Report = std::unique_ptr<zpack_report, FreeReport>;

// A path for the C interface, or nullptr for None.
class PathOrNone {
 public:
  explicit PathOrNone(const py::object& path)
      : path_(path.is_none() ? std::string() : FilePath(path)),
        is_none_(path.is_none()) {}
  const char* c_str() const { return is_none_ ? nullptr : path_.c_str(); }

 private:
  const std::string path_;
  const bool is_none_;
};

void Convert(const py::object& repository, const py::object& path, int profile,
             const py::object& base, bool overwrite, unsigned threads,
             py::object progress) {
  const std::string source = FilePath(repository);
  const std::string target = FilePath(path);
  const PathOrNone older(base);
  Operation operation(std::move(progress));
  zpack_convert_options options = ZPACK_CONVERT_OPTIONS_INIT;
  options.run = operation.RunOptions(threads);
  options.profile = profile;
  options.base = older.c_str();
  options.overwrite = overwrite ? 1 : 0;
  operation.Run(
      [&] { return zpack_convert(source.c_str(), target.c_str(), &options); });
}

void RestoreRepository(const py::object& path, const py::object& directory,
                       bool overwrite, bool trust, unsigned threads,
                       py::object progress) {
  const std::string file = FilePath(path);
  const std::string target = FilePath(directory);
  Operation operation(std::move(progress));
  zpack_restore_options options = ZPACK_RESTORE_OPTIONS_INIT;
  options.run = operation.RunOptions(threads);
  options.overwrite = overwrite ? 1 : 0;
  options.trust = trust ? 1 : 0;
  operation.Run(
      [&] { return zpack_restore(file.c_str(), target.c_str(), &options); });
}

// The report as a dictionary.
py::dict Verify(const py::object& path, const py::object& repository, int level,
                bool allow_newer, unsigned threads, py::object progress) {
  const std::string file = FilePath(path);
  const PathOrNone source(repository);
  Operation operation(std::move(progress));
  zpack_verify_options options = ZPACK_VERIFY_OPTIONS_INIT;
  options.run = operation.RunOptions(threads);
  options.level = level;
  options.allow_newer = allow_newer ? 1 : 0;
  Report report;
  operation.Run([&] {
    zpack_report* made = nullptr;
    const int code =
        zpack_verify(&made, file.c_str(), source.c_str(), &options);
    report.reset(made);
    return code;
  });
  py::list damages;
  for (size_t i = 0; i < zpack_report_damage_count(report.get()); ++i) {
    damages.append(py::bytes(zpack_report_damage(report.get(), i)->message));
  }
  py::list differences;
  for (size_t i = 0; i < zpack_report_difference_count(report.get()); ++i) {
    differences.append(py::bytes(zpack_report_difference(report.get(), i)));
  }
  py::dict result;
  result["ok"] = zpack_report_ok(report.get()) != 0;
  result["objects"] = zpack_report_objects(report.get());
  result["verified"] = zpack_report_verified(report.get());
  result["damages"] = std::move(damages);
  result["differences"] = std::move(differences);
  return result;
}

}  // namespace

void DefineOperations(py::module_& module) {
  module.def("convert", Convert);
  module.def("restore", RestoreRepository);
  module.def("verify", Verify);
  module.def("version", zpack_version);
  Operation::StopAllAtExit();
}

}  // namespace zpack::python

PYBIND11_MODULE(_zpack, module) {
  zpack::python::DefineArchive(module);
  zpack::python::DefineOperations(module);
}
