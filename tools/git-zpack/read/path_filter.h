// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The paths that a user gives after a tree, as literal prefixes of paths in the
// tree. Plain values; thread-compatible.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "read/tree_walk.h"
#include "zpack/result.h"

namespace zpack::cli {

class PathFilter {
 public:
  // A filter without paths passes everything.
  PathFilter() = default;

  // '.', '..' and repeated slashes are resolved; a slash at the end stays.
  // kInvalidArgument for a path that is empty, absolute, leaves the tree, or
  // begins with ':', as Git's magic does.
  static Result<PathFilter> Parse(const std::vector<std::string>& paths);

  const std::vector<std::string>& paths() const { return paths_; }

  // Whether path number `index` names the entry or something in it, or is a
  // directory above the entry. `base` is the path of the directory that has the
  // entry, with a slash at its end.
  bool Passes(size_t index, const TreeItem& item, std::string_view base) const;
  // The same for any of the paths.
  bool Passes(const TreeItem& item, std::string_view base) const;

  // Whether a path names something inside the directory, or has a slash after
  // the name of the directory.
  bool LeadsInto(const TreeItem& item, std::string_view base) const;

 private:
  std::vector<std::string> paths_;
};

}  // namespace zpack::cli
