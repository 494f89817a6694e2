// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/error.h"
#include "reader/block_decoder.h"
#include "salvage/fatal_error.h"
#include "salvage/salvaged_blocks.h"

namespace zpack {
namespace {

// Calls `visit` with each number that a block of trees or commits refers to.
Status VisitLinks(const FileBlocks& file, size_t row, BlockDecoder& decoder,
                  const std::function<void(LinkNumber)>& visit) {
  ZPACK_ASSIGN_OR_RETURN(const format::BlockView view, decoder.Load(file, row));
  if (view.header.kind == format::BlockKind::kTrees) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block, decoder.Decode(file, row));
    const format::TreeBlock& trees = *block.trees();
    for (uint32_t index = 0; index < trees.count(); ++index) {
      for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
        if (edit.kind != format::TreeEditKind::kRemove) visit(edit.entry.child);
      }
    }
    return {};
  }
  const format::BlockHeader header = view.header;
  ZPACK_ASSIGN_OR_RETURN(const format::BlockStreams streams,
                         decoder.DecodeCommitColumns(file, row));
  format::CommitColumns columns(
      streams,
      {header.first_object, file.object_count(), file.object_format()});
  ZPACK_TRY(columns.Check(header.object_count));
  format::CommitRow commit;
  for (uint32_t i = 0; i < header.object_count; ++i) {
    ZPACK_TRY(columns.Next(commit));
    if (commit.verbatim) continue;
    visit(commit.tree);
    for (const LinkNumber parent : commit.parents) visit(parent);
  }
  return {};
}

// The object count that the numbers of a block with `outside` outside ids tell:
// these ids have the highest numbers, and all of them occur.
Result<std::optional<uint32_t>> CountFrom(const FileBlocks& file, size_t row,
                                          uint64_t outside,
                                          BlockDecoder& decoder) {
  uint32_t highest = 0;
  ZPACK_TRY(VisitLinks(file, row, decoder, [&](LinkNumber link) {
    highest = std::max(highest, link.value());
  }));
  if (highest < outside - 1) return std::nullopt;
  const auto count = static_cast<uint32_t>(highest - (outside - 1));
  std::vector<bool> occurs(outside);
  ZPACK_TRY(VisitLinks(file, row, decoder, [&](LinkNumber link) {
    if (link.value() >= count) occurs[link.value() - count] = true;
  }));
  if (std::ranges::find(occurs, false) != occurs.end()) return std::nullopt;
  return count;
}

}  // namespace

Result<uint32_t> InferObjectCount(const SalvagedBlocks& blocks,
                                  const ReadOptions& options,
                                  ObjectFormat format, const RunOptions& run) {
  constexpr uint32_t kUnknown = UINT32_MAX;
  const size_t width = ObjectIdWidth(format);
  uint64_t most = 0;
  for (size_t row = 0; row < blocks.row_count(); ++row) {
    if (blocks.IsBlock(row)) {
      most = std::max(most, blocks.block(row).outside_ids / width);
    }
  }
  if (most == 0 || most >= kUnknown) return kUnknown;
  // High enough for no number to be out of range.
  const auto file =
      blocks.Open(options, format, kUnknown - static_cast<uint32_t>(most),
                  [](ObjectNumber) { return ObjectId(); });
  BlockDecoder decoder;
  std::optional<uint32_t> count;
  for (size_t row = 0; row < blocks.row_count(); ++row) {
    ZPACK_TRY(CheckStop(run.stop));
    if (!blocks.IsBlock(row) || blocks.block(row).outside_ids == 0) continue;
    const uint64_t outside = blocks.block(row).outside_ids / width;
    const auto here = CountFrom(*file, row, outside, decoder);
    if (!here) {
      if (IsFatal(here.error())) return std::unexpected(here.error());
      continue;
    }
    if (!*here || **here < blocks.number_count() || (count && count != *here)) {
      return kUnknown;
    }
    count = *here;
  }
  return count.value_or(kUnknown);
}

}  // namespace zpack
