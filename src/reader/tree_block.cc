// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/tree_block.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace zpack {
namespace {

using format::TreeEditKind;

std::unexpected<Error> Bad(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in block of trees", what);
}

}  // namespace

Status TreeBlock::CheckNames() {
  // Each name is in an added entry, which takes some room in a tree.
  const uint64_t content =
      std::reduce(layout_.sizes.begin(), layout_.sizes.end(), uint64_t{0});
  const auto count =
      static_cast<uint64_t>(std::ranges::count(name_texts_, uint8_t{0}));
  if (count > content / (id_width_ + 1)) return Bad("number of names");
  names_.reserve(count);
  std::string_view rest = AsText(name_texts_);
  while (!rest.empty()) {
    const size_t end = rest.find('\0');
    if (end == std::string_view::npos) return Bad("name");
    names_.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (outside_ids_.size() % id_width_ != 0 ||
      outside_ids_.size() / id_width_ >
          std::numeric_limits<uint32_t>::max() - object_count_) {
    return Bad("outside ids");
  }
  return {};
}

// Reads the columns into `edits_` and `trees_`. Needs the entries of each tree
// on the way, because a change or removal names none.
class TreeBlock::Reader {
 public:
  Reader(const Streams& streams, uint64_t max_kept, TreeBlock& block)
      : block_(block),
        max_kept_(max_kept),
        counts_(streams.edit_counts),
        runs_(streams.edit_runs),
        kinds_(streams.edit_kinds),
        names_(streams.names),
        modes_(streams.modes),
        children_(streams.children),
        differences_(streams.child_differences),
        child_limit_(static_cast<uint32_t>(block.object_count_ +
                                           block.outside_ids_.size() /
                                               block.id_width_)) {}

  Status Read() {
    const BlockLayout& layout = block_.layout_;
    const std::vector<uint32_t> last_use = layout.LastUses();
    std::vector<Entries> kept(layout.sizes.size());
    uint64_t kept_bytes = 0;
    block_.trees_.reserve(layout.sizes.size());
    for (uint32_t index = 0; index < layout.sizes.size(); ++index) {
      const std::optional<uint32_t> base = layout.base(index);
      if (base && block_.trees_[*base].verbatim) return Bad("base");
      static const Entries none;
      ZPACK_TRY(ReadTree(index, base ? &kept[*base] : &none));
      if (base && last_use[*base] == index) {
        kept_bytes -= kept[*base].size() * sizeof(Entry);
        kept[*base] = Entries();
      }
      if (last_use[index] != index) {
        kept_bytes += entries_.size() * sizeof(Entry);
        kept[index] = entries_;
      }
      if (kept_bytes > max_kept_) {
        return MakeError(ErrorCode::kLimitExceeded,
                         "a block of trees needs more than {} bytes of memory",
                         max_kept_);
      }
    }
    if (!counts_.exhausted() || !runs_.exhausted() || !kinds_.exhausted() ||
        !names_.exhausted() || !modes_.exhausted() || !children_.exhausted() ||
        !differences_.exhausted() || known_names_ != block_.names_.size() ||
        literals_ != block_.literals_.size()) {
      return Bad("end of streams");
    }
    return {};
  }

 private:
  // Reads tree `index`, whose base has the entries `base`.
  Status ReadTree(uint32_t index, const Entries* base) {
    Tree tree;
    tree.first_edit = static_cast<uint32_t>(block_.edits_.size());
    entries_.clear();
    base_ = base;
    position_ = 0;
    size_ = 0;
    added_size_ = 0;
    declared_size_ = block_.layout_.sizes[index];
    uint64_t count = counts_.Varint();
    if (!counts_.ok()) return Bad("number of edits");
    if (const auto at = block_.layout_.base(index)) {
      size_ = block_.layout_.sizes[*at];
    } else {
      tree.verbatim = count == 0;
      if (!tree.verbatim) {
        if (count % 2 != 0) lineage_.Clear();
        count = (count - 1) / 2;
      }
    }
    if (tree.verbatim) {
      tree.literals = static_cast<uint32_t>(literals_);
      size_ = block_.layout_.sizes[index];
      if (size_ > block_.literals_.size() - literals_) return Bad("literals");
      literals_ += size_;
    }
    if (count > kinds_.remaining()) return Bad("number of edits");
    for (uint64_t i = 0; i < count; ++i) ZPACK_TRY(ReadEdit());
    Keep(base_->size() - position_);
    if (size_ != block_.layout_.sizes[index]) return Bad("size of tree");
    tree.last_edit = static_cast<uint32_t>(block_.edits_.size());
    tree.entry_count = static_cast<uint32_t>(entries_.size());
    block_.trees_.push_back(tree);
    return {};
  }

  // Takes the next `run` entries of the base over.
  void Keep(uint64_t run) {
    const auto from = base_->begin() + static_cast<ptrdiff_t>(position_);
    entries_.insert(entries_.end(), from, from + static_cast<ptrdiff_t>(run));
    position_ += run;
  }

  Status ReadEdit() {
    Edit edit;
    const uint64_t run = runs_.Varint();
    const uint8_t kind = kinds_.U8();
    if (!runs_.ok() || run > base_->size() - position_ ||
        kind > static_cast<uint8_t>(TreeEditKind::kAdd)) {
      return Bad("edit");
    }
    Keep(run);
    edit.run = static_cast<uint32_t>(run);
    edit.kind = static_cast<TreeEditKind>(kind);
    if (edit.kind == TreeEditKind::kAdd) {
      ZPACK_TRY(ReadAdded(edit.entry));
      size_ += block_.EntrySize(edit.entry);
      // All that is added stays in the tree.
      added_size_ += block_.EntrySize(edit.entry);
      if (added_size_ > declared_size_) return Bad("size of tree");
    } else {
      if (position_ == base_->size()) return Bad("edit");
      edit.entry = (*base_)[position_++];
    }
    if (edit.kind == TreeEditKind::kRemove) {
      size_ -= block_.EntrySize(edit.entry);
    } else {
      ZPACK_TRY(ReadChild(edit.entry));
      entries_.push_back(edit.entry);
    }
    block_.edits_.push_back(edit);
    return {};
  }

  Status ReadAdded(Entry& entry) {
    const uint64_t age = names_.Varint();
    entry.mode = modes_.U8();
    if (age == 0) ++known_names_;
    if (!names_.ok() || !modes_.ok() || age > known_names_ ||
        known_names_ > block_.names_.size() ||
        entry.mode >= format::kTreeModes.size()) {
      return Bad("added entry");
    }
    entry.name = static_cast<uint32_t>(known_names_ - (age == 0 ? 1 : age));
    return {};
  }

  Status ReadChild(Entry& entry) {
    format::TreeChildren::Code code;
    code.code = static_cast<uint32_t>(std::min<uint64_t>(
        children_.Varint(), std::numeric_limits<uint32_t>::max()));
    if (code.code == format::TreeChildren::kOther) {
      code.difference = UnZigZag(differences_.Varint());
    }
    if (!children_.ok() || !differences_.ok()) return Bad("child");
    const auto child = lineage_.Decode(entry.name, code, child_limit_);
    if (!child) return Bad("child");
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
  ByteReader children_;
  ByteReader differences_;
  uint32_t child_limit_;
  format::TreeChildren lineage_;
  uint64_t known_names_ = 0;  // so many names were used so far
  uint64_t literals_ = 0;     // so many bytes of them
  // Of the tree that is read:
  const Entries* base_ = nullptr;
  uint64_t position_ = 0;       // in the base
  uint64_t size_ = 0;           // of the content so far
  uint64_t added_size_ = 0;     // of added entries
  uint64_t declared_size_ = 0;  // what the size should be
  Entries entries_;
};

Result<TreeBlock> TreeBlock::Parse(Streams streams, uint32_t count,
                                   uint32_t object_count, ObjectFormat format,
                                   const BlockLimits& limits) {
  // Positions are kept in 32 bits; each edit has a kind.
  for (const Bytes* stream : {&streams.edit_kinds, &streams.literals}) {
    if (stream->size() > std::numeric_limits<uint32_t>::max()) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "stream of {} bytes in a block of trees",
                       stream->size());
    }
  }
  ZPACK_ASSIGN_OR_RETURN(
      BlockLayout layout,
      ParseBlockLayout(streams.sizes, streams.bases, count, limits));
  TreeBlock block(std::move(layout), object_count, format);
  block.name_texts_ = std::move(streams.name_texts);
  block.outside_ids_ = std::move(streams.outside_ids);
  block.literals_ = std::move(streams.literals);
  ZPACK_TRY(block.CheckNames());
  ZPACK_TRY(Reader(streams, limits.object_size, block).Read());
  return block;
}

