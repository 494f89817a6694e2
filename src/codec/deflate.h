// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compresses the zlib streams of Git packs and loose objects.
// Thread-compatible.

#pragma once

#include <functional>
#include <memory>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// Compresses whole buffers, with libdeflate.
class Deflater {
 public:
  // `level` is 1 (fastest) to 12.
  explicit Deflater(int level);
  ~Deflater();
  Deflater(Deflater&&) noexcept;
  Deflater& operator=(Deflater&&) noexcept;

  // Appends one zlib stream with the content `raw` to `out`.
  void Deflate(ByteView raw, Bytes& out);

  // ZlibLevelHint of the streams of this deflater.
  unsigned level_hint() const { return level_hint_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  unsigned level_hint_ = 0;
};

// The level hint in the header of a zlib stream: 0 (fastest) to 3 (best).
// Returns 0 if `stream` is too short to have a header.
unsigned ZlibLevelHint(ByteView stream);

// Compresses content that arrives in pieces, with zlib.
class StreamDeflater {
 public:
  // ZlibLevelHint of the streams.
  static constexpr unsigned kLevelHint = 2;
  // Receives the compressed bytes in pieces. An error of the sink ends the call
  // with this error.
  using Sink = std::function<Status(ByteView)>;

  explicit StreamDeflater(Sink sink);
  ~StreamDeflater();

  Status Append(ByteView piece);
  // Ends the stream. REQUIRES: Append and Finish are not called afterwards.
  Status Finish();

 private:
  struct State;
  Status Run(ByteView piece, int flush);
  std::unique_ptr<State> state_;
};

// CRC-32 as in zlib and in Git's pack index. The first call passes `crc` = 0.
uint32_t Crc32(uint32_t crc, ByteView bytes);

}  // namespace zpack
