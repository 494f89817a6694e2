// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zstd frames in memory. Each thread makes a compressor or decompressor once
// and reuses it, because setting up a context costs more than compressing a
// small block. Thread-compatible.

#pragma once

#include <memory>
#include <stop_token>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// The largest window of a frame in pieces: a decompressor allocates so much.
inline constexpr int kMaxPieceWindowLog = 26;

class ZstdCompressor {
 public:
  static constexpr int kMinLevel = 1;
  static constexpr int kMaxLevel = 22;

  // REQUIRES: kMinLevel <= level <= kMaxLevel. To save memory, the hash and
  // chain tables are halved in size `halvings` times, but not below 2^17
  // entries.
  explicit ZstdCompressor(int level, std::stop_token stop = {},
                          unsigned halvings = 0);
  ~ZstdCompressor();
  ZstdCompressor(ZstdCompressor&&) noexcept;
  ZstdCompressor& operator=(ZstdCompressor&&) noexcept;

  // Bytes of memory that such a compressor takes for an input of `size` bytes.
  static uint64_t Memory(int level, uint64_t size, unsigned halvings);

  // Appends one frame with the content `raw` to `out` and returns the size of
  // the frame. kInternal if zstd fails, which should not happen; lack of memory
  // throws std::bad_alloc. Above level 3, inputs above a size that depends on
  // the level are compressed in pieces; during these, a stop request ends the
  // call with kInterrupted.
  Result<size_t> Compress(ByteView raw, Bytes& out);

  // Begins a frame that is written in pieces and never ends, with a window of
  // at least `max_size` bytes, at most 2^kMaxPieceWindowLog. Matches are found
  // at any distance in the window. The compressor then serves pieces only.
  void BeginPieces(uint64_t max_size);
  // Appends the next piece, from which a decompressor that knows the pieces
  // before it gets all of `raw`. Errors are those of Compress; after one, the
  // frame cannot be continued. REQUIRES: BeginPieces was called.
  Result<size_t> CompressPiece(ByteView raw, Bytes& out);

  // Like Memory, for frames in pieces with `max_size` bytes of content.
  static uint64_t PieceMemory(int level, uint64_t max_size, unsigned halvings);

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

  // Fills `out` from one frame. kCorrupt unless `frame` is exactly one valid
  // frame with out.size() bytes of content. Never allocates a size that the
  // frame specifies.
  Status Decompress(ByteView frame, std::span<uint8_t> out);

  // Begins a frame in pieces (ZstdCompressor::CompressPiece).
  void BeginPieces();
  // Fills `out` from the next piece. kCorrupt unless the piece has exactly
  // out.size() bytes of content, the frame goes on after it, and its window has
  // at most 2^kMaxPieceWindowLog bytes. After an error, the frame cannot be
  // continued. REQUIRES: BeginPieces was called, and Decompress never.
  Status DecompressPiece(ByteView piece, std::span<uint8_t> out);
  // The same without the content, which has `raw_size` bytes.
  Status SkipPiece(ByteView piece, uint64_t raw_size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Version of the zstd library in use, e.g. "1.5.4". Different versions may
// produce different frames for the same content.
std::string_view ZstdVersion();

}  // namespace zpack
