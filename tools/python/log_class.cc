// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log_class.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ahead_iterator.h"
#include "python_class.h"
#include "python_text.h"
#include "zpack/log.h"

namespace zpack::python {
namespace {

namespace py = pybind11;

struct FoundFile {
  char status = 'M';
  uint32_t old_mode = 0;
  uint32_t new_mode = 0;
  ObjectId old_id;
  ObjectId new_id;
  std::string old_path;
  std::string new_path;
  uint32_t percent = 0;
};

struct FoundCommit {
  ObjectId id;
  std::vector<ObjectId> parents;
  std::string content;
  std::vector<FoundFile> files;

  uint64_t Weight() const {
    uint64_t bytes = sizeof(FoundCommit) + content.size() +
                     parents.size() * sizeof(ObjectId);
    for (const FoundFile& file : files) {
      bytes += sizeof(FoundFile) + file.old_path.size() + file.new_path.size();
    }
    return bytes;
  }
};

FoundCommit Keep(const LoggedCommit& commit) {
  FoundCommit kept = {.id = commit.id,
                      .parents = {commit.parents.begin(), commit.parents.end()},
                      .content = std::string(commit.content),
                      .files = {}};
  for (const ChangedFile& file : commit.files) {
    kept.files.push_back({.status = file.status,
                          .old_mode = file.old_mode,
                          .new_mode = file.new_mode,
                          .old_id = file.old_id,
                          .new_id = file.new_id,
                          .old_path = std::string(file.old_path),
                          .new_path = std::string(file.new_path),
                          .percent = file.similarity * 100 / kMostSimilar});
  }
  return kept;
}

template <typename T>
T Value(const py::dict& values, const char* name) {
  return values[name].cast<T>();
}

std::vector<ObjectId> Ids(const py::dict& values, const char* name) {
  std::vector<ObjectId> ids;
  for (const auto& hex : Value<std::vector<std::string>>(values, name)) {
    ids.push_back(ObjectId::FromHex(hex).value());
  }
  return ids;
}

void SetCommits(const py::dict& values, LogOptions& options) {
  constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
  using Number = std::optional<uint64_t>;
  if (Value<bool>(values, "all")) options.refs = WalkRefs::kAll;
  options.starts = Ids(values, "starts");
  options.excluded = Ids(values, "excluded");
  options.pathspecs = Value<std::vector<std::string>>(values, "paths");
  options.full_history = Value<bool>(values, "full_history");
  options.follow = Value<bool>(values, "follow");
  options.first_parent = Value<bool>(values, "first_parent");
  options.reverse = Value<bool>(values, "reverse");
  options.skip = Value<uint64_t>(values, "skip");
  options.max_commits = Value<Number>(values, "max_count").value_or(kAll);
  options.since = Value<Number>(values, "since");
  options.until = Value<Number>(values, "until");
  options.min_parents = Value<uint64_t>(values, "min_parents");
  options.max_parents = Value<Number>(values, "max_parents").value_or(kAll);
}

LogOptions LogOptionsOf(const py::dict& values) {
  LogOptions options;
  SetCommits(values, options);
  options.files = Value<bool>(values, "files");
  options.renames = static_cast<RenameSearch>(Value<int>(values, "renames"));
  options.min_similarity = static_cast<uint32_t>(
      Value<double>(values, "similarity") * kMostSimilar / 100);
  options.rename_limit = Value<uint64_t>(values, "rename_limit");
  options.diff_filter = Value<std::string>(values, "diff_filter");
  options.pickaxe = static_cast<Pickaxe>(Value<int>(values, "pickaxe"));
  options.pattern = Value<std::string>(values, "pattern");
  options.objects = Ids(values, "object");
  options.ignore_case = Value<bool>(values, "ignore_case");
  options.pickaxe_all = Value<bool>(values, "pickaxe_all");
  options.text = Value<bool>(values, "text");
  options.threads = Value<unsigned>(values, "threads");
  return options;
}

py::tuple ParentsOf(const FoundCommit& commit) {
  py::tuple parents(commit.parents.size());
  for (size_t i = 0; i < commit.parents.size(); ++i) {
    parents[i] = py::str(commit.parents[i].ToHex());
  }
  return parents;
}

py::tuple FilesOf(const FoundCommit& commit, const py::object& type) {
  py::tuple files(commit.files.size());
  for (size_t i = 0; i < commit.files.size(); ++i) {
    const FoundFile& file = commit.files[i];
    files[i] =
        type(py::str(&file.status, 1), TextOf(file.new_path),
             TextOf(file.old_path), IdOrNone(file.new_id),
             IdOrNone(file.old_id), file.new_mode, file.old_mode, file.percent);
  }
  return files;
}

}  // namespace

py::object MakeLog(std::shared_ptr<ArchiveReader> reader,
                   std::shared_ptr<Users> users, const py::dict& values) {
  const auto work =
      [reader = std::move(reader), options = LogOptionsOf(values)](
          const std::stop_token& stop,
          const AheadIterator<FoundCommit>::Take& take) -> Status {
    LogOptions own = options;
    own.stop = stop;
    return reader->Log(own, [&](const LoggedCommit& commit) -> Result<Visit> {
      return take(Keep(commit));
    });
  };
  return py::cast(MakeIterator<FoundCommit>(work, std::move(users)));
}

void DefineLog(py::module_& module) {
  DefineIterator<FoundCommit>(
      module, "CommitIterator",
      [&type = ClassOf("zpack.log", "Commit"),
       &file = ClassOf("zpack.log", "ChangedFile")](const FoundCommit& found) {
        return type(found.id.ToHex(), ParentsOf(found),
                    py::bytes(found.content), FilesOf(found, file));
      });
}

void AddLogMethod(const py::object& archive) {
  archive.attr("log") = py::module_::import("zpack.log").attr("log");
}

}  // namespace zpack::python
