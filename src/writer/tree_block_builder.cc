// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_block_builder.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "base/byte_compare.h"
#include "writer/link_columns.h"

namespace zpack {

using format::StreamKind;
using format::TreeEditKind;

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

bool FindTreeEdits(const TreeParser& parser, const std::vector<TreeItem>& base,
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
               (both &&
                parser.Name(base[from].name) < parser.Name(tree[to].name))) {
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

uint32_t TreeBlockBuilder::BlockName(uint32_t name) {
  const auto [at, added] =
      names_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (added) {
    Bytes& texts = streams_[StreamKind::kNameTexts];
    Append(texts, AsBytes(parser_.Name(name)));
    texts.push_back(0);
  }
  return at->second;
}

void TreeBlockBuilder::AddEdit(const TreeEdit& edit) {
  streams_.Number(StreamKind::kEditRuns, edit.run);
  streams_[StreamKind::kEditKinds].push_back(static_cast<uint8_t>(edit.kind));
  if (edit.kind == TreeEditKind::kRemove) return;
  const auto known = static_cast<uint32_t>(names_.size());
  const uint32_t name = BlockName(edit.item.name);
  if (edit.kind == TreeEditKind::kAdd) {
    // 0 for a new name; otherwise its distance from the end of the list of
    // names.
    streams_.Number(StreamKind::kNames, name == known ? 0 : known - name);
    streams_[StreamKind::kModes].push_back(
        static_cast<uint8_t>(edit.item.mode));
  }
  AddChild(name,
           numbers_.Number(edit.item.child, streams_[StreamKind::kOutsideIds]),
           children_, streams_);
}

void TreeBlockBuilder::Count(uint64_t size, uint64_t base_chain) {
  chains_.push_back(size + base_chain);
  chains_size_ += chains_.back();
  ++object_count_;
  smallest_tree_ = std::min(smallest_tree_, size);
  content_size_ += size;
}

void TreeBlockBuilder::AddWhole(uint64_t size, bool begins_lineage,
                                const std::vector<TreeItem>& items) {
  Count(size, 0);
  if (begins_lineage) children_.Clear();
  streams_.Number(StreamKind::kSizes, size);
  streams_.Number(StreamKind::kBases, 0);
  // 0 stands for a verbatim tree.
  streams_.Number(StreamKind::kEditCounts,
                  1 + 2 * items.size() + (begins_lineage ? 0 : 1));
  for (const TreeItem& item : items) AddEdit({0, TreeEditKind::kAdd, item});
}

void TreeBlockBuilder::AddEdits(uint64_t size, uint32_t distance,
                                uint64_t base_size,
                                const std::vector<TreeEdit>& edits) {
  Count(size, chains_[object_count_ - distance]);
  streams_.Number(StreamKind::kSizes, ZigZag(static_cast<int64_t>(size) -
                                             static_cast<int64_t>(base_size)));
  streams_.Number(StreamKind::kBases, distance);
  streams_.Number(StreamKind::kEditCounts, edits.size());
  for (const TreeEdit& edit : edits) AddEdit(edit);
}

void TreeBlockBuilder::AddVerbatim(ByteView content) {
  Count(content.size(), 0);
  streams_.Number(StreamKind::kSizes, content.size());
  streams_.Number(StreamKind::kBases, 0);
  streams_.Number(StreamKind::kEditCounts, 0);
  Append(streams_[StreamKind::kLiterals], content);
}

void TreeBlockBuilder::Clear() {
  streams_.Clear();
  object_count_ = 0;
  smallest_tree_ = UINT64_MAX;
  content_size_ = 0;
  chains_size_ = 0;
  chains_.clear();
  children_.Clear();
  names_.clear();
  numbers_.Clear();
}

}  // namespace zpack