void TreeBlock::ApplyEdits(uint32_t index, const Entries& base,
                           Entries& entries) const {
  const Tree& tree = trees_[index];
  entries.resize(tree.entry_count);
  auto to = entries.begin();
  auto from = base.begin();
  for (uint32_t i = tree.first_edit; i < tree.last_edit; ++i) {
    const Edit& edit = edits_[i];
    to = std::copy_n(from, edit.run, to);
    from += edit.run;
    if (edit.kind != TreeEditKind::kAdd) ++from;
    if (edit.kind != TreeEditKind::kRemove) *to++ = edit.entry;
  }
  to = std::copy(from, base.end(), to);
  ZPACK_CHECK(to == entries.end());
}

void TreeBlock::Serialize(uint32_t index, const Entries& entries,
                          const IdOf& id_of, Bytes& out) const {
  const uint64_t size = layout_.sizes[index];
  out.resize(size);
  uint8_t* to = out.data();
  const auto append = [&](const void* bytes, size_t length) {
    if (length == 0) return;
    std::memcpy(to, bytes, length);
    to += length;
  };
  if (trees_[index].verbatim) {
    append(literals_.data() + trees_[index].literals, size);
    return;
  }
  for (const Entry& entry : entries) {
    const std::string_view mode = format::kTreeModes[entry.mode];
    const std::string_view name = names_[entry.name];
    append(mode.data(), mode.size());
    *to++ = ' ';
    append(name.data(), name.size());
    *to++ = 0;
    if (entry.child < object_count_) {
      append(id_of(entry.child).bytes().data(), id_width_);
    } else {
      append(&outside_ids_[(entry.child - object_count_) * id_width_],
             id_width_);
    }
  }
  ZPACK_CHECK(to == out.data() + size);
}

