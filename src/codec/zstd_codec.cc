// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/zstd_codec.h"

// ZSTD_getCParams and ZSTD_estimateCStreamSize_usingCParams are not in the
// stable interface.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/guarded.h"

namespace zpack {
namespace {

// From this level on, zstd uses the block splitter, which corrupted data before
// zstd 1.5.5 (facebook/zstd pull request 3517).
constexpr int kFirstSplitterLevel = 13;
constexpr unsigned kSplitterFixedVersion = 10505;
// The name of the splitter's parameter depends on the version of the header
// (ZSTD_c_useBlockSplitter up to 1.5.6). This number and value do not.
constexpr ZSTD_cParameter kUseBlockSplitter = ZSTD_c_experimentalParam13;
constexpr int kEnable = 1;
constexpr int kDisable = 2;

// For inputs of up to 128 KiB, zstd 1.5.4 chooses how it finds matches, and so
// the bytes, by the instructions of the processor. From this size on, it uses
// the row match finder if it has SSE2 or NEON.
constexpr size_t kLeastForRows = (size_t{16} << 10) + 1;

constexpr size_t kZstdBlock = size_t{128} << 10;  // a block of zstd

// Larger inputs are compressed in pieces, so that an interruption does not take
// too long. Pieces can change the compressed bytes. Therefore the limit depends
// only on the level.
size_t MaxAtOnce(int level) {
  if (level <= 3) return std::numeric_limits<size_t>::max();
  return level <= 12 ? size_t{2} << 20 : kZstdBlock;
}

// 128 MiB, the largest block.
constexpr int kWindowLog = 27;

// The parameters of zstd for `size` bytes, with the tables halved in size.
ZSTD_compressionParameters Parameters(int level, uint64_t size,
                                      unsigned halvings) {
  ZSTD_compressionParameters parameters = ZSTD_getCParams(level, size, 0);
  // Small tables hardly matter, and zstd refuses tables that are too small.
  constexpr unsigned kMinLog = 17;
  parameters.hashLog = std::max(std::min(parameters.hashLog, kMinLog),
                                parameters.hashLog - halvings);
  parameters.chainLog = std::max(std::min(parameters.chainLog, kMinLog),
                                 parameters.chainLog - halvings);
  return parameters;
}

// The window of a frame in pieces with `max_size` bytes of content.
int PieceWindowLog(uint64_t max_size) {
  constexpr int kLeast = 17;
  return std::clamp(static_cast<int>(std::bit_width(max_size)), kLeast,
                    kMaxPieceWindowLog);
}

// The magic number of all frames except skippable frames (RFC 8878).
constexpr std::array<uint8_t, 4> kMagic = {0x28, 0xb5, 0x2f, 0xfd};

// `result` is the result of a zstd function.
void ThrowIfOutOfMemory(size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
    throw std::bad_alloc();
  }
}

}  // namespace

struct ZstdCompressor::State {
  ZSTD_CCtx* context = Allocated(ZSTD_createCCtx());
  int level;
  std::stop_token stop;

  State(int used_level, std::stop_token used_stop)
      : level(used_level), stop(std::move(used_stop)) {}
  ~State() { ZSTD_freeCCtx(context); }

  // Begins a frame.
  void Start(ByteView raw) const {
    ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
    Set(ZSTD_c_useRowMatchFinder,
        raw.size() < kLeastForRows ? kDisable : kEnable);
  }

  // Both functions return the result of zstd: the size of the frame, or an
  // error.
  size_t CompressAtOnce(ByteView raw, std::span<uint8_t> out) const {
    return ZSTD_compress2(context, out.data(), out.size(), raw.data(),
                          raw.size());
  }
  // Compresses `raw` step by step, the last step with `last`.
  Result<size_t> CompressInSteps(ByteView raw, std::span<uint8_t> out,
                                 ZSTD_EndDirective last) const {
    ZSTD_outBuffer output = {out.data(), out.size(), 0};
    ZSTD_inBuffer input = {raw.data(), 0, 0};
    while (true) {
      ZPACK_TRY(CheckStop(stop));
      input.size = std::min(raw.size(), input.pos + kZstdBlock);
      const auto directive = input.size == raw.size() ? last : ZSTD_e_continue;
      const size_t left =
          ZSTD_compressStream2(context, &output, &input, directive);
      if (ZSTD_isError(left) != 0) return left;
      if (directive == last && left == 0) return output.pos;
    }
  }

