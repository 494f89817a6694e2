// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_edits.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "base/byte_compare.h"

namespace zpack {

using format::TreeEdit;
using format::TreeEditKind;
using format::TreeItem;
using format::TreeNames;

namespace {

// Returns the number of equal items at the front of both trees.
size_t CommonItems(std::span<const TreeItem> a, std::span<const TreeItem> b) {
  // Bytes can be compared only without padding.
  static_assert(std::has_unique_object_representations_v<TreeItem>);
  const auto* const a_bytes = reinterpret_cast<const uint8_t*>(a.data());
  const auto* const b_bytes = reinterpret_cast<const uint8_t*>(b.data());
  return CommonPrefix(a_bytes, b_bytes,
                      std::min(a.size_bytes(), b.size_bytes())) /
         sizeof(TreeItem);
}

}  // namespace

bool FindTreeEdits(const TreeNames& names, const std::vector<TreeItem>& base,
                   const std::vector<TreeItem>& tree, size_t limit,
                   std::vector<TreeEdit>& edits) {
  edits.clear();
  uint32_t run = 0;
  size_t from = 0;
  size_t to = 0;
  while (from < base.size() || to < tree.size()) {
    if (edits.size() > limit) return false;
    const size_t same =
        CommonItems(std::span(base).subspan(from), std::span(tree).subspan(to));
    run += static_cast<uint32_t>(same);
    from += same;
    to += same;
    if (from == base.size() && to == tree.size()) break;
    const bool both = from < base.size() && to < tree.size();
    const bool same_name = both && base[from].name == tree[to].name;
    if (same_name && base[from].mode == tree[to].mode) {
      edits.push_back({run, TreeEditKind::kChange, tree[to]});
      run = 0;
      ++from;
      ++to;
    } else if (to == tree.size() || same_name ||
               (both && names[base[from].name] < names[tree[to].name])) {
      edits.push_back({run, TreeEditKind::kRemove, {}});
      run = 0;
      ++from;
    } else {
      edits.push_back({run, TreeEditKind::kAdd, tree[to]});
      run = 0;
      ++to;
    }
  }
  return edits.size() <= limit;
}

}  // namespace zpack
