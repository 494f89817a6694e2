// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Payload of a block: its structure and its compressed streams.

#include "codec/zstd_codec.h"
#include "format/block.h"
#include "fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMaxRawSize = 1 << 20;
  const auto block = zpack::format::DecodeBlock({data, size}, kMaxRawSize);
  if (!block) return 0;
  static zpack::ZstdDecompressor decompressor;
  for (const auto& stream : block->streams) {
    if (stream.header.codec != zpack::format::StreamCodec::kZstd) continue;
    zpack::Bytes raw(stream.header.raw_size);
    (void)decompressor.Decompress(stream.stored, raw);
  }
  return 0;
}
