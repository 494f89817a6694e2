// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zlib streams for the packs that restore writes. Thread-compatible.

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

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Content that arrives in pieces, through zlib.
class StreamDeflater {
 public:
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
