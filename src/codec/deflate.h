// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zlib streams for the packs that are written. Thread-compatible.

#pragma once

#include <functional>
#include <memory>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// Whole buffers, through libdeflate.
class Deflater {
 public:
  // `level` is 1 (fastest) to 12.
  explicit Deflater(int level);
  ~Deflater();
  Deflater(Deflater&&) noexcept;
  Deflater& operator=(Deflater&&) noexcept;

  // Appends one zlib stream with `raw` to `out`.
  void Deflate(ByteView raw, Bytes& out);

  // What ZlibLevelHint says of its streams.
  unsigned level_hint() const { return level_hint_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  unsigned level_hint_ = 0;
};

// How much work went into a zlib stream, as its header says: 0, for the fastest
// way, to 3. 0 for what is too short to be one.
unsigned ZlibLevelHint(ByteView stream);

// Content that arrives in pieces, through zlib.
class StreamDeflater {
 public:
  // What ZlibLevelHint says of its streams.
  static constexpr unsigned kLevelHint = 2;
  // Compressed bytes go to `sink` as they come.
  using Sink = std::function<Status(ByteView)>;

  explicit StreamDeflater(Sink sink);
  ~StreamDeflater();

  Status Append(ByteView piece);
  // Ends the stream. Append must not be called again.
  Status Finish();

 private:
  struct State;
  Status Run(ByteView piece, int flush);
  std::unique_ptr<State> state_;
};

// CRC-32 as zlib and Git's pack index know it; start with 0.
uint32_t Crc32(uint32_t crc, ByteView bytes);

}  // namespace zpack
