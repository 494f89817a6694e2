// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The seam between the writer and an older file, whose blocks become the first
// ones of the new file. Its objects keep their numbers. Implementations may be
// used from several threads at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/block.h"
#include "object/object_id_table.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "writer/object_numbers.h"
#include "zpack/result.h"

namespace zpack {

// A block of the older file as it is written to the new one.
struct ReusedBlock {
  // The same bytes as in the older file, or the same objects with other
  // numbers for ids that are not in the file.
  enum class How : uint8_t { kCopied, kRenumbered };

  How how = How::kCopied;
  format::BlockHeader header;
  uint64_t raw_size = 0;  // bytes of object content
  EncodedBlock encoded;
};

class ReusableBlocks {
 public:
  virtual ~ReusableBlocks() = default;

  // The objects in all blocks, and the number of each rank.
  virtual const FileIds& ids() const = 0;
  virtual ObjectNumber number(FileRank rank) const = 0;

  virtual size_t block_count() const = 0;
  // Features that a reader of the blocks must know.
  virtual const std::vector<std::string>& features() const = 0;

  // Tells the blocks from those of another file.
  virtual ByteView fingerprint() const = 0;

  // Reads block `block` for a file whose objects are those of `numbers`.
  // `encoder` is used where it cannot be copied. Errors name the older file.
  virtual Result<ReusedBlock> Read(size_t block, const FileNumbers& numbers,
                                   BlockEncoder& encoder) const = 0;
};

}  // namespace zpack
