// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/tree_block.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace zpack::format {
namespace {

uint8_t* Write(uint8_t* to, const void* bytes, size_t length) {
  if (length != 0) std::memcpy(to, bytes, length);
  return to + length;
}

}  // namespace

void TreeBlock::ApplyEdits(uint32_t index, const Entries& base,
                           Entries& entries) const {
  entries.resize(trees_[index].entry_count);
  auto to = entries.begin();
  uint32_t from = 0;
  for (const Edit& edit : edits(index)) {
    to = std::copy_n(base.begin() + from, edit.position - from, to);
    from = edit.position;
    if (edit.kind != TreeEditKind::kAdd) ++from;
    if (edit.kind != TreeEditKind::kRemove) *to++ = edit.entry;
  }
  to = std::copy(base.begin() + from, base.end(), to);
  ZPACK_CHECK(to == entries.end());
}

TreeBlock::Entries TreeBlock::RebuildEntries(uint32_t index) const {
  std::vector<uint32_t> chain = {index};
  while (const auto base = layout_.base(chain.back())) chain.push_back(*base);
  Entries base;
  Entries entries;
  for (; !chain.empty(); chain.pop_back()) {
    std::swap(base, entries);
    ApplyEdits(chain.back(), base, entries);
  }
  return entries;
}

void TreeBlock::WriteChild(const Entry& entry, const IdOfNumber& id_of,
                           uint8_t* to) const {
  if (links_.IsOutside(entry.child)) {
    std::memcpy(to, links_.OutsideId(entry.child).data(), id_width_);
  } else {
    const ObjectId id = id_of(LinkDecoder::Object(entry.child));
    std::memcpy(to, id.bytes().data(), id_width_);
  }
}

void TreeBlock::Rebuild(uint32_t index, ByteView base, const IdOfNumber& id_of,
                        Bytes& out) const {
  const uint64_t size = layout_.sizes[index];
  out.resize(size);
  uint8_t* to = out.data();
  if (trees_[index].verbatim) {
    Write(to, literals(index).data(), size);
    return;
  }
  uint64_t from = 0;
  for (const Edit& edit : edits(index)) {
    to = Write(to, base.data() + from, edit.offset - from);
    from = edit.offset;
    if (edit.kind != TreeEditKind::kAdd) from += EntrySize(edit.entry);
    if (edit.kind == TreeEditKind::kRemove) continue;
    const std::string_view mode = kTreeModes[edit.entry.mode];
    const std::string_view name = names_[edit.entry.name];
    to = Write(to, mode.data(), mode.size());
    *to++ = ' ';
    to = Write(to, name.data(), name.size());
    *to++ = 0;
    WriteChild(edit.entry, id_of, to);
    to += id_width_;
  }
  to = Write(to, base.data() + from, base.size() - from);
  ZPACK_CHECK(to == out.data() + size);
}

void TreeBlock::ReadDelta(uint32_t index, Delta& delta) const {
  delta.copies.clear();
  uint64_t from = 0;      // in the base
  uint64_t literals = 0;  // since the last copy
  const auto copy_to = [&](uint64_t end) {
    if (end > from) {
      delta.copies.push_back({static_cast<uint32_t>(literals),
                              static_cast<uint32_t>(end - from),
                              static_cast<uint32_t>(from)});
      literals = 0;
    }
    from = end;
  };
  for (const Edit& edit : edits(index)) {
    const uint64_t size = EntrySize(edit.entry);
    switch (edit.kind) {
      case TreeEditKind::kChange:
        copy_to(edit.offset + size - id_width_);
        from += id_width_;
        literals += id_width_;
        break;
      case TreeEditKind::kRemove:
        copy_to(edit.offset);
        from += size;
        break;
      case TreeEditKind::kAdd:
        copy_to(edit.offset);
        literals += size;
        break;
    }
  }
  copy_to(layout_.sizes[layout_.bases[index]]);
}

void TreeBlock::Patch(uint32_t index, const IdOfNumber& id_of,
                      Bytes& content) const {
  for (const Edit& edit : edits(index)) {
    WriteChild(edit.entry, id_of,
               &content[edit.offset + EntrySize(edit.entry) - id_width_]);
  }
}

uint64_t TreeBlock::memory() const {
  return literals_.size() + name_texts_.size() + outside_ids_.size() +
         names_.size() * sizeof(std::string_view) +
         edits_.size() * sizeof(Edit) +
         count() * (sizeof(Tree) + sizeof(uint64_t) + sizeof(uint32_t));
}

}  // namespace zpack::format
