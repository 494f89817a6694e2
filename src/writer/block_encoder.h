// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compresses the streams of a block and makes its chunk. Thread-compatible:
// one encoder per worker.

#pragma once

#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "codec/compressibility.h"
#include "codec/zstd_codec.h"
#include "format/block.h"
#include "format/expansion.h"
#include "writer/encoding_options.h"
#include "zpack/result.h"

namespace zpack {

class BlockEncoder {
 public:
  struct RawStream {
    format::StreamKind kind;
    ByteView bytes;
  };

  explicit BlockEncoder(int level) : compressor_(level) {}
  BlockEncoder(const EncodingOptions& options, std::stop_token stop)
      : compressor_(options.level, std::move(stop), options.halvings) {}

  // Appends the chunk for `header` and `streams` to `out`.
  Status Encode(const format::BlockHeader& header,
                std::span<const RawStream> streams, Bytes& out);

  // Appends the chunk for `block`, with `changed` in place of its streams of
  // these kinds, to `out`.
  Status EncodeChanged(const format::BlockView& block,
                       std::span<const RawStream> changed, Bytes& out);

  // Memory for the streams of the last block once they are decoded.
  uint64_t decoded_size() const { return decoded_size_; }

 private:
  // Begins a chunk, and ends it.
  void Begin();
  void Finish(const format::BlockHeader& header, Bytes& out);
  // Appends `raw` to `stored_`, compressed if that makes it smaller.
  Status Store(const RawStream& raw);

  ZstdCompressor compressor_;
  Compressibility compressibility_;
  std::vector<format::StreamHeader> headers_;
  Bytes stored_;
  Bytes payload_;
  uint64_t decoded_size_ = 0;
};

}  // namespace zpack
