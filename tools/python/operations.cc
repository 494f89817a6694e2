// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// convert, consolidate, verify and restore, through the C interface, which
// calls back with progress about ten times a second. zpack/operations.py gives
// them defaults.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "file_path.h"
#include "module_parts.h"
#include "operation.h"
#include "python_errors.h"
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

// Paths for the C interface.
class Paths {
 public:
  explicit Paths(const py::object& paths) : strings_(FilePaths(paths)) {
    for (const std::string& path : strings_) pointers_.push_back(path.c_str());
  }

  // Makes `options` look there. They must not outlive this object.
  template <typename Options>
  void Set(Options& options) const {
    options.backing = pointers_.data();
    options.backing_count = pointers_.size();
  }

 private:
  const std::vector<std::string> strings_;
  std::vector<const char*> pointers_;
};

int FlagOf(const py::dict& values, const char* name) {
  return values[name].cast<bool>() ? 1 : 0;
}

// `values` has the parameters of operations.convert. Returns whether a file was
// written.
bool Convert(const py::object& repository, const py::object& path,
             const py::dict& values, py::object progress) {
  const std::string source = FilePath(repository);
  const std::string target = FilePath(path);
  const PathOrNone base(values["base"]);
  const PathOrNone onto(values["onto"]);
  const Paths backing(values["backing"]);
  Operation operation(std::move(progress));
  int written = 1;
  zpack_convert_options options = ZPACK_CONVERT_OPTIONS_INIT;
  options.run = operation.RunOptions(values["threads"].cast<unsigned>());
  options.profile = values["profile"].cast<int>();
  options.base = base.c_str();
  options.onto = onto.c_str();
  options.skip_unchanged = FlagOf(values, "skip_unchanged");
  options.written = &written;
  options.overwrite = FlagOf(values, "overwrite");
  options.lose_dependents = FlagOf(values, "lose_dependents");
  backing.Set(options);
  operation.Run(
      [&] { return zpack_convert(source.c_str(), target.c_str(), &options); });
  return written != 0;
}

// `values` has the parameters of operations.consolidate. Returns what
// zpack_consolidated has.
py::tuple Consolidate(const py::object& path, const py::object& output,
                      const py::dict& values, py::object progress) {
  const std::string file = FilePath(path);
  const std::string target = FilePath(output);
  const Paths backing(values["backing"]);
  Operation operation(std::move(progress));
  zpack_consolidate_options options = ZPACK_CONSOLIDATE_OPTIONS_INIT;
  options.run = operation.RunOptions(values["threads"].cast<unsigned>());
  options.profile = values["profile"].cast<int>();
  options.from = values["from"].cast<unsigned>();
  options.geometric = values["geometric"].cast<unsigned>();
  options.overwrite = FlagOf(values, "overwrite");
  options.lose_dependents = FlagOf(values, "lose_dependents");
  backing.Set(options);
  zpack_consolidated done = {};
  operation.Run([&] {
    return zpack_consolidate(&done, file.c_str(), target.c_str(), &options);
  });
  return py::make_tuple(done.files, done.files_below, done.objects,
                        done.bytes_before, done.bytes);
}

// `values` has the parameters of operations.restore.
void RestoreRepository(const py::object& path, const py::object& directory,
                       const py::dict& values, py::object progress) {
  const std::string file = FilePath(path);
  const std::string target = FilePath(directory);
  const Paths backing(values["backing"]);
  Operation operation(std::move(progress));
  zpack_restore_options options = ZPACK_RESTORE_OPTIONS_INIT;
  options.run = operation.RunOptions(values["threads"].cast<unsigned>());
  options.overwrite = FlagOf(values, "overwrite");
  options.trust = FlagOf(values, "trust");
  backing.Set(options);
  operation.Run(
      [&] { return zpack_restore(file.c_str(), target.c_str(), &options); });
}

// `values` has the parameters of operations.verify. Returns the report as a
// dictionary.
py::dict Verify(const py::object& path, const py::object& repository,
                const py::dict& values, py::object progress) {
  const std::string file = FilePath(path);
  const PathOrNone source(repository);
  const Paths backing(values["backing"]);
  Operation operation(std::move(progress));
  zpack_verify_options options = ZPACK_VERIFY_OPTIONS_INIT;
  options.run = operation.RunOptions(values["threads"].cast<unsigned>());
  options.level = values["level"].cast<int>();
  options.allow_newer = FlagOf(values, "allow_newer");
  options.own = FlagOf(values, "own");
  backing.Set(options);
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
  module.def("consolidate", Consolidate);
  module.def("restore", RestoreRepository);
  module.def("verify", Verify);
  module.def("version", zpack_version);
  Operation::StopAllAtExit();
}

}  // namespace zpack::python

PYBIND11_MODULE(_zpack, module) {
  zpack::python::TranslateCastErrors();
  zpack::python::DefineArchive(module);
  zpack::python::DefineOperations(module);
}
