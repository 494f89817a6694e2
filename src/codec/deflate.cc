// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/deflate.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"

namespace zpack {

struct Deflater::State {
  explicit State(int level)
      : compressor(Allocated(libdeflate_alloc_compressor(level))) {}
  ~State() { libdeflate_free_compressor(compressor); }
  libdeflate_compressor* compressor;
};

Deflater::Deflater(int level) : state_(std::make_unique<State>(level)) {
  Bytes nothing;
  Deflate({}, nothing);
  level_hint_ = ZlibLevelHint(nothing);
}
Deflater::~Deflater() = default;
Deflater::Deflater(Deflater&&) noexcept = default;
Deflater& Deflater::operator=(Deflater&&) noexcept = default;

void Deflater::Deflate(ByteView raw, Bytes& out) {
  const size_t start = out.size();
  const size_t bound =
      libdeflate_zlib_compress_bound(state_->compressor, raw.size());
  out.resize(start + bound);
  const size_t size = libdeflate_zlib_compress(state_->compressor, raw.data(),
                                               raw.size(), &out[start], bound);
  ZPACK_CHECK(size != 0);
  out.resize(start + size);
}

unsigned ZlibLevelHint(ByteView stream) {
  return stream.size() < 2 ? 0 : stream[1] >> 6;
}

struct StreamDeflater::State {
  z_stream stream{};
  Sink sink;
  Bytes buffer = Bytes(size_t{64} << 10);
  ~State() { deflateEnd(&stream); }
};

StreamDeflater::StreamDeflater(Sink sink) : state_(std::make_unique<State>()) {
  state_->sink = std::move(sink);
  const int code = deflateInit(&state_->stream, Z_DEFAULT_COMPRESSION);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  ZPACK_CHECK(code == Z_OK);
}
StreamDeflater::~StreamDeflater() = default;

Status StreamDeflater::Append(ByteView piece) {
  constexpr size_t kMaxPiece = std::numeric_limits<uInt>::max();
  while (!piece.empty()) {
    const size_t size = std::min(piece.size(), kMaxPiece);
    if (Status status = Run(piece.first(size), Z_NO_FLUSH); !status) {
      return status;
    }
    piece = piece.subspan(size);
  }
  return {};
}

Status StreamDeflater::Finish() { return Run({}, Z_FINISH); }

Status StreamDeflater::Run(ByteView piece, int flush) {
  z_stream& stream = state_->stream;
  stream.next_in = const_cast<Bytef*>(piece.data());
  stream.avail_in = static_cast<uInt>(piece.size());
  int result = Z_OK;
  do {
    stream.next_out = state_->buffer.data();
    stream.avail_out = static_cast<uInt>(state_->buffer.size());
    result = deflate(&stream, flush);
    ZPACK_CHECK(result != Z_STREAM_ERROR);
    const size_t produced = state_->buffer.size() - stream.avail_out;
    if (produced != 0) {
      Status status = state_->sink(ByteView(state_->buffer).first(produced));
      if (!status) return status;
    }
  } while (stream.avail_out == 0);
  ZPACK_CHECK(flush != Z_FINISH || result == Z_STREAM_END);
  return {};
}

uint32_t Crc32(uint32_t crc, ByteView bytes) {
  return libdeflate_crc32(crc, bytes.data(), bytes.size());
}

}  // namespace zpack
