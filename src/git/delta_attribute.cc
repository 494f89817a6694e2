// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/delta_attribute.h"

#include <string>
#include <string_view>

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

}  // namespace

IndexedVector<PathNumber, bool> FindUndeltifiedPaths(git_repository* repository,
                                                     const PathTable& paths) {
  IndexedVector<PathNumber, bool> undeltified(paths.size());
  IndexedVector<PathNumber, bool> ordinary(paths.size(), true);
  // For each path: the path itself or its ancestor at kMaxDepth, and the depth
  // of that.
  IndexedVector<PathNumber, PathNumber> known(paths.size(), PathTable::kRoot);
  IndexedVector<PathNumber, uint32_t> depths(paths.size());
  for (const PathNumber path :
       IndexRange(PathTable::kRoot + 1, PathNumber(paths.size()))) {
    // A directory has a smaller number than its entries.
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