void TreeBlock::Rebuild(uint32_t index, const IdOf& id_of, Bytes& out) const {
  Entries entries;
  if (!trees_[index].verbatim) {
    std::vector<uint32_t> chain = {index};
    while (const auto base = layout_.base(chain.back())) chain.push_back(*base);
    Entries base;
    for (; !chain.empty(); chain.pop_back()) {
      std::swap(base, entries);
      ApplyEdits(chain.back(), base, entries);
    }
  }
  Serialize(index, entries, id_of, out);
}

Status TreeBlock::ForEach(
    const IdOf& id_of,
    const std::function<Status(size_t, ByteView)>& visit) const {
  const std::vector<uint32_t> last_use = layout_.LastUses();
  std::vector<Entries> kept(count());
  static const Entries none;
  Entries entries;
  Bytes content;
  for (uint32_t index = 0; index < count(); ++index) {
    const std::optional<uint32_t> base = layout_.base(index);
    if (!trees_[index].verbatim) {
      ApplyEdits(index, base ? kept[*base] : none, entries);
    }
    Serialize(index, entries, id_of, content);
    ZPACK_TRY(visit(index, content));
    if (base && last_use[*base] == index) kept[*base] = Entries();
    if (last_use[index] != index) kept[index] = entries;
  }
  return {};
}

uint64_t TreeBlock::memory() const {
  return literals_.size() + name_texts_.size() + outside_ids_.size() +
         names_.size() * sizeof(std::string_view) +
         edits_.size() * sizeof(Edit) +
         count() * (sizeof(Tree) + sizeof(uint64_t) + sizeof(uint32_t));
}

}  // namespace zpack
