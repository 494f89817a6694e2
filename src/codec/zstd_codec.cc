// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/zstd_codec.h"

// For the block splitter's parameter, which is not in the stable interface.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/check.h"
#include "base/error.h"

namespace zpack {
namespace {

// Levels from here on use the block splitter, which corrupted data before
// zstd 1.5.5 (facebook/zstd pull request 3517).
constexpr int kFirstSplitterLevel = 13;
constexpr unsigned kSplitterFixedVersion = 10505;

// 128 MiB, the largest block.
constexpr int kWindowLog = 27;

// Starts every frame that is no skippable one (RFC 8878).
constexpr std::array<uint8_t, 4> kMagic = {0x28, 0xb5, 0x2f, 0xfd};

}  // namespace

struct ZstdCompressor::State {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  State() {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~State() { ZSTD_freeCCtx(context); }

  void Set(ZSTD_cParameter parameter, int value) const {
    ZPACK_CHECK(
        ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) == 0);
  }
};

ZstdCompressor::ZstdCompressor(int level) : state_(std::make_unique<State>()) {
  ZPACK_CHECK(level >= kMinLevel && level <= kMaxLevel);
  state_->Set(ZSTD_c_compressionLevel, level);
  // The block's chunk has a checksum of its own.
  state_->Set(ZSTD_c_checksumFlag, 0);
  // Let every match in a block be found; zstd shrinks this to the input. The
  // level's own window is smaller than a block: with blocks of 8 MiB this
  // takes the blobs of libgit2 from 41.9 to 36.3 MB, and less time.
  state_->Set(ZSTD_c_windowLog, kWindowLog);
  if (level >= kFirstSplitterLevel &&
      ZSTD_versionNumber() < kSplitterFixedVersion) {
    state_->Set(ZSTD_c_useBlockSplitter, ZSTD_ps_disable);
  }
}

ZstdCompressor::~ZstdCompressor() = default;
ZstdCompressor::ZstdCompressor(ZstdCompressor&&) noexcept = default;
ZstdCompressor& ZstdCompressor::operator=(ZstdCompressor&&) noexcept = default;

Result<size_t> ZstdCompressor::Compress(ByteView raw, Bytes& out) {
  const size_t start = out.size();
  out.resize(start + ZSTD_compressBound(raw.size()));
  const size_t size = ZSTD_compress2(
      state_->context, &out[start], out.size() - start, raw.data(), raw.size());
  if (ZSTD_isError(size) != 0) {
    return MakeError(ErrorCode::kInternal, "zstd cannot compress: {}",
                     ZSTD_getErrorName(size));
  }
  out.resize(start + size);
  return size;
}

struct ZstdDecompressor::State {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  State() {
    if (context == nullptr) throw std::bad_alloc();
  }
  ~State() { ZSTD_freeDCtx(context); }
};

ZstdDecompressor::ZstdDecompressor() : state_(std::make_unique<State>()) {}
ZstdDecompressor::~ZstdDecompressor() = default;
ZstdDecompressor::ZstdDecompressor(ZstdDecompressor&&) noexcept = default;
ZstdDecompressor& ZstdDecompressor::operator=(ZstdDecompressor&&) noexcept =
    default;

Status ZstdDecompressor::Decompress(ByteView frame, std::span<uint8_t> out) {
  // zstd itself would take several frames, and skippable ones among them.
  if (!std::ranges::equal(frame.first(std::min(frame.size(), kMagic.size())),
                          kMagic) ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) !=
          frame.size()) {
    return MakeError(ErrorCode::kCorrupt, "not one zstd frame");
  }
  const size_t size = ZSTD_decompressDCtx(
      state_->context, out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) {
    return MakeError(ErrorCode::kCorrupt, "bad zstd frame: {}",
                     ZSTD_getErrorName(size));
  }
  if (size != out.size()) {
    return MakeError(ErrorCode::kCorrupt,
                     "zstd frame holds {} bytes instead of {}", size,
                     out.size());
  }
  return {};
}

std::string_view ZstdVersion() { return ZSTD_versionString(); }

}  // namespace zpack
