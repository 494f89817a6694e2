// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/tree_children.h"

#include <algorithm>
#include <unordered_map>

namespace zpack {

bool IsGitlink(const format::TreeBlock::Entry& entry) {
  return entry.mode == format::kGitlinkMode;
}

void ForEachTree(
    const format::TreeBlock& trees,
    const std::function<void(uint32_t, const format::TreeBlock::Entries&)>&
        visit) {
  const std::vector<uint32_t> last_uses = trees.layout().LastUses();
  std::vector<format::TreeBlock::Entries> kept(trees.count());
  static const format::TreeBlock::Entries none;
  format::TreeBlock::Entries entries;
  for (uint32_t index = 0; index < trees.count(); ++index) {
    if (trees.IsVerbatim(index)) continue;
    const auto base = trees.base(index);
    trees.ApplyEdits(index, base ? kept[*base] : none, entries);
    visit(index, entries);
    if (base && last_uses[*base] == index) kept[*base] = {};
    if (last_uses[index] != index) kept[index] = entries;
  }
}

std::vector<bool> TreesWithGoodChildren(
    const format::TreeBlock& trees,
    const std::function<bool(const format::TreeBlock::Entry&)>& good) {
  const auto key = [](const format::TreeBlock::Entry& entry) {
    return uint64_t{entry.child.value()} << 1 | uint64_t{IsGitlink(entry)};
  };
  // Every child of a tree comes from an edit of the tree or of one of its
  // bases.
  std::unordered_map<uint64_t, bool> known;
  bool all_good = true;
  for (uint32_t index = 0; index < trees.count(); ++index) {
    for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
      if (edit.kind == format::TreeEditKind::kRemove) continue;
      const auto [at, is_new] = known.emplace(key(edit.entry), true);
      if (is_new) at->second = good(edit.entry);
      all_good = all_good && at->second;
    }
  }
  std::vector<bool> result(trees.count(), true);
  if (all_good) return result;
  ForEachTree(
      trees, [&](uint32_t index, const format::TreeBlock::Entries& entries) {
        result[index] = std::ranges::all_of(entries, [&](const auto& entry) {
          return known.find(key(entry))->second;
        });
      });
  return result;
}

}  // namespace zpack
