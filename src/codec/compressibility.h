// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Recognises content that is already compressed (images, archives) by a few
// samples, so that no time is spent on compressing it. Thread-compatible.

#pragma once

#include "base/bytes.h"
#include "codec/zstd_codec.h"
#include "zpack/result.h"

namespace zpack {

class Compressibility {
 public:
  Compressibility() : fast_(ZstdCompressor::kMinLevel) {}

  // True if compression makes samples of `content` less than 3 % smaller.
  // Always false below kMinSize bytes, because compressing such content costs
  // almost nothing.
  Result<bool> IsIncompressible(ByteView content);

  // A fast compressor, for content that is hardly worth compressing.
  ZstdCompressor& fast_compressor() { return fast_; }

  static constexpr size_t kMinSize = 512;

 private:
  ZstdCompressor fast_;
  Bytes samples_;
  Bytes compressed_;
};

}  // namespace zpack
