// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/inflate.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "base/check.h"
#include "base/error.h"
#include "base/guarded.h"

namespace zpack {

struct Inflater::State {
  libdeflate_decompressor* decompressor =
      Allocated(libdeflate_alloc_decompressor());
  ~State() { libdeflate_free_decompressor(decompressor); }
};

Inflater::Inflater() : state_(std::make_unique<State>()) {}
Inflater::~Inflater() = default;

Status Inflater::Inflate(ByteView in, std::span<uint8_t> out) {
  size_t consumed = 0;
  // libdeflate requires a pointer that is not null, even for no bytes.
  uint8_t nowhere = 0;
  const libdeflate_result result = libdeflate_zlib_decompress_ex(
      state_->decompressor, in.data(), in.size(),
      out.empty() ? &nowhere : out.data(), out.size(), &consumed, nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    return MakeError(ErrorCode::kCorrupt, "bad zlib stream");
  }
  return {};
}

struct StreamInflater::State {
  z_stream stream{};
  ~State() { inflateEnd(&stream); }
};

StreamInflater::StreamInflater(Form form) : state_(std::make_unique<State>()) {
  // zlib's way to say that the stream has the frame of gzip.
  constexpr int kGzipFrame = 16;
  const int code =
      inflateInit2(&state_->stream,
                   form == Form::kGzip ? MAX_WBITS + kGzipFrame : MAX_WBITS);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  ZPACK_CHECK(code == Z_OK);
}
StreamInflater::~StreamInflater() = default;

void StreamInflater::Reset() {
  ZPACK_CHECK(inflateReset(&state_->stream) == Z_OK);
}

Result<StreamInflater::Progress> StreamInflater::Run(ByteView in,
                                                     std::span<uint8_t> out) {
  constexpr size_t kMaxPiece = std::numeric_limits<uInt>::max();
  in = in.first(std::min(in.size(), kMaxPiece));
  out = out.first(std::min(out.size(), kMaxPiece));
  // zlib requires a pointer that is not null, even for no bytes.
  uint8_t nowhere = 0;
  z_stream& stream = state_->stream;
  stream.next_in = const_cast<Bytef*>(in.empty() ? &nowhere : in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = out.empty() ? &nowhere : out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = inflate(&stream, Z_NO_FLUSH);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  // Z_BUF_ERROR means that no progress was possible, because the input or the
  // output is used up.
  if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
    return MakeError(ErrorCode::kCorrupt, "bad zlib stream: {}",
                     stream.msg != nullptr ? stream.msg : "unknown reason");
  }
  return Progress{in.size() - stream.avail_in, out.size() - stream.avail_out,
                  code == Z_STREAM_END};
}

}  // namespace zpack
