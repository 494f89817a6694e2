// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells already compressed content (images, archives) from the rest by a few
// samples, so that nobody spends time on it. Thread-compatible.

#pragma once

#include "base/bytes.h"
#include "codec/zstd_codec.h"
#include "zpack/result.h"

namespace zpack {

class Compressibility {
 public:
  Compressibility() : fast_(ZstdCompressor::kMinLevel) {}

  // True when samples of `content` do not get smaller. Never for less than
  // kMinSize bytes: those cost nothing anyway.
  Result<bool> IsIncompressible(ByteView content);

  // For content that is hardly worth compressing.
  ZstdCompressor& fast_compressor() { return fast_; }

  static constexpr size_t kMinSize = 512;

 private:
  ZstdCompressor fast_;
  Bytes samples_;
  Bytes compressed_;
};

}  // namespace zpack
