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

bool IsUndeltified(git_repository* repository, const std::string& path) {
  const char* value = nullptr;
  // What libgit2 cannot read has no attributes; Git says no more than a warning
  // then.
  return git_attr_get(&value, repository, GIT_ATTR_CHECK_FILE_THEN_INDEX,
                      path.c_str(), "delta") == 0 &&
         git_attr_value(value) == GIT_ATTR_VALUE_FALSE;
}

}  // namespace

std::vector<bool> FindUndeltifiedPaths(git_repository* repository,
                                       const PathTable& paths) {
  std::vector<bool> undeltified(paths.size());
  std::vector<bool> ordinary(paths.size(), true);
  for (uint32_t path = PathTable::kRoot + 1; path < paths.size(); ++path) {
    // Directories have smaller numbers than what is in them.
    ordinary[path] =
        ordinary[paths.Parent(path)] && IsOrdinary(paths.Name(path));
    undeltified[path] =
        ordinary[path] && IsUndeltified(repository, paths.FullPath(path));
  }
  return undeltified;
}

}  // namespace zpack
