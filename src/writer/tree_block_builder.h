// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects the streams of a block of trees (FORMAT.md, "Trees").
// Thread-compatible.

#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"
#include "format/tree_columns.h"
#include "writer/block_streams.h"
#include "writer/object_numbers.h"
#include "writer/tree_parser.h"

namespace zpack {

// How one tree becomes another: what to do with each item of the base and
// which items to add, front to back.
struct TreeEdit {
  uint32_t run = 0;  // items of the base that stay as they are before it
  format::TreeEditKind kind = format::TreeEditKind::kChange;
  TreeItem item;  // as it is afterwards; of no meaning for kRemove
};

// Fills `edits` and returns true, unless there would be more than `limit`.
bool FindTreeEdits(const TreeParser& parser, const std::vector<TreeItem>& base,
                   const std::vector<TreeItem>& tree, size_t limit,
                   std::vector<TreeEdit>& edits);

class TreeBlockBuilder {
 public:
  // `parser` outlives the builder.
  explicit TreeBlockBuilder(const TreeParser& parser)
      : parser_(parser), numbers_(parser.numbers()) {}

  // Appends a tree of `size` bytes, all of its items. It begins a lineage, or
  // shares the children that were seen in that of the tree before it.
  void AddWhole(uint64_t size, bool begins_lineage,
                const std::vector<TreeItem>& items);
  // Appends a tree of `size` bytes as `edits` of the one `distance` before it,
  // in the same lineage, which has `base_size`.
  void AddEdits(uint64_t size, uint32_t distance, uint64_t base_size,
                const std::vector<TreeEdit>& edits);
  // Appends a tree as its bytes.
  void AddVerbatim(ByteView content);
  void Clear();

  uint32_t object_count() const { return object_count_; }
  // Bytes of all streams before compression.
  uint64_t raw_size() const { return streams_.raw_size(); }
  // What reading the block's smallest tree decodes besides its own size.
  uint64_t read_cost() const {
    const uint64_t size = raw_size();
    return size - std::min(size, smallest_tree_);
  }
  // Bytes of all trees.
  uint64_t content_size() const { return content_size_; }
  // For each object, the bytes of it and of all its bases, added up.
  uint64_t chains_size() const { return chains_size_; }
  // The streams. The views live until the builder changes.
  std::vector<BlockEncoder::RawStream> Streams() const {
    return streams_.Views();
  }

 private:
  void AddEdit(const TreeEdit& edit);
  // The number of a name in this block.
  uint32_t BlockName(uint32_t name);
  // Notes a tree of `size` bytes, whose bases have `base_chain`.
  void Count(uint64_t size, uint64_t base_chain);

  const TreeParser& parser_;
  BlockStreams streams_ = {
      format::StreamKind::kSizes,     format::StreamKind::kBases,
      format::StreamKind::kLiterals,  format::StreamKind::kEditCounts,
      format::StreamKind::kEditRuns,  format::StreamKind::kEditKinds,
      format::StreamKind::kNames,     format::StreamKind::kModes,
      format::StreamKind::kChildren,  format::StreamKind::kChildDifferences,
      format::StreamKind::kNameTexts, format::StreamKind::kOutsideIds};
  uint32_t object_count_ = 0;
  uint64_t smallest_tree_ = UINT64_MAX;
  uint64_t content_size_ = 0;
  uint64_t chains_size_ = 0;
  std::vector<uint64_t> chains_;  // of each object
  format::TreeChildren children_;
  // By the parser's number: those of the block.
  std::unordered_map<uint32_t, uint32_t> names_;
  BlockNumbers numbers_;
};

}  // namespace zpack
