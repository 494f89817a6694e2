// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "format/tree_block.h"
#include "object/object_links.h"

namespace zpack::format {
namespace {

// Edits; memory for more is allocated only as they arrive.
constexpr size_t kMostExpectedEdits = size_t{1} << 20;

// What the fields of TreeBlock::Entry and TreeBlock::Edit hold, which is much
// more than any block has.
constexpr uint64_t kMostNames = uint64_t{1} << 29;
constexpr uint64_t kMostEntries = uint64_t{1} << 30;

std::unexpected<Error> BadTrees(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in block of trees", what);
}

}  // namespace

Status TreeBlock::CheckNames(uint64_t max_count) {
  const auto count =
      static_cast<uint64_t>(std::ranges::count(name_texts_, uint8_t{0}));
  if (count > std::min(max_count, kMostNames))
    return BadTrees("number of names");
  names_.reserve(count);
  std::string_view rest = AsText(name_texts_);
  while (!rest.empty()) {
    const size_t end = rest.find('\0');
    if (end == std::string_view::npos) return BadTrees("name");
    names_.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return links().IsValid() ? Status{} : BadTrees("outside ids");
}

// Reads the columns into `edits_` and `trees_`. Rebuilds the entries of each
// tree on the way, because changes and removals do not state a name.
class TreeBlock::Parser {
 public:
  Parser(const BlockStreams& streams, uint64_t max_kept, TreeBlock& block)
      : block_(block),
        max_kept_(max_kept),
        counts_(streams[StreamKind::kEditCounts]),
        runs_(streams[StreamKind::kEditRuns]),
        kinds_(streams[StreamKind::kEditKinds]),
        names_(streams[StreamKind::kNames]),
        modes_(streams[StreamKind::kModes]),
        children_(streams, static_cast<uint32_t>(block.links().end())) {}

  Status Read() {
    const BlockLayout& layout = block_.layout_;
    const std::vector<uint32_t> last_uses = layout.LastUses();
    std::vector<Listing> kept(layout.sizes.size());
    uint64_t kept_bytes = 0;
    block_.trees_.reserve(layout.sizes.size());
    block_.edits_.reserve(std::min(kinds_.remaining(), kMostExpectedEdits));
    for (uint32_t index = 0; index < layout.sizes.size(); ++index) {
      const std::optional<uint32_t> base = layout.base(index);
      if (base && block_.trees_[*base].verbatim) return BadTrees("base");
      static const Listing none;
      Listing* const base_listing = base ? &kept[*base] : nullptr;
      ZPACK_TRY(ReadTree(index, base ? *base_listing : none));
      const BaseUse use =
          base && last_uses[*base] == index ? BaseUse::kLast : BaseUse::kMore;
      if (use == BaseUse::kLast) kept_bytes -= base_listing->bytes();
      if (last_uses[index] != index) {
        kept[index] = List(index, base_listing, use);
        kept_bytes += kept[index].bytes();
      }
      if (use == BaseUse::kLast) *base_listing = Listing();
      if (kept_bytes > max_kept_) {
        return MakeError(ErrorCode::kLimitExceeded,
                         "a block of trees needs more than {} bytes of memory",
                         max_kept_);
      }
    }
    if (!counts_.exhausted() || !runs_.exhausted() || !kinds_.exhausted() ||
        !names_.exhausted() || !modes_.exhausted() || !children_.exhausted() ||
        known_names_ != block_.names_.size() ||
        literals_ != block_.literals_.size()) {
      return BadTrees("end of streams");
    }
    return {};
  }

 private:
  // The entries of a tree that is the base of later trees.
  struct Listing {
    Entries entries;
    std::vector<uint32_t> offsets;  // of each entry in the tree's content

    uint64_t bytes() const {
      return entries.size() * (sizeof(Entry) + sizeof(uint32_t));
    }
  };

  // Reads tree `index`, whose base is `base`.
  Status ReadTree(uint32_t index, const Listing& base) {
    Tree tree;
    tree.first_edit = static_cast<uint32_t>(block_.edits_.size());
    tree.entry_count = static_cast<uint32_t>(base.entries.size());
    tree.ordered = true;
    base_ = &base;
    last_ = std::nullopt;
    added_last_ = false;
    position_ = 0;
    size_ = 0;
    added_size_ = 0;
    const uint64_t declared_size = block_.layout_.sizes[index];
    uint64_t count = counts_.Varint();
    if (!counts_.ok()) return BadTrees("number of edits");
    if (const auto at = block_.layout_.base(index)) {
      base_size_ = block_.layout_.sizes[*at];
      size_ = base_size_;
      tree.only_changes = true;
      tree.ordered = block_.trees_[*at].ordered;
    } else {
      base_size_ = 0;
      tree.verbatim = count == 0;
      if (!tree.verbatim) {
        tree.begins_lineage = count % 2 != 0;
        if (tree.begins_lineage) children_.BeginLineage();
        count = (count - 1) / 2;
      }
    }
    if (tree.verbatim) {
      tree.literals = static_cast<uint32_t>(literals_);
      size_ = declared_size;
      if (size_ > block_.literals_.size() - literals_)
        return BadTrees("literals");
      literals_ += size_;
    }
    if (count > kinds_.remaining()) return BadTrees("number of edits");
    for (uint64_t i = 0; i < count; ++i) {
      ZPACK_TRY(ReadEdit(tree));
      // All added entries stay in the tree.
      if (added_size_ > declared_size) return BadTrees("size of tree");
    }
    if (size_ != declared_size) return BadTrees("size of tree");
    if (position_ < base.entries.size()) {
      Follow(base.entries[position_], false, tree);
    }
    tree.last_edit = static_cast<uint32_t>(block_.edits_.size());
    block_.trees_.push_back(tree);
    return {};
  }

  Status ReadEdit(Tree& tree) {
    const Entries& base = base_->entries;
    Edit edit;
    const uint64_t run = runs_.Varint();
    const uint8_t kind = kinds_.U8();
    if (!runs_.ok() || run > base.size() - position_ ||
        position_ + run >= kMostEntries ||
        kind > static_cast<uint8_t>(TreeEditKind::kAdd)) {
      return BadTrees("edit");
    }
    if (run > 0) {
      Follow(base[position_], false, tree);
      last_ = base[position_ + run - 1];
    }
    position_ += run;
    edit.position = static_cast<uint32_t>(position_);
    edit.offset = static_cast<uint32_t>(
        position_ == base.size() ? base_size_ : base_->offsets[position_]);
    edit.kind = static_cast<TreeEditKind>(kind);
    if (edit.kind == TreeEditKind::kAdd) {
      ZPACK_TRY(ReadAdded(edit.entry));
      size_ += block_.EntrySize(edit.entry);
      added_size_ += block_.EntrySize(edit.entry);
      ++tree.entry_count;
    } else {
      if (position_ == base.size()) return BadTrees("edit");
      edit.entry = base[position_++];
      edit.before = edit.entry.child;
    }
    if (edit.kind == TreeEditKind::kRemove) {
      size_ -= block_.EntrySize(edit.entry);
      --tree.entry_count;
    } else {
      ZPACK_TRY(ReadChild(edit.entry));
      Follow(edit.entry, edit.kind == TreeEditKind::kAdd, tree);
    }
    tree.only_changes &= edit.kind == TreeEditKind::kChange;
    block_.edits_.push_back(edit);
    return {};
  }

  // The next entry of the tree; only added ones may be out of order.
  void Follow(const Entry& entry, bool is_added, Tree& tree) {
    if (tree.ordered && last_ && (is_added || added_last_)) {
      tree.ordered = ComesBefore(*last_, entry);
    }
    last_ = entry;
    added_last_ = is_added;
  }

  // In Git's order of trees.
  bool ComesBefore(const Entry& a, const Entry& b) const {
    return CompareTreeNames(block_.name(a), a.mode == kDirectoryMode,
                            block_.name(b), b.mode == kDirectoryMode) < 0;
  }

  // Returns the entries of tree `index`. `base` has the entries of its base, or
  // is null. If no later tree needs `base`, its entries are moved.
  Listing List(uint32_t index, Listing* base, BaseUse use) const {
    Listing listing;
    if (block_.trees_[index].only_changes) {
      if (use == BaseUse::kLast) {
        listing = std::move(*base);
      } else {
        listing = *base;
      }
      for (const Edit& edit : block_.edits(index)) {
        listing.entries[edit.position].child = edit.entry.child;
      }
      return listing;
    }
    static const Entries none;
    block_.ApplyEdits(index, base != nullptr ? base->entries : none,
                      listing.entries);
    listing.offsets.reserve(listing.entries.size());
    uint64_t offset = 0;
    for (const Entry& entry : listing.entries) {
      listing.offsets.push_back(static_cast<uint32_t>(offset));
      offset += block_.EntrySize(entry);
    }
    return listing;
  }

  Status ReadAdded(Entry& entry) {
    const uint64_t age = names_.Varint();
    const uint8_t mode = modes_.U8();
    if (age == 0) ++known_names_;
    if (!names_.ok() || !modes_.ok() || age > known_names_ ||
        known_names_ > block_.names_.size() || mode >= kTreeModes.size()) {
      return BadTrees("added entry");
    }
    entry.mode = mode;
    entry.name = static_cast<uint32_t>(known_names_ - (age == 0 ? 1 : age));
    return {};
  }

  Status ReadChild(Entry& entry) {
    const auto child = children_.Next(entry.name);
    if (!child) return BadTrees("child");
    entry.child = *child;
    return {};
  }

  TreeBlock& block_;
  uint64_t max_kept_;
  ByteReader counts_;
  ByteReader runs_;
  ByteReader kinds_;
  ByteReader names_;
  ByteReader modes_;
  ChildDecoder children_;
  uint64_t known_names_ = 0;  // number of names used so far
  uint64_t literals_ = 0;     // bytes of literals used so far
  // State of the tree being read:
  const Listing* base_ = nullptr;
  uint64_t base_size_ = 0;     // of the content of the base
  uint64_t position_ = 0;      // in the base
  std::optional<Entry> last_;  // of the tree so far
  bool added_last_ = false;    // `last_` is not of the base
  uint64_t size_ = 0;          // of the content so far
  uint64_t added_size_ = 0;    // of added entries
};

Result<TreeBlock> TreeBlock::Parse(BlockStreams streams, uint32_t count,
                                   uint32_t object_count, ObjectFormat format,
                                   BlockLimits limits) {
  // Positions are kept in 32 bits; each edit has a kind.
  for (const StreamKind kind :
       {StreamKind::kEditKinds, StreamKind::kLiterals}) {
    const size_t size = streams[kind].size();
    if (size > std::numeric_limits<uint32_t>::max()) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "stream of {} bytes in a block of trees", size);
    }
  }
  limits.object_size = std::min<uint64_t>(limits.object_size,
                                          std::numeric_limits<uint32_t>::max());
  ZPACK_ASSIGN_OR_RETURN(BlockLayout layout,
                         ParseBlockLayout({streams[StreamKind::kSizes],
                                           streams[StreamKind::kBases]},
                                          {ObjectNumber(), count}, limits));
  TreeBlock block(std::move(layout), object_count, format,
                  std::move(streams[StreamKind::kOutsideIds]));
  block.name_texts_ = std::move(streams[StreamKind::kNameTexts]);
  block.literals_ = std::move(streams[StreamKind::kLiterals]);
  // Every name occurs in an added entry.
  ZPACK_TRY(block.CheckNames(streams[StreamKind::kNames].size()));
  ZPACK_TRY(Parser(streams, limits.object_size, block).Read());
  return block;
}

}  // namespace zpack::format
