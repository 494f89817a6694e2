// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zstd frames in memory. A compressor or decompressor is made once per thread
// and reused: setting up a context costs more than compressing a small block.
// Thread-compatible.

#pragma once

#include <memory>
#include <stop_token>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

class ZstdCompressor {
 public:
  static constexpr int kMinLevel = 1;
  static constexpr int kMaxLevel = 22;

  // REQUIRES: kMinLevel <= level <= kMaxLevel.
  // Its tables are halved in size `halvings` times, for less memory.
  explicit ZstdCompressor(int level, std::stop_token stop = {},
                          unsigned halvings = 0);
  ~ZstdCompressor();
  ZstdCompressor(ZstdCompressor&&) noexcept;
  ZstdCompressor& operator=(ZstdCompressor&&) noexcept;

  // Bytes of memory that a compressor like this takes for `size` bytes.
  static uint64_t Memory(int level, uint64_t size, unsigned halvings);

  // Appends one frame with `raw` to `out` and returns its size. kInternal when
  // zstd fails, which only lack of memory should make it do; kInterrupted soon
  // after a stop was requested, if there is much to do.
  Result<size_t> Compress(ByteView raw, Bytes& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class ZstdDecompressor {
 public:
  ZstdDecompressor();
  ~ZstdDecompressor();
  ZstdDecompressor(ZstdDecompressor&&) noexcept;
  ZstdDecompressor& operator=(ZstdDecompressor&&) noexcept;

  // Fills `out` from one frame. kCorrupt unless the frame holds exactly
  // out.size() bytes. Allocates nothing that the frame asks for.
  Status Decompress(ByteView frame, std::span<uint8_t> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Version of the zstd library in use, e.g. "1.5.4". Frames are the same bytes
// only for the same version.
std::string_view ZstdVersion();

}  // namespace zpack
