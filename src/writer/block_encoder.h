// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compresses the streams of a block and builds the chunk of the block.
// Thread-compatible: one encoder per worker.

#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <utility>
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

class BlockEncoder {
 public:
  explicit BlockEncoder(int level) : compressor_(level) {}
  BlockEncoder(const EncodingOptions& options, const std::stop_token& stop)
      : compressor_(options.level, stop, options.halvings) {
    if (options.groups) {
      group_.emplace(ZstdCompressor(options.level, stop, options.halvings));
    }
  }

  // Begins a stretch with `raw_size` bytes of objects: the next block does not
  // continue another one.
  void BeginStretch(uint64_t raw_size);

  // Appends the chunk of a block with `header` and `streams` to `out`.
  Status Encode(const format::BlockHeader& header,
                std::span<const format::RawStream> streams, Bytes& out);

  // Appends the chunk of `block` to `out`. Streams in `changed` replace the
  // streams of the same kind; the other streams are copied as they are stored.
  Status EncodeChanged(const format::BlockView& block,
                       std::span<const format::RawStream> changed, Bytes& out);

  // Bytes of memory that the streams of the last block take when decoded.
  uint64_t decoded_size() const { return decoded_size_; }

 private:
  // Begin starts a block; Finish appends its chunk to `out`.
  void Begin();
  void Finish(const format::BlockHeader& header, Bytes& out);
  // Appends `raw` to `stored_`: as the next piece of the group if it may be
  // continued and compresses, otherwise by itself, compressed if that makes the
  // stream smaller.
  Status Store(const format::RawStream& raw, bool may_continue);
  // Appends `raw` to `stored_` as the next piece of the group.
  Status StoreContinued(const format::RawStream& raw);

  // The group that the next block may continue.
  struct Group {
    explicit Group(ZstdCompressor of_pieces)
        : compressor(std::move(of_pieces)) {}

    ZstdCompressor compressor;
    uint64_t expected = 0;     // bytes of objects left in the stretch
    bool open = false;         // the last block had a continued stream
    format::GroupPlace place;  // of the next block, if the group is open
  };

  ZstdCompressor compressor_;
  std::optional<Group> group_;      // if groups are written
  format::GroupPlace block_place_;  // of the block that is being encoded
  Compressibility compressibility_;
  std::vector<format::StreamHeader> headers_;
  Bytes stored_;
  Bytes payload_;
  uint64_t decoded_size_ = 0;
};

}  // namespace zpack
