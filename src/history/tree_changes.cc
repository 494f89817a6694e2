// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/tree_changes.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "zpack/tree_path.h"

namespace zpack {
namespace {

constexpr size_t kLongestPath = size_t{256} << 10;
constexpr size_t kMaxDepth = 2048;

TreeSide SideOf(const NumberedTrees::Row* row) {
  if (row == nullptr) return {};
  return {CanonicalMode(row->mode), row->child};
}

std::optional<ObjectNumber> TreeOf(const NumberedTrees::Row* row) {
  if (row == nullptr || !row->is_tree()) return std::nullopt;
  return row->child;
}

}  // namespace

// Where the walk is in one tree.
struct TreeComparison::Cursor {
  NumberedTrees::RowsPtr rows;  // keeps the rows
  const Row* next = nullptr;
  const Row* end = nullptr;

  bool at_end() const { return next == end; }
};

size_t TreeComparison::CountSame(std::span<const Cursor> cursors) {
  const Cursor& first = cursors.front();
  auto same = static_cast<size_t>(first.end - first.next);
  for (const Cursor& other : cursors.subspan(1)) {
    const auto most =
        std::min(same, static_cast<size_t>(other.end - other.next));
    same = static_cast<size_t>(
        std::mismatch(first.next, first.next + most, other.next).first -
        first.next);
  }
  return same;
}

Status TreeComparison::ReadRows(std::span<const Tree> trees,
                                std::span<Cursor> cursors) {
  if (trees.size() == 2 && trees[0] && trees[1]) {
    ZPACK_ASSIGN_OR_RETURN(auto difference,
                           trees_.ReadDifference(*trees[0], *trees[1]));
    if (difference) {
      cursors[0].rows = std::make_shared<const NumberedTrees::Rows>(
          std::move(difference->before));
      cursors[1].rows = std::make_shared<const NumberedTrees::Rows>(
          std::move(difference->after));
      return {};
    }
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    if (!trees[i]) continue;
    ZPACK_ASSIGN_OR_RETURN(cursors[i].rows, trees_.Read(*trees[i]));
  }
  return {};
}

Result<Visit> TreeComparison::Compare(std::span<const Tree> before, Tree after,
                                      const Visitor<const TreeChange&>& visit,
                                      Directories directories) {
  visit_ = &visit;
  directories_ = directories;
  path_.clear();
  std::vector<Tree> trees(before.begin(), before.end());
  trees.push_back(after);
  return CompareTrees(trees, 0);
}

Result<Visit> TreeComparison::CompareTrees(std::span<const Tree> trees,
                                           size_t depth) {
  const std::span<const Tree> before = trees.first(trees.size() - 1);
  if (std::ranges::find(before, trees.back()) != before.end()) {
    return Visit::kContinue;
  }
  if (depth > kMaxDepth || path_.size() > kLongestPath) {
    return MakeError(ErrorCode::kLimitExceeded, "a path is too long: '{}...'",
                     path_.substr(0, 100));
  }
  std::vector<Cursor> cursors(trees.size());
  ZPACK_TRY(ReadRows(trees, cursors));
  for (Cursor& cursor : cursors) {
    if (cursor.rows == nullptr) continue;
    cursor.next = cursor.rows->data();
    cursor.end = cursor.next + cursor.rows->size();
  }
  std::vector<const Row*> rows(trees.size());
  while (true) {
    // Most rows are the same in all trees.
    const size_t same = CountSame(cursors);
    for (Cursor& cursor : cursors) cursor.next += same;
    const Row* first = nullptr;
    for (const Cursor& cursor : cursors) {
      if (cursor.at_end()) continue;
      if (first == nullptr || trees_.Order(*cursor.next, *first) < 0) {
        first = cursor.next;
      }
    }
    if (first == nullptr) return Visit::kContinue;
    for (size_t i = 0; i < cursors.size(); ++i) {
      Cursor& cursor = cursors[i];
      const bool here =
          !cursor.at_end() && trees_.Order(*cursor.next, *first) == 0;
      rows[i] = here ? cursor.next++ : nullptr;
    }
    ZPACK_VISIT(CompareRows(rows, depth), Visit::kStop);
  }
}

Result<Visit> TreeComparison::VisitRows(std::span<const Row* const> rows) {
  std::vector<TreeSide> sides;
  sides.reserve(rows.size());
  for (const Row* const row : rows) sides.push_back(SideOf(row));
  return (*visit_)(
      {path_, std::span(sides).first(sides.size() - 1), sides.back()});
}

Result<Visit> TreeComparison::CompareRows(std::span<const Row* const> rows,
                                          size_t depth) {
  const auto equals_after = [&](const Row* row) {
    const Row* const after = rows.back();
    return row == nullptr || after == nullptr ? row == after : *row == *after;
  };
  if (std::ranges::any_of(rows.first(rows.size() - 1), equals_after)) {
    return Visit::kContinue;
  }
  const size_t size = path_.size();
  const Row* const named = *std::ranges::find_if(
      rows, [](const Row* row) { return row != nullptr; });
  path_ += trees_.name(named->name);
  // Rows of one name are all trees, or none is.
  if (named->is_tree()) {
    path_ += '/';
    if (!enters_ || enters_(path_)) {
      if (directories_ == Directories::kVisited) {
        path_.pop_back();
        ZPACK_VISIT(VisitRows(rows), Visit::kStop);
        path_ += '/';
      }
      std::vector<Tree> trees;
      trees.reserve(rows.size());
      for (const Row* const row : rows) trees.push_back(TreeOf(row));
      ZPACK_VISIT(CompareTrees(trees, depth + 1), Visit::kStop);
    }
  } else {
    ZPACK_VISIT(VisitRows(rows), Visit::kStop);
  }
  path_.resize(size);
  return Visit::kContinue;
}

}  // namespace zpack
