// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/chain_codec.h"

#include <zdict.h>

#include <algorithm>
#include <bit>

namespace zpack::bench {
namespace {

// zstd's own choice for its command line.
constexpr size_t kDictionarySize = 112'640;
// Training on more takes long and finds little.
constexpr size_t kMaxSamples = 100 * kDictionarySize;

// The window must reach back over the whole text before. A decoder refuses more
// than 27 unless it is told to take it.
int WindowLog(size_t bytes) {
  return std::clamp(static_cast<int>(std::bit_width(bytes)), 10, 27);
}

}  // namespace

ChainCodec::ChainCodec(Method method, int level,
                       const std::vector<History>& entries)
    : method_(method),
      level_(level),
      compressor_(ZSTD_createCCtx()),
      decompressor_(ZSTD_createDCtx()) {
  ZSTD_CCtx_setParameter(compressor_, ZSTD_c_compressionLevel, level);
  if (method == Method::kTrained) Train(entries);
}

ChainCodec::~ChainCodec() {
  ZSTD_freeCCtx(compressor_);
  ZSTD_freeDCtx(decompressor_);
  ZSTD_freeCDict(compressing_);
  ZSTD_freeDDict(decompressing_);
}

void ChainCodec::Train(const std::vector<History>& entries) {
  size_t total = 0;
  for (const History& history : entries) {
    for (const Bytes& entry : history) total += entry.size();
  }
  const size_t step = std::max<size_t>(1, total / kMaxSamples);
  Bytes samples;
  std::vector<size_t> sizes;
  size_t at = 0;
  for (const History& history : entries) {
    for (const Bytes& entry : history) {
      if (at++ % step != 0 || entry.empty()) continue;
      Append(samples, entry);
      sizes.push_back(entry.size());
    }
  }
  dictionary_.resize(std::min(kDictionarySize, samples.size() / 10));
  const size_t size = ZDICT_trainFromBuffer(
      dictionary_.data(), dictionary_.size(), samples.data(), sizes.data(),
      static_cast<unsigned>(sizes.size()));
  // Too few samples: without a dictionary.
  dictionary_.resize(ZDICT_isError(size) ? 0 : size);
  compressing_ =
      ZSTD_createCDict(dictionary_.data(), dictionary_.size(), level_);
  decompressing_ = ZSTD_createDDict(dictionary_.data(), dictionary_.size());
}

// The size, or an error of zstd.
size_t ChainCodec::CompressOne(const History& entries, size_t i, Bytes& out) {
  const Bytes& raw = entries[i];
  if (method_ == Method::kTrained) {
    return ZSTD_compress_usingCDict(compressor_, out.data(), out.size(),
                                    raw.data(), raw.size(), compressing_);
  }
  if (method_ == Method::kStream) {
    ZSTD_inBuffer in{raw.data(), raw.size(), 0};
    ZSTD_outBuffer buffer{out.data(), out.size(), 0};
    const auto end = i + 1 == entries.size() ? ZSTD_e_end : ZSTD_e_flush;
    const size_t left = ZSTD_compressStream2(compressor_, &buffer, &in, end);
    return left == 0 ? buffer.pos : static_cast<size_t>(-1);
  }
  if (method_ == Method::kPrefix && i > 0) {
    const Bytes& before = entries[i - 1];
    ZSTD_CCtx_setParameter(compressor_, ZSTD_c_windowLog,
                           WindowLog(before.size() + raw.size()));
    ZSTD_CCtx_refPrefix(compressor_, before.data(), before.size());
  }
  return ZSTD_compress2(compressor_, out.data(), out.size(), raw.data(),
                        raw.size());
}

bool ChainCodec::Compress(const History& entries, History& stored) {
  stored.resize(entries.size());
  if (method_ == Method::kNone) {
    std::ranges::copy(entries, stored.begin());
    return true;
  }
  ZSTD_CCtx_reset(compressor_, ZSTD_reset_session_only);
  Bytes room;
  for (size_t i = 0; i < entries.size(); ++i) {
    // A stream may hold back bytes of the block before.
    room.resize(ZSTD_compressBound(entries[i].size()) + ZSTD_CStreamOutSize());
    const size_t size = CompressOne(entries, i, room);
    if (ZSTD_isError(size)) return false;
    stored[i].assign(room.begin(), room.begin() + static_cast<ptrdiff_t>(size));
  }
  return true;
}

bool ChainCodec::DecompressOne(const Bytes& stored, History& entries,
                               size_t i) {
  Bytes& raw = entries[i];
  if (method_ == Method::kTrained) {
    return ZSTD_decompress_usingDDict(decompressor_, raw.data(), raw.size(),
                                      stored.data(), stored.size(),
                                      decompressing_) == raw.size();
  }
  if (method_ == Method::kStream) {
    ZSTD_inBuffer in{stored.data(), stored.size(), 0};
    ZSTD_outBuffer buffer{raw.data(), raw.size(), 0};
    while (in.pos < in.size) {
      const size_t read = in.pos;
      const size_t written = buffer.pos;
      const size_t result = ZSTD_decompressStream(decompressor_, &buffer, &in);
      if (ZSTD_isError(result)) return false;
      if (in.pos == read && buffer.pos == written) return false;
    }
    // The decoder may still hold bytes that did not fit before.
    while (buffer.pos < buffer.size) {
      const size_t written = buffer.pos;
      if (ZSTD_isError(ZSTD_decompressStream(decompressor_, &buffer, &in)) ||
          buffer.pos == written) {
        return false;
      }
    }
    return true;
  }
  if (method_ == Method::kPrefix && i > 0) {
    ZSTD_DCtx_refPrefix(decompressor_, entries[i - 1].data(),
                        entries[i - 1].size());
  }
  return ZSTD_decompressDCtx(decompressor_, raw.data(), raw.size(),
                             stored.data(), stored.size()) == raw.size();
}

bool ChainCodec::Decompress(const History& stored, History& entries) {
  if (method_ == Method::kNone) {
    std::ranges::copy(stored, entries.begin());
    return true;
  }
  ZSTD_DCtx_reset(decompressor_, ZSTD_reset_session_only);
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!DecompressOne(stored[i], entries, i)) return false;
  }
  return true;
}

}  // namespace zpack::bench
