// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_run.h"

#include <algorithm>

#include "base/error.h"

namespace zpack {

BlockRun RunAt(const FileBlocks& file, size_t first) {
  size_t last = first + 1;
  while (last < file.block_count() && file.continues_previous(last)) {
    ++last;
  }
  return {first, last};
}

bool IsSegmented(const BlockRun& run, const DecodedBlock& first_block) {
  return run.size() > 1 ||
         first_block.objects.header.kind == format::BlockKind::kSegment;
}

Error HashMismatch(const FileBlocks& file, const BlockRun& run,
                   const ObjectId& expected, const ObjectId& actual) {
  return file.InBlock(
      NewError(ErrorCode::kCorrupt, "object {} hashes to {}", expected, actual),
      run.first);
}

Result<Visit> StreamSegments(const FileBlocks& file, const BlockRun& run,
                             const DecodedBlock& first_block,
                             BlockDecoder& decoder,
                             const Visitor<ByteView>& sink) {
  const ObjectInfo info{first_block.objects.header.type,
                        first_block.objects.sizes.front()};
  uint64_t position = first_block.contents().size();
  ZPACK_VISIT(sink(first_block.contents()), Visit::kStop);
  for (size_t block = run.first + 1; block < run.last; ++block) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock part,
                           DecodeSegment(file, block, info, position, decoder));
    position += part.contents().size();
    ZPACK_VISIT(sink(part.contents()), Visit::kStop);
  }
  if (position != info.size) {
    return std::unexpected(
        file.InBlock(NewError(ErrorCode::kCorrupt,
                              "segments hold {} of {} bytes of an object",
                              position, info.size),
                     run.first));
  }
  return Visit::kContinue;
}

Result<DecodedBlock> DecodeSegment(const FileBlocks& file, size_t block,
                                   const ObjectInfo& info, uint64_t position,
                                   BlockDecoder& decoder) {
  ZPACK_ASSIGN_OR_RETURN(DecodedBlock part, decoder.Decode(file, block));
  const format::BlockHeader& header = part.objects.header;
  if (header.kind == format::BlockKind::kSegment &&
      header.segment_offset == position &&
      ObjectInfo{header.type, part.objects.sizes.front()} == info) {
    return part;
  }
  return std::unexpected(file.InBlock(
      NewError(ErrorCode::kCorrupt, "segment does not continue its object"),
      block));
}

Result<Bytes> ReadSegments(const FileBlocks& file, const BlockRun& run,
                           const DecodedBlock& first_block,
                           BlockDecoder& decoder) {
  const uint64_t size = first_block.objects.sizes.front();
  const uint64_t limit =
      std::min(file.options().max_object_size, file.options().max_block_size);
  if (size > limit) {
    return std::unexpected(file.InBlock(
        NewError(ErrorCode::kLimitExceeded,
                 "{} of {} bytes is above the limit of {}",
                 ObjectTypeName(first_block.objects.header.type), size, limit),
        run.first));
  }
  Bytes content;
  // The first piece reserves memory for the whole object, at most `limit`.
  const auto append = [&](ByteView piece) -> Status {
    if (content.capacity() == 0) content.reserve(size);
    Append(content, piece);
    return {};
  };
  ZPACK_TRY(StreamSegments(file, run, first_block, decoder, append));
  return content;
}

}  // namespace zpack
