// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The codecs that tools/bench compares, each over one buffer in memory. The
// first byte of what a codec writes tells which codec it was, so that a
// decompressor reads all of them. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack::bench {

enum class CodecKind : uint8_t {
  kNone,
  kZlib,
  kGzip,
  kZstd,
  kLz4,
  kLzo,
  kBzip2
};

struct CodecSpec {
  CodecKind kind = CodecKind::kNone;
  int level = 0;  // of zlib, gzip, zstd and bzip2
};

// Parses "none", "lz4", "lzo", or "zlib", "gzip", "zstd" and "bzip2" with a
// level, as in "zstd:3". kInvalidArgument for any other text.
Result<CodecSpec> ParseCodec(std::string_view name);

// Compresses with contexts that it keeps. Whoever wants to know what the
// contexts cost makes a new compressor for each buffer.
class BlockCompressor {
 public:
  explicit BlockCompressor(CodecSpec spec);
  ~BlockCompressor();
  BlockCompressor(BlockCompressor&&) noexcept;

  // Appends `raw`, compressed, to `out`. Nothing is appended for no bytes.
  // kInternal if the codec fails.
  Status Compress(ByteView raw, Bytes& out);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

class BlockDecompressor {
 public:
  BlockDecompressor();
  ~BlockDecompressor();
  BlockDecompressor(BlockDecompressor&&) noexcept;

  // Fills `out` from what a BlockCompressor wrote. kCorrupt if `stored` does
  // not have exactly out.size() bytes of content.
  Status Decompress(ByteView stored, std::span<uint8_t> out);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace zpack::bench