  // Appends what `compress` writes for `raw` to `out`.
  template <typename Compress>
  Result<size_t> AppendTo(Bytes& out, ByteView raw, Compress compress) const {
    const size_t start = out.size();
    out.resize(start + ZSTD_compressBound(raw.size()));
    ZPACK_ASSIGN_OR_RETURN(const size_t size,
                           compress(std::span(out).subspan(start)));
    ThrowIfOutOfMemory(size);
    if (ZSTD_isError(size) != 0) {
      return MakeError(ErrorCode::kInternal, "zstd cannot compress: {}",
                       ZSTD_getErrorName(size));
    }
    out.resize(start + size);
    return size;
  }

  void Set(ZSTD_cParameter parameter, int value) const {
    ZPACK_CHECK(
        ZSTD_isError(ZSTD_CCtx_setParameter(context, parameter, value)) == 0);
  }
};

ZstdCompressor::ZstdCompressor(int level, std::stop_token stop,
                               unsigned halvings)
    : state_(std::make_unique<State>(level, std::move(stop))) {
  ZPACK_CHECK(level >= kMinLevel && level <= kMaxLevel);
  state_->Set(ZSTD_c_compressionLevel, level);
  // The chunk of the block has its own checksum.
  state_->Set(ZSTD_c_checksumFlag, 0);
  // A window that covers the whole block; zstd reduces it to the size of the
  // input. The default window of a level is smaller than a block. With blocks
  // of 8 MiB, the large window reduces the blobs of libgit2 from 41.9 to 36.3
  // MB, in less time.
  state_->Set(ZSTD_c_windowLog, kWindowLog);
  if (halvings != 0) {
    const ZSTD_compressionParameters smaller =
        Parameters(level, ZSTD_CONTENTSIZE_UNKNOWN, halvings);
    state_->Set(ZSTD_c_hashLog, static_cast<int>(smaller.hashLog));
    state_->Set(ZSTD_c_chainLog, static_cast<int>(smaller.chainLog));
  }
  if (level >= kFirstSplitterLevel &&
      ZSTD_versionNumber() < kSplitterFixedVersion) {
    state_->Set(kUseBlockSplitter, kDisable);
  }
}

uint64_t ZstdCompressor::Memory(int level, uint64_t size, unsigned halvings) {
  return ZSTD_estimateCStreamSize_usingCParams(
      Parameters(level, size, halvings));
}

ZstdCompressor::~ZstdCompressor() = default;
ZstdCompressor::ZstdCompressor(ZstdCompressor&&) noexcept = default;
ZstdCompressor& ZstdCompressor::operator=(ZstdCompressor&&) noexcept = default;

Result<size_t> ZstdCompressor::Compress(ByteView raw, Bytes& out) {
  state_->Start(raw);
  return state_->AppendTo(
      out, raw, [&](std::span<uint8_t> space) -> Result<size_t> {
        if (raw.size() <= MaxAtOnce(state_->level)) {
          return state_->CompressAtOnce(raw, space);
        }
        ZSTD_CCtx_setPledgedSrcSize(state_->context, raw.size());
        return state_->CompressInSteps(raw, space, ZSTD_e_end);
      });
}

void ZstdCompressor::BeginPieces(uint64_t max_size) {
  ZSTD_CCtx_reset(state_->context, ZSTD_reset_session_only);
  state_->Set(ZSTD_c_useRowMatchFinder, kEnable);
  state_->Set(ZSTD_c_windowLog, PieceWindowLog(max_size));
  state_->Set(ZSTD_c_enableLongDistanceMatching, kEnable);
}

Result<size_t> ZstdCompressor::CompressPiece(ByteView raw, Bytes& out) {
  return state_->AppendTo(out, raw, [&](std::span<uint8_t> space) {
    return state_->CompressInSteps(raw, space, ZSTD_e_flush);
  });
}

uint64_t ZstdCompressor::PieceMemory(int level, uint64_t max_size,
                                     unsigned halvings) {
  ZSTD_compressionParameters parameters =
      Parameters(level, ZSTD_CONTENTSIZE_UNKNOWN, halvings);
  parameters.windowLog = static_cast<unsigned>(PieceWindowLog(max_size));
  // zstd does not count the table of long distances: 8 bytes for 2^7 bytes.
  return ZSTD_estimateCStreamSize_usingCParams(parameters) +
         (uint64_t{8} << (parameters.windowLog - 7));
}

