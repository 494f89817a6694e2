// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compresses the streams of a block and builds the chunk of the block.
// Thread-compatible: one encoder per worker.

#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "base/bytes.h"
#include "codec/compressibility.h"
#include "codec/zstd_codec.h"
#include "format/block.h"
#include "format/block_streams.h"
#include "format/expansion.h"
#include "writer/encoding_options.h"
#include "zpack/result.h"

namespace zpack {

// A block without its continued stream.
struct PartialBlock {
  format::BlockHeader header;
  std::vector<format::StreamHeader> streams;
  Bytes stored;          // the other streams
  size_t continued = 0;  // position in `streams`
  size_t place = 0;      // of the continued stream in `stored`
};

class BlockEncoder {
 public:
  explicit BlockEncoder(int level) : BlockEncoder(AtLevel(level), {}) {}
  BlockEncoder(const EncodingOptions& options, const std::stop_token& stop)
      : options_(options), stop_(stop), compressor_(NewCompressor()) {}

  const EncodingOptions& options() const { return options_; }
  // A compressor like the one of this encoder.
  ZstdCompressor NewCompressor() const {
    return ZstdCompressor(options_.level, stop_, options_.halvings);
  }
  // As Compressibility::IsIncompressible.
  Result<bool> IsIncompressible(ByteView content) {
    return compressibility_.IsIncompressible(content);
  }

  // Appends the chunk of a block with `header` and `streams` to `out`.
  Status Encode(const format::BlockHeader& header,
                std::span<const format::RawStream> streams, Bytes& out);

  // Compresses the streams of a block, but not `continued`, which is one of
  // them. CompleteBlock does the rest.
  Result<PartialBlock> EncodeWithout(
      format::StreamKind continued, const format::BlockHeader& header,
      std::span<const format::RawStream> streams);

  // Appends the chunk of `block` to `out`. Streams in `changed` replace the
  // streams of the same kind; the other streams are copied as they are stored.
  Status EncodeChanged(const format::BlockView& block,
                       std::span<const format::RawStream> changed, Bytes& out);

  // Bytes of memory that the streams of the last block take when decoded.
  uint64_t decoded_size() const { return decoded_size_; }

 private:
  static EncodingOptions AtLevel(int level) {
    EncodingOptions options;
    options.level = level;
    return options;
  }

  // Begin starts a block; Finish appends its chunk to `out`.
  void Begin();
  void Finish(const format::BlockHeader& header, Bytes& out);
  // Appends `raw` to `stored_`, compressed if that makes the stream smaller.
  Status Store(const format::RawStream& raw);

  EncodingOptions options_;
  std::stop_token stop_;
  ZstdCompressor compressor_;
  Compressibility compressibility_;
  std::vector<format::StreamHeader> headers_;
  Bytes stored_;
  uint64_t decoded_size_ = 0;
};

// Appends the chunk of `block` to `out`, with `piece`, its continued stream
// compressed. Returns the bytes of memory that its streams take when decoded.
uint64_t CompleteBlock(PartialBlock block, ByteView piece, Bytes& out);

}  // namespace zpack
