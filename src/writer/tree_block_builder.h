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

// A step in turning the base into the tree: what happens to an item of the
// base, or which item is added. Steps are ordered front to back.
struct TreeEdit {
  // Number of items of the base that are kept unchanged before this step.
  uint32_t run = 0;
  format::TreeEditKind kind = format::TreeEditKind::kChange;
  TreeItem item;  // the new item; unused for kRemove
};

// Fills `edits` and returns true. Returns false if there would be more than
// `limit`.
bool FindTreeEdits(const TreeParser& parser, const std::vector<TreeItem>& base,
                   const std::vector<TreeItem>& tree, size_t limit,
                   std::vector<TreeEdit>& edits);

class TreeBlockBuilder {
 public:
  // `parser` must outlive the builder.
  explicit TreeBlockBuilder(const TreeParser& parser)
      : parser_(parser), numbers_(parser.numbers()) {}

  // Appends a tree of `size` bytes as the list of all its items. If
  // `begins_lineage`, the tree starts a new lineage; otherwise the children
  // seen in the lineage of the previous tree are shared.
  void AddWhole(uint64_t size, bool begins_lineage,
                const std::vector<TreeItem>& items);
  // Appends a tree of `size` bytes as `edits` of a base, which is the tree
  // `distance` positions before it, in the same lineage, with `base_size`
  // bytes.
  void AddEdits(uint64_t size, uint32_t distance, uint64_t base_size,
                const std::vector<TreeEdit>& edits);
  // Appends a tree as its bytes.
  void AddVerbatim(ByteView content);
  void Clear();

  uint32_t object_count() const { return object_count_; }
  // Bytes of all streams before compression.
  uint64_t raw_size() const { return streams_.raw_size(); }
  // Bytes that reading the smallest tree of the block decodes, minus the size
  // of that tree.
  uint64_t read_cost() const {
    const uint64_t size = raw_size();
    return size - std::min(size, smallest_tree_);
  }
  // Bytes of all trees.
  uint64_t content_size() const { return content_size_; }
  // Sum over all trees of the bytes of the tree and of all its bases.
  uint64_t chains_size() const { return chains_size_; }
  // The views are valid until the builder changes.
  std::vector<BlockEncoder::RawStream> Streams() const {
    return streams_.Views();
  }

 private:
  void AddEdit(const TreeEdit& edit);
  // Returns the block's number for the parser's name number `name`.
  uint32_t BlockName(uint32_t name);
  // Counts a tree of `size` bytes, whose bases have `base_chain` bytes
  // together.
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
  // By tree: bytes of the tree and of all its bases.
  std::vector<uint64_t> chains_;
  format::TreeChildren children_;
  // Name numbers of the block, by name number of the parser.
  std::unordered_map<uint32_t, uint32_t> names_;
  BlockNumbers numbers_;
};

}  // namespace zpack
