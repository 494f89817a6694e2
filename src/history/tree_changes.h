// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What differs between two trees and all that they hold, in the order of
// git-diff-tree(1) with -r. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/index_spaces.h"
#include "base/visitor.h"
#include "history/numbered_trees.h"
#include "zpack/result.h"

namespace zpack {

// A file, link or submodule at a path. Mode 0: there is none.
struct TreeSide {
  uint32_t mode = 0;
  ObjectNumber object;

  bool exists() const { return mode != 0; }
};

struct TreeChange {
  std::string_view path;  // valid during the call
  TreeSide before;
  TreeSide after;
};

class TreeComparison {
 public:
  // Whether to look into a directory, whose path ends with a slash. Empty: into
  // all.
  using Enters = std::function<bool(std::string_view directory)>;

  // `trees` must outlive this object.
  explicit TreeComparison(NumberedTrees& trees, Enters enters = {})
      : trees_(trees), enters_(std::move(enters)) {}

  // Calls `visit` with each change from the tree `before` to the tree `after`;
  // nothing stands for the empty tree. Errors: those of NumberedTrees and of
  // `visit`; kLimitExceeded for a path of more than 256 KiB or 2,048
  // directories. Visit::kStop ends the call.
  Result<Visit> Compare(std::optional<ObjectNumber> before,
                        std::optional<ObjectNumber> after,
                        const Visitor<const TreeChange&>& visit);

 private:
  using Row = NumberedTrees::Row;

  Result<Visit> CompareTrees(std::optional<ObjectNumber> before,
                             std::optional<ObjectNumber> after, size_t depth);
  // Rows of the same name, or one of them null.
  Result<Visit> CompareRows(const Row* before, const Row* after, size_t depth);
  // How Git sorts the names of entries.
  int Order(const Row& a, const Row& b) const;

  NumberedTrees& trees_;
  Enters enters_;
  const Visitor<const TreeChange&>* visit_ = nullptr;
  std::string path_;
};

}  // namespace zpack
