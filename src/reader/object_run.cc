// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_run.h"

#include "base/error.h"

namespace zpack {

BlockRun RunAt(const PackFile& pack, size_t first) {
  size_t last = first + 1;
  while (last < pack.blocks().block_count() && pack.continues_previous(last)) {
    ++last;
  }
  return {first, last};
}

bool IsSegmented(const BlockRun& run, const DecodedBlock& first_block) {
  return run.size() > 1 ||
         first_block.objects.header.kind == format::BlockKind::kSegment;
}

Status StreamSegments(const PackFile& pack, const BlockRun& run,
                      const DecodedBlock& first_block, BlockDecoder& decoder,
                      const std::function<Status(ByteView)>& sink) {
  const ObjectInfo info{first_block.objects.header.type,
                        first_block.objects.sizes.front()};
  uint64_t position = first_block.contents.size();
  ZPACK_TRY(sink(first_block.contents));
  for (size_t block = run.first + 1; block < run.last; ++block) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock part,
                           decoder.Decode(pack, block));
    if (part.objects.header.kind != format::BlockKind::kSegment ||
        part.objects.header.segment_offset != position ||
        ObjectInfo{part.objects.header.type, part.objects.sizes.front()} !=
            info) {
      return MakeError(ErrorCode::kCorrupt,
                       "segment does not continue its object in block {} at "
                       "offset {} of '{}'",
                       block, pack.block_offset(block), pack.path());
    }
    position += part.contents.size();
    ZPACK_TRY(sink(part.contents));
  }
  if (position != info.size) {
    return MakeError(ErrorCode::kCorrupt,
                     "segments hold {} of {} bytes of an object in block {} at "
                     "offset {} of '{}'",
                     position, info.size, run.first,
                     pack.block_offset(run.first), pack.path());
  }
  return {};
}

}  // namespace zpack
