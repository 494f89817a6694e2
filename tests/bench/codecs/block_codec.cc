// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/block_codec.h"

#include <bzlib.h>
#include <lz4.h>
#include <lzo/lzo1x.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/error.h"

namespace zpack::bench {
namespace {

// The first bytes that the formats have themselves, and those that are added.
constexpr uint8_t kZlibMagic = 0x78;
constexpr uint8_t kGzipMagic = 0x1f;
constexpr uint8_t kZstdMagic = 0x28;
constexpr uint8_t kBzip2Magic = 'B';
constexpr uint8_t kNoneTag = 0;
constexpr uint8_t kLz4Tag = 'L';
constexpr uint8_t kLzoTag = 'O';

struct CodecName {
  std::string_view name;
  CodecKind kind;
  int min_level;  // 0 for both if there are no levels
  int max_level;
};
constexpr std::array kCodecNames = {
    CodecName{"none", CodecKind::kNone, 0, 0},
    CodecName{"zlib", CodecKind::kZlib, 1, 9},
    CodecName{"gzip", CodecKind::kGzip, 1, 9},
    CodecName{"zstd", CodecKind::kZstd, 1, 22},
    CodecName{"lz4", CodecKind::kLz4, 0, 0},
    CodecName{"lzo", CodecKind::kLzo, 0, 0},
    CodecName{"bzip2", CodecKind::kBzip2, 1, 9},
};

std::unexpected<Error> Failed(std::string_view codec) {
  return MakeError(ErrorCode::kInternal, "{} cannot compress a buffer", codec);
}
std::unexpected<Error> Damaged(std::string_view codec) {
  return MakeError(ErrorCode::kCorrupt,
                   "data of {} does not decompress to the expected size",
                   codec);
}

// zlib takes no pointers to const.
Bytef* ForZlib(const uint8_t* bytes) { return const_cast<Bytef*>(bytes); }

// Makes room for `most` bytes, lets `compress` fill it, and keeps what it
// returns. Nothing from `compress` is a failure.
template <typename Compress>
Status AppendUpTo(size_t most, std::string_view codec, Bytes& out,
                  const Compress& compress) {
  const size_t at = out.size();
  out.resize(at + most);
  const std::optional<size_t> size =
      compress(std::span<uint8_t>(out).subspan(at));
  out.resize(at + size.value_or(0));
  if (!size) return Failed(codec);
  return {};
}

}  // namespace

Result<CodecSpec> ParseCodec(std::string_view name) {
  const size_t colon = name.find(':');
  for (const CodecName& codec : kCodecNames) {
    if (name.substr(0, colon) != codec.name) continue;
    CodecSpec spec{codec.kind, 0};
    if (codec.max_level == 0) {
      if (colon == std::string_view::npos) return spec;
      break;
    }
    if (colon == std::string_view::npos) break;
    const std::string_view digits = name.substr(colon + 1);
    const auto [end, error] = std::from_chars(
        digits.data(), digits.data() + digits.size(), spec.level);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        spec.level < codec.min_level || spec.level > codec.max_level) {
      break;
    }
    return spec;
  }
  return MakeError(ErrorCode::kInvalidArgument, "unknown codec or level: '{}'",
                   name);
}

struct BlockCompressor::Contexts {
  CodecSpec spec;
  std::optional<z_stream> zlib;
  ZSTD_CCtx* zstd = nullptr;
  // Aligned as both libraries need it.
  std::vector<uint64_t> lz4;
  std::vector<uint64_t> lzo;

