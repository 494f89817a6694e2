// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The decompressed and checked streams of a block of trees (FORMAT.md,
// "Trees"); tree_block_builder.h writes them. Pure. Immutable; any number of
// threads may read it.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "base/index_spaces.h"
#include "format/block_layout.h"
#include "format/block_streams.h"
#include "format/link_numbers.h"
#include "format/tree_columns.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::format {

class TreeBlock {
 public:
  // Packed, because a large repository has millions of entries and edits in
  // memory at a time.
  struct Entry {
    uint32_t name : 29 = 0;
    uint8_t mode : 3 = 0;  // index in kTreeModes
    LinkNumber child;
  };
  using Entries = std::vector<Entry>;

  struct Edit {
    Entry entry;                 // new; for kRemove, the removed entry
    LinkNumber before;           // the child in the base; not for kAdd
    uint32_t offset = 0;         // bytes of the base's content before it
    uint32_t position : 30 = 0;  // entries of the base before it
    TreeEditKind kind : 2 = TreeEditKind::kChange;
  };
  static_assert(sizeof(Edit) == 20);

  // Checks that every tree can be rebuilt. `object_count` is that of the file.
  // Returns kCorrupt if the streams are not valid. Returns kLimitExceeded if
  // they exceed `limits`, or if the entries kept for later trees take more
  // memory than one object may.
  static Result<TreeBlock> Parse(BlockStreams streams, uint32_t count,
                                 uint32_t object_count, ObjectFormat format,
                                 BlockLimits limits);

  TreeBlock(TreeBlock&&) = default;
  TreeBlock& operator=(TreeBlock&&) = default;

  uint32_t count() const { return static_cast<uint32_t>(trees_.size()); }
  const std::vector<uint64_t>& sizes() const { return layout_.sizes; }
  std::optional<uint32_t> base(uint32_t index) const {
    return layout_.base(index);
  }
  bool IsVerbatim(uint32_t index) const { return trees_[index].verbatim; }
  bool BeginsLineage(uint32_t index) const {
    return trees_[index].begins_lineage;
  }
  // Bytes of memory that the block takes.
  uint64_t memory() const;

  const BlockLayout& layout() const { return layout_; }

  // Edits that turn the base of tree `index` into the tree. Without a base,
  // they start from an empty tree.
  std::span<const Edit> edits(uint32_t index) const {
    const Tree& tree = trees_[index];
    return std::span(edits_).subspan(tree.first_edit,
                                     tree.last_edit - tree.first_edit);
  }
  // True if the tree differs from its base only in the ids of some children.
  // Patch may then be used.
  bool OnlyChangesChildren(uint32_t index) const {
    return trees_[index].only_changes;
  }
  // True if each entry of the tree comes after the one before it, as in all
  // trees that Git makes. False for some trees that are made of one where this
  // is false.
  bool IsOrdered(uint32_t index) const { return trees_[index].ordered; }
  std::string_view name(const Entry& entry) const { return names_[entry.name]; }
  // What the children of entries refer to. Valid as long as the block.
  const LinkDecoder& links() const { return links_; }
  // The content of a verbatim tree.
  ByteView literals(uint32_t index) const {
    return ByteView(literals_).subspan(trees_[index].literals,
                                       layout_.sizes[index]);
  }

  // Fills `entries` with those of tree `index`. `base` has the entries of its
  // base, or is empty if it has no base. REQUIRES: !IsVerbatim(index).
  void ApplyEdits(uint32_t index, const Entries& base, Entries& entries) const;

  // Like ApplyEdits, but rebuilds the bases as well.
  Entries RebuildEntries(uint32_t index) const;

  // Fills `delta` with the copies that turn the content of the base of tree
  // `index` into that of the tree. REQUIRES: the tree has a base.
  void ReadDelta(uint32_t index, Delta& delta) const;

  // Fills `out` with the content of tree `index`. `base` is the content of its
  // base, or empty if it has no base.
  void Rebuild(uint32_t index, ByteView base, const IdOfNumber& id_of,
               Bytes& out) const;
  // Turns `content` from that of the base of tree `index` into that of the
  // tree. REQUIRES: OnlyChangesChildren(index).
  void Patch(uint32_t index, const IdOfNumber& id_of, Bytes& content) const;

 private:
  struct Tree {
    uint32_t first_edit = 0;
    uint32_t last_edit = 0;  // one past the end
    uint32_t entry_count = 0;
    uint32_t literals = 0;  // start of the content, if verbatim
    bool verbatim = false;
    bool begins_lineage = false;
    bool only_changes = false;
    bool ordered = false;
  };

  TreeBlock(BlockLayout layout, uint32_t object_count, ObjectFormat format,
            Bytes outside_ids)
      : layout_(std::move(layout)),
        id_width_(ObjectIdWidth(format)),
        outside_ids_(std::move(outside_ids)),
        links_(object_count, format, outside_ids_) {}

  // Parses the columns; see tree_block_parser.cc.
  class Parser;

  // Fills `names_`, with at most `max_count` names, and checks `outside_ids_`.
  Status CheckNames(uint64_t max_count);
  // Writes the id of an entry's child.
  void WriteChild(const Entry& entry, const IdOfNumber& id_of,
                  uint8_t* to) const;
  // Bytes of an entry in the content of a tree.
  uint64_t EntrySize(const Entry& entry) const {
    return kTreeModes[entry.mode].size() + names_[entry.name].size() + 2 +
           id_width_;
  }

  BlockLayout layout_;
  size_t id_width_;
  Bytes outside_ids_;
  LinkDecoder links_;  // reads outside_ids_
  Bytes literals_;
  Bytes name_texts_;
  std::vector<std::string_view> names_;  // into name_texts_
  std::vector<Edit> edits_;
  std::vector<Tree> trees_;
};

}  // namespace zpack::format
