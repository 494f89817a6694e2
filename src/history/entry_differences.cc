// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/entry_differences.h"

#include <algorithm>
#include <ranges>

namespace zpack {
namespace {

// More edits take longer than rebuilding the trees from trees at hand.
constexpr size_t kMostEdits = 1000;

}  // namespace

bool EntryDifferences::FindWay(const format::TreeBlock& trees, uint32_t before,
                               uint32_t after) {
  up_.clear();
  down_.clear();
  size_t edits = 0;
  // A base comes before the trees that are made of it.
  while (before != after) {
    const bool is_up = before > after;
    uint32_t& from = is_up ? before : after;
    edits += 1 + trees.edits(from).size();
    const auto base = trees.base(from);
    // In a tree with two entries of one name, which of them changes is not
    // known.
    if (!base || edits > kMostEdits || !trees.IsOrdered(from)) return false;
    (is_up ? up_ : down_).push_back(from);
    from = *base;
  }
  return trees.IsOrdered(before);
}

size_t EntryDifferences::PlaceOf(uint32_t name, uint8_t mode) {
  // As in Git, a directory and a file of one name are two entries.
  const size_t key =
      2 * size_t{name} + (mode == format::kDirectoryMode ? 1 : 0);
  if (key >= places_.size()) places_.resize(key + 1);
  if (places_[key] == 0) {
    found_.push_back({.name = name});
    places_[key] = static_cast<uint32_t>(found_.size());
  }
  return places_[key] - 1;
}

bool EntryDifferences::AddEdits(const format::TreeBlock& trees, uint32_t index,
                                bool is_up) {
  const auto edits = trees.edits(index);
  for (size_t i = 0; i < edits.size(); ++i) {
    const auto& edit = edits[is_up ? edits.size() - 1 - i : i];
    Side of_base;
    Side of_tree;
    const uint8_t mode = edit.entry.mode;
    if (edit.kind != format::TreeEditKind::kAdd) {
      of_base = {true, mode, edit.before};
    }
    if (edit.kind != format::TreeEditKind::kRemove) {
      of_tree = {true, mode, edit.entry.child};
    }
    const Side& from = is_up ? of_tree : of_base;
    const Side& to = is_up ? of_base : of_tree;
    const size_t known = found_.size();
    Difference& difference = found_[PlaceOf(edit.entry.name, mode)];
    if (found_.size() > known) {
      difference.before = from;
    } else if (difference.after != from) {
      return false;
    }
    difference.after = to;
  }
  return true;
}

bool EntryDifferences::Find(const format::TreeBlock& trees, uint32_t before,
                            uint32_t after) {
  for (const Difference& difference : found_) {
    for (const size_t kind : {0, 1}) {
      const size_t key = 2 * size_t{difference.name} + kind;
      if (key < places_.size()) places_[key] = 0;
    }
  }
  found_.clear();
  if (!FindWay(trees, before, after)) return false;
  for (const uint32_t index : up_) {
    if (!AddEdits(trees, index, true)) return false;
  }
  for (const uint32_t index : std::views::reverse(down_)) {
    if (!AddEdits(trees, index, false)) return false;
  }
  if (is_step() && !up_.empty()) std::ranges::reverse(found_);
  return true;
}

}  // namespace zpack
