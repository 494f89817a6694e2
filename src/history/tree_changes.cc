// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/tree_changes.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

constexpr size_t kLongestPath = size_t{256} << 10;
constexpr size_t kMaxDepth = 2048;

TreeSide SideOf(const NumberedTrees::Row* row) {
  if (row == nullptr || row->is_tree()) return {};
  return {row->mode, row->child};
}

std::optional<ObjectNumber> TreeOf(const NumberedTrees::Row* row) {
  if (row == nullptr || !row->is_tree()) return std::nullopt;
  return row->child;
}

}  // namespace

Result<Visit> TreeComparison::Compare(std::optional<ObjectNumber> before,
                                      std::optional<ObjectNumber> after,
                                      const Visitor<const TreeChange&>& visit) {
  visit_ = &visit;
  path_.clear();
  return CompareTrees(before, after, 0);
}

int TreeComparison::Order(const Row& a, const Row& b) const {
  const std::string_view left = trees_.name(a.name);
  const std::string_view right = trees_.name(b.name);
  const size_t shared = std::min(left.size(), right.size());
  const int order = left.substr(0, shared).compare(right.substr(0, shared));
  if (order != 0) return order;
  const auto end = [&](std::string_view name, const Row& row) -> int {
    if (name.size() > shared) return static_cast<uint8_t>(name[shared]);
    return row.is_tree() ? '/' : 0;
  };
  return end(left, a) - end(right, b);
}

Result<Visit> TreeComparison::CompareTrees(std::optional<ObjectNumber> before,
                                           std::optional<ObjectNumber> after,
                                           size_t depth) {
  if (before == after) return Visit::kContinue;
  if (depth > kMaxDepth || path_.size() > kLongestPath) {
    return MakeError(ErrorCode::kLimitExceeded, "a path is too long: '{}...'",
                     path_.substr(0, 100));
  }
  NumberedTrees::RowsPtr old_rows;
  NumberedTrees::RowsPtr new_rows;
  if (before) {
    ZPACK_ASSIGN_OR_RETURN(old_rows, trees_.Read(*before));
  }
  if (after) {
    ZPACK_ASSIGN_OR_RETURN(new_rows, trees_.Read(*after));
  }
  const NumberedTrees::Rows none;
  const NumberedTrees::Rows& olds = old_rows == nullptr ? none : *old_rows;
  const NumberedTrees::Rows& news = new_rows == nullptr ? none : *new_rows;
  size_t i = 0;
  size_t j = 0;
  while (i < olds.size() || j < news.size()) {
    if (i < olds.size() && j < news.size() && olds[i] == news[j]) {
      ++i;
      ++j;
      continue;
    }
    const int order = i == olds.size()   ? 1
                      : j == news.size() ? -1
                                         : Order(olds[i], news[j]);
    const Row* const old_row = order <= 0 ? &olds[i++] : nullptr;
    const Row* const new_row = order >= 0 ? &news[j++] : nullptr;
    ZPACK_VISIT(CompareRows(old_row, new_row, depth), Visit::kStop);
  }
  return Visit::kContinue;
}

Result<Visit> TreeComparison::CompareRows(const Row* before, const Row* after,
                                          size_t depth) {
  const size_t size = path_.size();
  path_ += trees_.name(before != nullptr ? before->name : after->name);
  const TreeChange change = {path_, SideOf(before), SideOf(after)};
  if (change.before.exists() || change.after.exists()) {
    ZPACK_VISIT((*visit_)(change), Visit::kStop);
  }
  const auto old_tree = TreeOf(before);
  const auto new_tree = TreeOf(after);
  if (old_tree || new_tree) {
    path_ += '/';
    if (!enters_ || enters_(path_)) {
      ZPACK_VISIT(CompareTrees(old_tree, new_tree, depth + 1), Visit::kStop);
    }
  }
  path_.resize(size);
  return Visit::kContinue;
}

}  // namespace zpack
