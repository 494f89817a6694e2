// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// convert, verify and restore, through the C interface, which calls back with
// progress about ten times a second. zpack/operations.py gives them defaults.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "module_parts.h"
#include "python_errors.h"
#include "zpack.h"

namespace zpack::python {
namespace {

namespace py = pybind11;

struct FreeReport {
  void operator()(zpack_report* report) const { zpack_report_free(report); }
};
using Report = std::unique_ptr<zpack_report, FreeReport>;

// Calls a function of Python with the progress of an operation, and stops the
// operation if the function returns True.
int PassProgress(const zpack_progress* progress, void* payload) {
  const py::gil_scoped_acquire locked;
  try {
    const py::object stop = (*static_cast<py::function*>(payload))(
        progress->phase, progress->objects, progress->total_objects,
        progress->bytes, progress->total_bytes);
    return stop.cast<bool>() ? 1 : 0;
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("progress of zpack");
    return 1;
  } catch (const py::cast_error&) {
    return 1;
  }
}

zpack_run_options RunOptionsOf(unsigned threads, py::function& progress) {
  return {threads, 0, PassProgress, &progress};
}

// Runs `work`, which returns a code, without the interpreter's lock.
template <typename Work>
void Run(Work work) {
  const int code = [&] {
    const py::gil_scoped_release unlocked;
    return work();
  }();
  if (code != ZPACK_OK) RaiseLast(code);
}

void Convert(const std::string& repository, const std::string& path,
             int profile, const std::optional<std::string>& base,
             bool overwrite, unsigned threads, py::function progress) {
  zpack_convert_options options = ZPACK_CONVERT_OPTIONS_INIT;
  options.run = RunOptionsOf(threads, progress);
  options.profile = profile;
  options.base = base ? base->c_str() : nullptr;
  options.overwrite = overwrite ? 1 : 0;
  Run([&] {
    return zpack_convert(repository.c_str(), path.c_str(), &options);
  });
}

void Restore(const std::string& path, const std::string& directory,
             bool overwrite, bool trust, unsigned threads,
             py::function progress) {
  zpack_restore_options options = ZPACK_RESTORE_OPTIONS_INIT;
  options.run = RunOptionsOf(threads, progress);
  options.overwrite = overwrite ? 1 : 0;
  options.trust = trust ? 1 : 0;
  Run([&] { return zpack_restore(path.c_str(), directory.c_str(), &options); });
}

// The report as a dictionary.
py::dict Verify(const std::string& path,
                const std::optional<std::string>& repository, int level,
                bool allow_newer, unsigned threads, py::function progress) {
  zpack_verify_options options = ZPACK_VERIFY_OPTIONS_INIT;
  options.run = RunOptionsOf(threads, progress);
  options.level = level;
  options.allow_newer = allow_newer ? 1 : 0;
  zpack_report* made = nullptr;
  Run([&] {
    return zpack_verify(&made, path.c_str(),
                        repository ? repository->c_str() : nullptr, &options);
  });
  const Report report(made);
  py::list damages;
  for (size_t i = 0; i < zpack_report_damage_count(made); ++i) {
    damages.append(py::bytes(zpack_report_damage(made, i)->message));
  }
  py::list differences;
  for (size_t i = 0; i < zpack_report_difference_count(made); ++i) {
    differences.append(py::bytes(zpack_report_difference(made, i)));
  }
  py::dict result;
  result["ok"] = zpack_report_ok(made) != 0;
  result["objects"] = zpack_report_objects(made);
  result["verified"] = zpack_report_verified(made);
  result["damages"] = std::move(damages);
  result["differences"] = std::move(differences);
  return result;
}

}  // namespace

void DefineOperations(py::module_& module) {
  module.def("convert", Convert);
  module.def("restore", Restore);
  module.def("verify", Verify);
  module.def("version", zpack_version);
}

}  // namespace zpack::python

PYBIND11_MODULE(_zpack, module) {
  zpack::python::DefineArchive(module);
  zpack::python::DefineOperations(module);
}
