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
  return NewError(ErrorCode::kCorrupt,
                  "object {} hashes to {} in block {} at offset {} of '{}'",
                  expected, actual, run.first,
                  AtOffset{file.block_offset(run.first)}, AtPath{file.path()});
}

Status StreamSegments(const FileBlocks& file, const BlockRun& run,
                      const DecodedBlock& first_block, BlockDecoder& decoder,
                      const std::function<Status(ByteView)>& sink) {
  const ObjectInfo info{first_block.objects.header.type,
                        first_block.objects.sizes.front()};
  uint64_t position = first_block.contents().size();
  ZPACK_TRY(sink(first_block.contents()));
  for (size_t block = run.first + 1; block < run.last; ++block) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock part,
                           decoder.Decode(file, block));
    if (part.objects.header.kind != format::BlockKind::kSegment ||
        part.objects.header.segment_offset != position ||
        ObjectInfo{part.objects.header.type, part.objects.sizes.front()} !=
            info) {
      return MakeError(ErrorCode::kCorrupt,
                       "segment does not continue its object in block {} at "
                       "offset {} of '{}'",
                       block, AtOffset{file.block_offset(block)},
                       AtPath{file.path()});
    }
    position += part.contents().size();
    ZPACK_TRY(sink(part.contents()));
  }
  if (position != info.size) {
    return MakeError(ErrorCode::kCorrupt,
                     "segments hold {} of {} bytes of an object in block {} at "
                     "offset {} of '{}'",
                     position, info.size, run.first,
                     AtOffset{file.block_offset(run.first)},
                     AtPath{file.path()});
  }
  return {};
}

Result<Bytes> ReadSegments(const FileBlocks& file, const BlockRun& run,
                           const DecodedBlock& first_block,
                           BlockDecoder& decoder) {
  const uint64_t size = first_block.objects.sizes.front();
  const uint64_t limit =
      std::min(file.options().max_object_size, file.options().max_block_size);
  if (size > limit) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "{} of {} bytes is above the limit of {} in block {} at "
                     "offset {} of '{}'",
                     ObjectTypeName(first_block.objects.header.type), size,
                     limit, run.first, AtOffset{file.block_offset(run.first)},
                     AtPath{file.path()});
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
