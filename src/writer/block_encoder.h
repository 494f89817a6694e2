// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns the objects of a planned block into a chunk of the file.
// Thread-compatible: one encoder per worker.

#pragma once

#include <vector>

#include "base/bytes.h"
#include "codec/zstd_codec.h"
#include "format/block.h"

namespace zpack {

class BlockEncoder {
 public:
  explicit BlockEncoder(int level) : compressor_(level) {}

  // Appends the chunk for `header` to `out`. `sizes` are those of the whole
  // objects, `contents` their bytes (in a segment, the segment's bytes).
  Status Encode(const format::BlockHeader& header,
                const std::vector<uint64_t>& sizes, ByteView contents,
                Bytes& out);

 private:
  // Appends `raw` to `stored_`, compressed if that makes it smaller.
  Result<format::StreamHeader> Store(format::StreamKind kind, ByteView raw);

  ZstdCompressor compressor_;
  Bytes sizes_;
  Bytes stored_;
  Bytes payload_;
};

}  // namespace zpack
