// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface between the writer and an older archive, whose blocks become
// the first blocks of the new archive. Objects of the older archive keep their
// numbers. Implementations must allow calls from several threads at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/block.h"
#include "format/link_numbers.h"
#include "object/object_id_table.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "zpack/result.h"

namespace zpack {

// A block of the older archive, as the new archive stores it.
struct ReusedBlock {
  // kCopied: the bytes of the older archive. kRenumbered: the same objects,
  // with new numbers for ids that are not in the archive.
  enum class How : uint8_t { kCopied, kRenumbered };

  How how = How::kCopied;
  format::BlockHeader header;
  uint64_t raw_size = 0;  // bytes of object content
  EncodedBlock encoded;
};

class ReusableBlocks {
 public:
  virtual ~ReusableBlocks() = default;

  // The objects of all blocks, and the object number of a rank in ids().
  virtual const FileIds& ids() const = 0;
  virtual ObjectNumber number(FileRank rank) const = 0;

  virtual size_t block_count() const = 0;
  // Features that a reader of the blocks must support.
  virtual const std::vector<std::string>& features() const = 0;

  // Identifies the archive that the blocks come from.
  virtual ByteView fingerprint() const = 0;

  // Reads block `block` for an archive with the objects of `numbers`. A block
  // that cannot be copied is encoded with `encoder`. Errors name the older
  // archive.
  virtual Result<ReusedBlock> Read(size_t block,
                                   const format::FileNumbers& numbers,
                                   BlockEncoder& encoder) const = 0;
};

}  // namespace zpack
