// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/block_renumberer.h"

#include "base/error.h"
#include "writer/link_columns.h"

namespace zpack {

using format::StreamKind;

LinkNumber BlockRenumberer::Renumber(LinkNumber link, ByteView old_outside_ids,
                                     Bytes& outside_ids) {
  if (link.value() < old_count_) return link;
  const size_t width = ObjectIdWidth(known_.format());
  const ObjectId id(
      old_outside_ids.subspan((link.value() - old_count_) * width, width));
  return numbers_.Number(known_.Number(id), outside_ids);
}

BlockStreams BlockRenumberer::Trees(const TreeBlock& block) {
  BlockStreams streams = {StreamKind::kChildren, StreamKind::kChildDifferences,
                          StreamKind::kOutsideIds};
  format::TreeChildren lineage;
  for (uint32_t index = 0; index < block.count(); ++index) {
    if (block.BeginsLineage(index)) lineage.Clear();
    for (const TreeBlock::Edit& edit : block.edits(index)) {
      if (edit.kind == format::TreeEditKind::kRemove) continue;
      const LinkNumber child = Renumber(edit.entry.child, block.outside_ids(),
                                        streams[StreamKind::kOutsideIds]);
      AddChild(edit.entry.name, child, lineage, streams);
    }
  }
  return streams;
}

Result<BlockStreams> BlockRenumberer::Commits(const CommitLinkStreams& streams,
                                              ObjectNumber first,
                                              uint32_t count) {
  BlockStreams changed = {StreamKind::kOutsideIds, StreamKind::kRootTrees,
                          StreamKind::kParents};
  CommitColumns columns(streams, {first, old_count_, known_.format()});
  ZPACK_TRY(columns.Check(count));
  CommitLinkColumns links;
  CommitColumns::Row row;
  Bytes& outside_ids = changed[StreamKind::kOutsideIds];
  for (uint32_t index = 0; index < count; ++index) {
    ZPACK_TRY(columns.Next(row));
    if (row.verbatim) continue;
    const LinkNumber tree =
        Renumber(row.tree, streams.outside_ids, outside_ids);
    for (LinkNumber& parent : row.parents) {
      parent = Renumber(parent, streams.outside_ids, outside_ids);
    }
    links.Add(first + index, tree, row.parents, changed);
  }
  return changed;
}

}  // namespace zpack
