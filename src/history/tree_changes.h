// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What differs between a tree and others, with all that they hold, in the order
// of git-diff-tree(1) with -r. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "base/visitor.h"
#include "history/numbered_trees.h"
#include "zpack/result.h"

namespace zpack {

// A file, link or submodule at a path, or a directory where those are visited.
struct TreeSide {
  uint32_t mode = 0;  // as CanonicalMode makes it; 0: there is none
  ObjectNumber object;

  bool exists() const { return mode != 0; }
  bool operator==(const TreeSide&) const = default;
};

// Valid during the call.
struct TreeChange {
  std::string_view path;
  std::span<const TreeSide> before;  // one for each tree that is compared with
  TreeSide after;  // differs from each of them, maybe only by an odd mode
};

class TreeComparison {
 public:
  // Whether to look into a directory, whose path ends with a slash. Empty: into
  // all.
  using Enters = std::function<bool(std::string_view directory)>;

  // `trees` must outlive this object.
  explicit TreeComparison(NumberedTrees& trees, Enters enters = {})
      : trees_(trees), enters_(std::move(enters)) {}

  // A tree; nothing stands for the empty tree.
  using Tree = std::optional<ObjectNumber>;
  // Directories are visited before what they hold, without a slash.
  enum class Directories : uint8_t { kEntered, kVisited };

  // Calls `visit` with each path at which the tree `after` has something other
  // than each of the trees `before`, as for a merge and its parents. Errors:
  // those of NumberedTrees and of `visit`; kLimitExceeded for a path of more
  // than 256 KiB or 2,048 directories. Visit::kStop ends the call. REQUIRES:
  // `before` is not empty.
  Result<Visit> Compare(std::span<const Tree> before, Tree after,
                        const Visitor<const TreeChange&>& visit,
                        Directories directories = Directories::kEntered);

 private:
  using Row = NumberedTrees::Row;
  struct Cursor;

  // `trees` are those before, and the one after.
  Result<Visit> CompareTrees(std::span<const Tree> trees, size_t depth);
  // Visits the path with what the rows are. REQUIRES: `path_` is theirs.
  Result<Visit> VisitRows(std::span<const Row* const> rows);
  // The rows of one name in each of the trees, or null.
  Result<Visit> CompareRows(std::span<const Row* const> rows, size_t depth);
  // Sets the rows of the cursors: all of each tree, or only those in which two
  // trees differ.
  Status ReadRows(std::span<const Tree> trees, std::span<Cursor> cursors);
  // How many rows follow that are the same in all trees.
  static size_t CountSame(std::span<const Cursor> cursors);

  NumberedTrees& trees_;
  Enters enters_;
  const Visitor<const TreeChange&>* visit_ = nullptr;
  Directories directories_ = Directories::kEntered;
  std::string path_;
};

}  // namespace zpack
