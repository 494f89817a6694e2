// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The ways to compress the entries of a history with zstd, each with contexts
// that are used again. Thread-compatible.

#pragma once

#include <zstd.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "bench/codecs/chain_forms.h"

namespace zpack::bench {

enum class Method : uint8_t {
  kNone,      // not compressed
  kDiscrete,  // each entry by itself
  kTrained,   // each entry with one dictionary that was trained on all
  kStream,    // one stream for each history, flushed after each entry
  kPrefix,    // each entry with the entry before as the dictionary
};
inline constexpr std::array kMethods = {
    std::pair{Method::kNone, "no codec"},
    std::pair{Method::kDiscrete, "discrete"},
    std::pair{Method::kTrained, "trained dictionary"},
    std::pair{Method::kStream, "one stream"},
    std::pair{Method::kPrefix, "dictionary chain"}};

class ChainCodec {
 public:
  // Trains a dictionary if `method` needs one.
  ChainCodec(Method method, int level, const std::vector<History>& entries);
  ~ChainCodec();
  ChainCodec(const ChainCodec&) = delete;
  ChainCodec& operator=(const ChainCodec&) = delete;

  // Both return false if zstd fails.
  bool Compress(const History& entries, History& stored);
  // REQUIRES: the buffers in `entries` have their sizes.
  bool Decompress(const History& stored, History& entries);

  size_t dictionary_size() const { return dictionary_.size(); }

 private:
  void Train(const std::vector<History>& entries);
  size_t CompressOne(const History& entries, size_t i, Bytes& out);
  bool DecompressOne(const Bytes& stored, History& entries, size_t i);

  Method method_;
  int level_;
  Bytes dictionary_;
  ZSTD_CCtx* compressor_;
  ZSTD_DCtx* decompressor_;
  ZSTD_CDict* compressing_ = nullptr;
  ZSTD_DDict* decompressing_ = nullptr;
};

}  // namespace zpack::bench
