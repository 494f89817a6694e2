// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/delta_attribute.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "git/files/directory_listing.h"
#include "git/libgit2.h"
#include "git/libgit2_options.h"

namespace zpack {
namespace {

// False for a name that no work tree can have. Such a name exists only in its
// tree object.
bool IsOrdinary(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) ==
             std::string_view::npos;
}

// libgit2 searches attributes in each directory of a path, and the cost of each
// search grows with the length of the path. Deeper paths are therefore looked
// up with only their first directories and their last name. Most patterns
// concern the last name.
constexpr uint32_t kMaxDepth = 128;

bool IsUndeltified(git_repository* repository, const std::string& path) {
  const char* value = nullptr;
  // A path has no attribute if libgit2 cannot read the attributes. Git only
  // warns in this case.
  return git_attr_get(&value, repository, GIT_ATTR_CHECK_FILE_THEN_INDEX,
                      path.c_str(), "delta") == 0 &&
         git_attr_value(value) == GIT_ATTR_VALUE_FALSE;
}

// Checks the files that libgit2 opens for every path.
Status CheckSharedFiles(git_repository* repository) {
  if (const char* const path = git_repository_path(repository)) {
    ZPACK_TRY(CheckRegular(path + std::string("index")));
    ZPACK_TRY(CheckRegular(git_repository_commondir(repository) +
                           std::string("info/attributes")));
  }
  git_config* raw = nullptr;
  if (git_repository_config_snapshot(&raw, repository) != 0) return {};
  const ConfigHandle config(raw);
  git_buf path = GIT_BUF_INIT;
  const bool is_set =
      git_config_get_path(&path, raw, "core.attributesfile") == 0;
  const std::string named = is_set ? path.ptr : "";
  git_buf_dispose(&path);
  return is_set ? CheckRegular(named) : Status();
}

// Which directories of the work tree have a .gitattributes that libgit2 can
// open, as far as they have one.
class ReadableDirectories {
 public:
  ReadableDirectories(git_repository* repository, const PathTable& paths)
      : paths_(paths), states_(paths.size()) {
    const char* const work_tree = git_repository_workdir(repository);
    if (work_tree != nullptr) work_tree_ = work_tree;
  }

  // REQUIRES: Has was called for the parent of `directory`.
  bool Has(PathNumber directory) {
    if (work_tree_.empty()) return true;
    State& state = states_[directory];
    if (state == State::kUnknown) {
      const bool is_readable =
          states_[paths_.Parent(directory)] != State::kUnreadable &&
          CheckRegular(work_tree_ + paths_.FullPath(directory) +
                       "/.gitattributes");
      state = is_readable ? State::kReadable : State::kUnreadable;
    }
    return state == State::kReadable;
  }

 private:
  enum class State : uint8_t { kUnknown, kReadable, kUnreadable };

  const PathTable& paths_;
  std::string work_tree_;  // with a slash at its end, or empty
  IndexedVector<PathNumber, State> states_;
};

}  // namespace

Result<IndexedVector<PathNumber, bool>> FindUndeltifiedPaths(
    git_repository* repository, const PathTable& paths) {
  ZPACK_TRY(CheckSharedFiles(repository));
  const Libgit2UserFiles files;
  IndexedVector<PathNumber, bool> undeltified(paths.size());
  IndexedVector<PathNumber, bool> ordinary(paths.size(), true);
  // For each path: the path itself or its ancestor at kMaxDepth, and the depth
  // of that.
  IndexedVector<PathNumber, PathNumber> known(paths.size(), PathTable::kRoot);
  IndexedVector<PathNumber, uint32_t> depths(paths.size());
  ReadableDirectories directories(repository, paths);
  for (const PathNumber path :
       IndexRange(PathTable::kRoot + 1, PathNumber(paths.size()))) {
    // A directory has a smaller number than its entries.
    const PathNumber parent = paths.Parent(path);
    const bool deep = depths[parent] == kMaxDepth;
    known[path] = deep ? known[parent] : path;
    depths[path] = depths[parent] + (deep ? 0 : 1);
    ordinary[path] = ordinary[parent] && IsOrdinary(paths.Name(path));
    if (!ordinary[path] || !directories.Has(known[parent])) continue;
    std::string asked = paths.FullPath(known[path]);
    if (deep) asked.append("/").append(paths.Name(path));
    undeltified[path] = IsUndeltified(repository, asked);
  }
  return undeltified;
}

}  // namespace zpack