  explicit Contexts(CodecSpec used) : spec(used) {
    switch (spec.kind) {
      case CodecKind::kZstd:
        zstd = ZSTD_createCCtx();
        break;
      case CodecKind::kLz4:
        lz4.resize((static_cast<size_t>(LZ4_sizeofState()) + 7) / 8);
        break;
      case CodecKind::kLzo:
        lzo.resize((LZO1X_1_MEM_COMPRESS + 7) / 8);
        break;
      default:
        break;
    }
  }
  ~Contexts() {
    if (zlib) deflateEnd(&*zlib);
    ZSTD_freeCCtx(zstd);
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  Status Deflate(ByteView raw, Bytes& out) {
    if (!zlib) {
      zlib.emplace();
      const int bits =
          spec.kind == CodecKind::kGzip ? MAX_WBITS + 16 : MAX_WBITS;
      if (deflateInit2(&*zlib, spec.level, Z_DEFLATED, bits, 8,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
        zlib.reset();
        return Failed("zlib");
      }
    } else if (deflateReset(&*zlib) != Z_OK) {
      return Failed("zlib");
    }
    const size_t most = deflateBound(&*zlib, raw.size());
    return AppendUpTo(most, "zlib", out,
                      [&](std::span<uint8_t> room) -> std::optional<size_t> {
                        zlib->next_in = ForZlib(raw.data());
                        zlib->avail_in = static_cast<uInt>(raw.size());
                        zlib->next_out = room.data();
                        zlib->avail_out = static_cast<uInt>(room.size());
                        if (deflate(&*zlib, Z_FINISH) != Z_STREAM_END)
                          return std::nullopt;
                        return zlib->total_out;
                      });
  }

  Status Zstd(ByteView raw, Bytes& out) const {
    return AppendUpTo(ZSTD_compressBound(raw.size()), "zstd", out,
                      [&](std::span<uint8_t> room) -> std::optional<size_t> {
                        const size_t size = ZSTD_compressCCtx(
                            zstd, room.data(), room.size(), raw.data(),
                            raw.size(), spec.level);
                        if (ZSTD_isError(size)) return std::nullopt;
                        return size;
                      });
  }

  Status Bzip2(ByteView raw, Bytes& out) const {
    return AppendUpTo(
        raw.size() + raw.size() / 100 + 601, "bzip2", out,
        [&](std::span<uint8_t> room) -> std::optional<size_t> {
          auto size = static_cast<unsigned>(room.size());
          const int result = BZ2_bzBuffToBuffCompress(
              reinterpret_cast<char*>(room.data()), &size,
              reinterpret_cast<char*>(const_cast<uint8_t*>(raw.data())),
              static_cast<unsigned>(raw.size()), spec.level, 0, 0);
          if (result != BZ_OK) return std::nullopt;
          return size;
        });
  }

  Status Lz4(ByteView raw, Bytes& out) {
    out.push_back(kLz4Tag);
    const auto size = static_cast<int>(raw.size());
    const auto most = static_cast<size_t>(LZ4_compressBound(size));
    return AppendUpTo(most, "lz4", out,
                      [&](std::span<uint8_t> room) -> std::optional<size_t> {
                        const int written = LZ4_compress_fast_extState(
                            lz4.data(),
                            reinterpret_cast<const char*>(raw.data()),
                            reinterpret_cast<char*>(room.data()), size,
                            static_cast<int>(room.size()), 1);
                        if (written <= 0) return std::nullopt;
                        return static_cast<size_t>(written);
                      });
  }

  Status Lzo(ByteView raw, Bytes& out) {
    out.push_back(kLzoTag);
    return AppendUpTo(
        raw.size() + raw.size() / 16 + 64 + 3, "lzo", out,
        [&](std::span<uint8_t> room) -> std::optional<size_t> {
          lzo_uint size = room.size();
          if (lzo1x_1_compress(raw.data(), raw.size(), room.data(), &size,
                               lzo.data()) != LZO_E_OK) {
            return std::nullopt;
          }
          return size;
        });
  }
};

BlockCompressor::BlockCompressor(CodecSpec spec)
    : contexts_(std::make_unique<Contexts>(spec)) {}
BlockCompressor::~BlockCompressor() = default;
BlockCompressor::BlockCompressor(BlockCompressor&&) noexcept = default;

Status BlockCompressor::Compress(ByteView raw, Bytes& out) {
  if (raw.empty()) return {};
  if (raw.size() > LZ4_MAX_INPUT_SIZE) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "a buffer of {} bytes is too large for all codecs",
                     raw.size());
  }
  switch (contexts_->spec.kind) {
    case CodecKind::kNone:
      out.push_back(kNoneTag);
      Append(out, raw);
      return {};
    case CodecKind::kZlib:
    case CodecKind::kGzip:
      return contexts_->Deflate(raw, out);
    case CodecKind::kZstd:
      return contexts_->Zstd(raw, out);
    case CodecKind::kLz4:
      return contexts_->Lz4(raw, out);
    case CodecKind::kLzo:
      return contexts_->Lzo(raw, out);
    case CodecKind::kBzip2:
      return contexts_->Bzip2(raw, out);
  }
  return Failed("an unknown codec");
}

