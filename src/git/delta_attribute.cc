// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/delta_attribute.h"

#include <string>
#include <string_view>

namespace zpack {
namespace {

// False for what no work tree can hold; such names never leave the tree object
// they are in.
bool IsOrdinary(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) ==
             std::string_view::npos;
}

// libgit2 looks for attributes in each directory of a path, at a cost that
// grows with the length of the path. So of a deeper path, only these
// directories and the last name are asked for; patterns mostly speak of the
// last name.
constexpr uint32_t kMaxDepth = 128;

bool IsUndeltified(git_repository* repository, const std::string& path) {
  const char* value = nullptr;
  // What libgit2 cannot read has no attributes; Git says no more than a warning
  // then.
  return git_attr_get(&value, repository, GIT_ATTR_CHECK_FILE_THEN_INDEX,
                      path.c_str(), "delta") == 0 &&
         git_attr_value(value) == GIT_ATTR_VALUE_FALSE;
}

}  // namespace

IndexedVector<PathNumber, bool> FindUndeltifiedPaths(git_repository* repository,
                                                     const PathTable& paths) {
  IndexedVector<PathNumber, bool> undeltified(paths.size());
  IndexedVector<PathNumber, bool> ordinary(paths.size(), true);
  // Of each path, itself or the ancestor of depth kMaxDepth, and the depth of
  // that.
  IndexedVector<PathNumber, PathNumber> known(paths.size(), PathTable::kRoot);
  IndexedVector<PathNumber, uint32_t> depths(paths.size());
  for (const PathNumber path :
       IndexRange(PathTable::kRoot + 1, PathNumber(paths.size()))) {
    // Directories have smaller numbers than what is in them.
    const PathNumber parent = paths.Parent(path);
    const bool deep = depths[parent] == kMaxDepth;
    known[path] = deep ? known[parent] : path;
    depths[path] = depths[parent] + (deep ? 0 : 1);
    ordinary[path] = ordinary[parent] && IsOrdinary(paths.Name(path));
    if (!ordinary[path]) continue;
    std::string asked = paths.FullPath(known[path]);
    if (deep) asked.append("/").append(paths.Name(path));
    undeltified[path] = IsUndeltified(repository, asked);
  }
  return undeltified;
}

}  // namespace zpack
