// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the undamaged parts of a file, whatever lies between them.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/file.h"
#include "format/block.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/trailer.h"
#include "zpack/options.h"
#include "zpack/result.h"
#include "zpack/salvage.h"

namespace zpack {

// An undamaged block.
struct FoundBlock {
  uint64_t offset = 0;  // of the chunk
  uint64_t size = 0;    // of the chunk
  format::BlockHeader header;
  uint64_t outside_ids = 0;  // bytes of the stream kOutsideIds
  // Lies within one of `damaged_blocks`: a block of a .zpack file that is the
  // content of an object.
  bool in_damaged_block = false;
};

struct FoundParts {
  std::vector<FoundBlock> blocks;  // ascending by offset
  // Undamaged chunks of other kinds, by id; of each id, ascending by offset.
  std::map<uint32_t, std::vector<format::ChunkLocation>> chunks;
  // Chunks of file contents whose checksum is wrong.
  std::vector<format::ChunkLocation> damaged_data;
  std::optional<format::FileHeader> header;
  bool header_in_place = false;  // at the start of the file
  std::optional<format::Trailer> trailer;
  std::vector<DamagedRange> damaged;  // ascending
  // Blocks that are damaged or cut off, as far as their place is known.
  std::vector<DamagedRange> damaged_blocks;  // ascending
};

// Scans `file`. Parts that lie inside of undamaged ones are not looked for. The
// bytes that are hashed in vain are limited to a multiple of the size of the
// file; where the limit is reached, the rest of the file counts as damaged.
//
// Errors: kIo; kInterrupted; kUnsupported if an undamaged header at the start
// of the file has a newer version or an unknown feature.
Result<FoundParts> ScanFile(const RandomAccessFile& file,
                            const ReadOptions& options, const RunOptions& run);

}  // namespace zpack