struct BlockDecompressor::Contexts {
  std::optional<z_stream> zlib;
  ZSTD_DCtx* zstd = nullptr;

  Contexts() = default;
  ~Contexts() {
    if (zlib) inflateEnd(&*zlib);
    ZSTD_freeDCtx(zstd);
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  Status Inflate(ByteView stored, std::span<uint8_t> out) {
    if (!zlib) {
      zlib.emplace();
      // zlib and gzip, by their headers.
      if (inflateInit2(&*zlib, MAX_WBITS + 32) != Z_OK) {
        zlib.reset();
        return Damaged("zlib");
      }
    } else if (inflateReset(&*zlib) != Z_OK) {
      return Damaged("zlib");
    }
    zlib->next_in = ForZlib(stored.data());
    zlib->avail_in = static_cast<uInt>(stored.size());
    zlib->next_out = out.data();
    zlib->avail_out = static_cast<uInt>(out.size());
    if (inflate(&*zlib, Z_FINISH) != Z_STREAM_END || zlib->avail_out != 0 ||
        zlib->avail_in != 0) {
      return Damaged("zlib");
    }
    return {};
  }

  Status Zstd(ByteView stored, std::span<uint8_t> out) {
    if (zstd == nullptr) zstd = ZSTD_createDCtx();
    const size_t size = ZSTD_decompressDCtx(zstd, out.data(), out.size(),
                                            stored.data(), stored.size());
    if (ZSTD_isError(size) || size != out.size()) return Damaged("zstd");
    return {};
  }
};

BlockDecompressor::BlockDecompressor()
    : contexts_(std::make_unique<Contexts>()) {}
BlockDecompressor::~BlockDecompressor() = default;
BlockDecompressor::BlockDecompressor(BlockDecompressor&&) noexcept = default;

Status BlockDecompressor::Decompress(ByteView stored, std::span<uint8_t> out) {
  if (stored.empty() || out.empty()) {
    if (stored.empty() && out.empty()) return {};
    return Damaged("any codec");
  }
  const ByteView rest = stored.subspan(1);
  switch (stored.front()) {
    case kNoneTag:
      if (rest.size() != out.size()) return Damaged("no codec");
      std::ranges::copy(rest, out.begin());
      return {};
    case kZlibMagic:
    case kGzipMagic:
      return contexts_->Inflate(stored, out);
    case kZstdMagic:
      return contexts_->Zstd(stored, out);
    case kLz4Tag:
      if (LZ4_decompress_safe(reinterpret_cast<const char*>(rest.data()),
                              reinterpret_cast<char*>(out.data()),
                              static_cast<int>(rest.size()),
                              static_cast<int>(out.size())) !=
          static_cast<int>(out.size())) {
        return Damaged("lz4");
      }
      return {};
    case kLzoTag: {
      lzo_uint size = out.size();
      if (lzo1x_decompress_safe(rest.data(), rest.size(), out.data(), &size,
                                nullptr) != LZO_E_OK ||
          size != out.size()) {
        return Damaged("lzo");
      }
      return {};
    }
    case kBzip2Magic: {
      auto size = static_cast<unsigned>(out.size());
      if (BZ2_bzBuffToBuffDecompress(
              reinterpret_cast<char*>(out.data()), &size,
              reinterpret_cast<char*>(const_cast<uint8_t*>(stored.data())),
              static_cast<unsigned>(stored.size()), 0, 0) != BZ_OK ||
          size != out.size()) {
        return Damaged("bzip2");
      }
      return {};
    }
    default:
      return Damaged("an unknown codec");
  }
}

}  // namespace zpack::bench
