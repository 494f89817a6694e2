// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/block_renumberer.h"

#include <array>

#include "base/error.h"

namespace zpack {

using format::LinkDecoder;
using format::StreamKind;

namespace {

constexpr std::array kTreeLinks = {StreamKind::kChildren,
                                   StreamKind::kChildDifferences,
                                   StreamKind::kOutsideIds};

}  // namespace

LinkNumber BlockRenumberer::Renumber(LinkNumber link, const LinkDecoder& old,
                                     format::BlockStreams& changed) {
  if (!old.IsOutside(link)) return link;
  return links_.Encode(known_.Number(ObjectId(old.OutsideId(link))),
                       changed[StreamKind::kOutsideIds]);
}

format::BlockStreams BlockRenumberer::Trees(const format::TreeBlock& block) {
  format::BlockStreams changed(kTreeLinks);
  format::ChildEncoder children;
  for (uint32_t index = 0; index < block.count(); ++index) {
    if (block.BeginsLineage(index)) children.BeginLineage();
    for (const format::TreeBlock::Edit& edit : block.edits(index)) {
      if (edit.kind == format::TreeEditKind::kRemove) continue;
      children.Add(edit.entry.name,
                   Renumber(edit.entry.child, block.links(), changed), changed);
    }
  }
  return changed;
}

Result<format::BlockStreams> BlockRenumberer::Commits(
    const format::BlockStreams& streams, ObjectNumber first, uint32_t count) {
  format::BlockStreams changed(format::kCommitLinks);
  format::CommitColumns columns(streams, {first, old_count_, known_.format()});
  ZPACK_TRY(columns.Check(count));
  format::CommitColumnEncoder encoder;
  format::CommitRow row;
  for (uint32_t index = 0; index < count; ++index) {
    ZPACK_TRY(columns.Next(row));
    if (row.verbatim) continue;
    row.tree = Renumber(row.tree, columns.links(), changed);
    for (LinkNumber& parent : row.parents) {
      parent = Renumber(parent, columns.links(), changed);
    }
    encoder.AddLinks(first + index, row, changed);
  }
  return changed;
}

}  // namespace zpack