struct ZstdDecompressor::State {
  ZSTD_DCtx* context = Allocated(ZSTD_createDCtx());
  ~State() { ZSTD_freeDCtx(context); }

  // Fills `out` with what the frame has next.
  Status Fill(ZSTD_inBuffer& input, std::span<uint8_t> out) const {
    ZSTD_outBuffer output = {out.data(), out.size(), 0};
    while (output.pos < output.size) {
      const size_t in_before = input.pos;
      const size_t out_before = output.pos;
      ZPACK_TRY(Step(output, input));
      if (input.pos == in_before && output.pos == out_before) {
        return MakeError(ErrorCode::kCorrupt,
                         "a piece of a zstd frame has too little content");
      }
    }
    return {};
  }
  // Takes the rest of a piece, which must not have more content.
  Status EndPiece(ZSTD_inBuffer& input) const {
    uint8_t more = 0;
    ZSTD_outBuffer output = {&more, 1, 0};
    for (size_t before = input.size + 1; input.pos != before;) {
      before = input.pos;
      ZPACK_TRY(Step(output, input));
      if (output.pos != 0) {
        return MakeError(ErrorCode::kCorrupt,
                         "a piece of a zstd frame has too much content");
      }
    }
    if (input.pos == input.size) return {};
    return MakeError(ErrorCode::kCorrupt,
                     "a piece of a zstd frame is too long");
  }

 private:
  Status Step(ZSTD_outBuffer& output, ZSTD_inBuffer& input) const {
    const size_t left = ZSTD_decompressStream(context, &output, &input);
    ThrowIfOutOfMemory(left);
    if (ZSTD_isError(left) != 0) {
      return MakeError(ErrorCode::kCorrupt, "bad piece of a zstd frame: {}",
                       ZSTD_getErrorName(left));
    }
    if (left == 0) {
      return MakeError(ErrorCode::kCorrupt, "a zstd frame of a group ends");
    }
    return {};
  }
};

ZstdDecompressor::ZstdDecompressor() : state_(std::make_unique<State>()) {}
ZstdDecompressor::~ZstdDecompressor() = default;
ZstdDecompressor::ZstdDecompressor(ZstdDecompressor&&) noexcept = default;
ZstdDecompressor& ZstdDecompressor::operator=(ZstdDecompressor&&) noexcept =
    default;

Status ZstdDecompressor::Decompress(ByteView frame, std::span<uint8_t> out) {
  // zstd itself would accept several frames, and skippable frames.
  if (!std::ranges::equal(frame.first(std::min(frame.size(), kMagic.size())),
                          kMagic) ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) !=
          frame.size()) {
    return MakeError(ErrorCode::kCorrupt, "not one zstd frame");
  }
  const size_t size = ZSTD_decompressDCtx(
      state_->context, out.data(), out.size(), frame.data(), frame.size());
  ThrowIfOutOfMemory(size);
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

void ZstdDecompressor::BeginPieces() {
  ZSTD_DCtx_reset(state_->context, ZSTD_reset_session_and_parameters);
  ZSTD_DCtx_setParameter(state_->context, ZSTD_d_windowLogMax,
                         kMaxPieceWindowLog);
}

Status ZstdDecompressor::DecompressPiece(ByteView piece,
                                         std::span<uint8_t> out) {
  ZSTD_inBuffer input = {piece.data(), piece.size(), 0};
  ZPACK_TRY(state_->Fill(input, out));
  return state_->EndPiece(input);
}

Status ZstdDecompressor::SkipPiece(ByteView piece, uint64_t raw_size) {
  ZSTD_inBuffer input = {piece.data(), piece.size(), 0};
  Bytes unused(std::min<uint64_t>(raw_size, kZstdBlock));
  while (raw_size != 0) {
    const auto part =
        std::span(unused).first(std::min<uint64_t>(raw_size, unused.size()));
    ZPACK_TRY(state_->Fill(input, part));
    raw_size -= part.size();
  }
  return state_->EndPiece(input);
}

std::string_view ZstdVersion() { return ZSTD_versionString(); }

}  // namespace zpack
