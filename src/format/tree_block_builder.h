// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the streams of a block of trees (FORMAT.md, "Trees"), which
// tree_block.h parses. Pure.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/block_layout.h"
#include "format/block_streams.h"
#include "format/link_numbers.h"
#include "format/tree_columns.h"

namespace zpack::format {

// Numbers of names, in the order in which they are first seen.
class TreeNames {
 public:
  uint32_t Number(std::string_view name);
  std::string_view operator[](uint32_t number) const { return *names_[number]; }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<const std::string*> names_;
  std::string key_;
};

struct TreeItem {
  uint32_t name = 0;  // in TreeNames
  ObjectNumber child;
  uint32_t mode = 0;  // see kTreeModes
};

// A step in turning the base into the tree: what happens to an item of the
// base, or which item is added. Steps are ordered front to back.
struct TreeEdit {
  // Number of items of the base that are kept unchanged before this step.
  uint32_t run = 0;
  TreeEditKind kind = TreeEditKind::kChange;
  TreeItem item;  // the new item; unused for kRemove
};

class TreeBlockBuilder {
 public:
  // Both references must outlive the builder.
  TreeBlockBuilder(const TreeNames& names, const ObjectNumbers& numbers)
      : names_(names), links_(numbers) {}

  // Appends a tree of `size` bytes as the list of all its items. If
  // `begins_lineage`, the tree starts a new lineage; otherwise the children
  // seen in the lineage of the previous tree are shared.
  void AddWhole(uint64_t size, bool begins_lineage,
                const std::vector<TreeItem>& items);
  // Appends a tree of `size` bytes as `edits` of tree `base` of the block, in
  // the same lineage.
  void AddEdits(uint64_t size, uint32_t base,
                const std::vector<TreeEdit>& edits);
  // Appends a tree as its bytes.
  void AddVerbatim(ByteView content);
  void Clear();

  // Of the trees so far.
  const BlockLayoutBuilder& layout() const { return layout_; }
  const BlockStreams& streams() const { return streams_; }

 private:
  void AddEdit(const TreeEdit& edit);
  // Returns the block's number for `name` of TreeNames.
  uint32_t BlockName(uint32_t name);

  const TreeNames& names_;
  BlockStreams streams_{BlockKind::kTrees};
  BlockLayoutBuilder layout_;
  ChildEncoder children_;
  std::unordered_map<uint32_t, uint32_t> block_names_;  // by number in names_
  LinkEncoder links_;
};

}  // namespace zpack::format
