// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/as_reftable.h"

#include <cstdlib>
#include <string_view>

#include "git/config/repository_format.h"
#include "git/refs/ref_store.h"
#include "git/repository_layout.h"
#include "git/restore/restored_reftable.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAway = ".before-reftable";

template <typename T>
T Get(Result<T> result) {
  Require(result.has_value(), result ? "" : result.error().message);
  return *std::move(result);
}

// HEAD, the refs and the names of the reflogs of one worktree.
struct FoundRefs {
  std::vector<Ref> refs;
  WorktreeRefs content;
};

FoundRefs ReadRefFiles(const std::string& common,
                       const std::string& git_directory, ObjectFormat format) {
  FoundRefs found;
  found.content.head = Get(ReadLooseRef(format, git_directory, "HEAD"));
  const RepositoryLocation location{common, git_directory, common, ""};
  RepositoryFormat repository_format;
  repository_format.object_format = format;
  const auto store = OpenRefStore(location, repository_format);
  for (auto& [name, ref] : Get(store->ListRefs())) {
    if (git_directory == common || IsPerWorktreeRef(name)) {
      found.refs.push_back(ref);
    }
  }
  found.content.refs = found.refs;
  for (const std::string& name : Get(ListFiles(git_directory, "logs"))) {
    found.content.logs.insert(name.substr(std::string_view("logs/").size()));
  }
  return found;
}

}  // namespace

RefStorage TestRefStorage() {
  const char* const name = std::getenv("ZPACK_TEST_REF_FORMAT");
  if (name == nullptr || name == std::string_view("files")) {
    return RefStorage::kFiles;
  }
  Require(name == std::string_view("reftable"),
          "ZPACK_TEST_REF_FORMAT is not a format of refs");
  return RefStorage::kReftable;
}

AsReftable::AsReftable(const std::string& path)
    : common_(Get(FindRepository(path, Discovery::kNone)).common_directory),
      format_(Get(ReadRepositoryFormat({.name = common_,
                                        .git_directory = common_,
                                        .common_directory = common_,
                                        .work_tree = ""}))
                  .object_format) {
  std::vector<std::string> directories = {common_};
  if (Exists(common_ + "/worktrees")) {
    for (const std::string& name : ListDirectory(common_ + "/worktrees")) {
      directories.push_back(common_ + "/worktrees/" + name);
    }
  }
  // From the last to the first, because worktrees share the main one's refs.
  for (; !directories.empty(); directories.pop_back()) {
    MakeTable(directories.back());
  }
  const std::string config = ReadFile(common_ + "/config");
  MoveAway(common_ + "/config");
  WriteFile(common_ + "/config", config +
                                     "\n[core]\n\trepositoryFormatVersion = 1\n"
                                     "[extensions]\n\trefStorage = reftable\n");
}

AsReftable::~AsReftable() {
  for (const fs::path& path : made_) fs::remove_all(path);
  for (const Moved& moved : moved_) {
    fs::remove_all(moved.from);
    fs::rename(moved.to, moved.from);
  }
}

void AsReftable::MoveAway(const fs::path& path) {
  if (!Exists(path)) return;
  const fs::path to = path.string() + std::string(kAway);
  fs::rename(path, to);
  moved_.push_back({path, to});
}

void AsReftable::MakeTable(const std::string& git_directory) {
  const FoundRefs found = ReadRefFiles(common_, git_directory, format_);
  const fs::path directory = git_directory;
  const fs::path logs = directory / "logs";
  for (const char* const name : {"HEAD", "refs", "packed-refs", "logs"}) {
    MoveAway(directory / name);
    made_.push_back(directory / name);
  }
  made_.push_back(directory / "reftable");
  if (!found.content.logs.empty()) {
    fs::copy(logs.string() + std::string(kAway), logs,
             fs::copy_options::recursive);
  }
  const Status written = WriteRestoredReftable(PosixFileSystem(), git_directory,
                                               format_, found.content);
  Require(written.has_value(), written ? "" : written.error().message);
}

}  // namespace zpack::testing
