// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/group_reader.h"

#include <utility>

#include "base/error.h"
#include "format/chunk.h"

namespace zpack {

Result<Bytes> GroupReader::Read(const FileBlocks& file, size_t at,
                                const format::BlockView& view) {
  const format::GroupPlace& place = view.header.group;
  if (place.blocks > at - file.first_in_file(at)) {
    return MakeError(ErrorCode::kCorrupt,
                     "the group of the block begins before the first block");
  }
  const size_t first = at - place.blocks;
  if (failure_ && failure_->at.file == file.identity() &&
      failure_->at.first == first && failure_->at.next < at) {
    return std::unexpected(failure_->error);
  }
  if (!position_ || position_->file != file.identity() ||
      position_->first != first || position_->next > at) {
    position_ = Position{.file = file.identity(),
                         .first = first,
                         .next = first,
                         .kind = view.header.kind,
                         .object = file.first_object(first),
                         .place = {}};
    decompressor_.BeginPieces();
  }
  while (position_->next < at) {
    const Position before = *position_;
    if (Status skipped = Skip(file); !skipped) {
      Error error = Extend(std::move(skipped).error(),
                           "; the block continues the one at offset {}",
                           file.block_offset(before.next));
      // Without this, each later block of the group would be tried in vain.
      if (error.code != ErrorCode::kIo) failure_ = {before, error};
      return std::unexpected(std::move(error));
    }
  }
  Bytes raw(view.FindContinued()->header.raw_size);
  ZPACK_TRY(Take(view, [&](ByteView piece) {
    return decompressor_.DecompressPiece(piece, raw);
  }));
  return raw;
}

template <typename Use>
Status GroupReader::Take(const format::BlockView& view, Use use) {
  // Set again when the block was taken.
  Position position = *std::exchange(position_, std::nullopt);
  const format::BlockHeader& header = view.header;
  const format::BlockView::Stream* const stream = view.FindContinued();
  if (stream == nullptr || header.kind != position.kind ||
      header.group != position.place ||
      header.first_object != position.object) {
    return MakeError(ErrorCode::kCorrupt,
                     "a block of the group is missing before it");
  }
  ZPACK_TRY(use(stream->stored));
  ++position.next;
  position.object = position.object + header.object_count;
  ++position.place.blocks;
  position.place.raw_size += static_cast<uint32_t>(stream->header.raw_size);
  position_ = position;
  return {};
}

Status GroupReader::Skip(const FileBlocks& file) {
  const auto load = [&]() -> Result<format::BlockView> {
    ZPACK_ASSIGN_OR_RETURN(const ByteView payload,
                           file.ReadBlockChunk(position_->next, chunk_));
    return format::DecodeBlock(payload, file.options().max_block_size);
  };
  Result<format::BlockView> view = load();
  if (!view) {
    position_.reset();
    return std::unexpected(std::move(view).error());
  }
  return Take(*view, [&](ByteView piece) {
    return decompressor_.SkipPiece(piece,
                                   view->FindContinued()->header.raw_size);
  });
}

}  // namespace zpack
