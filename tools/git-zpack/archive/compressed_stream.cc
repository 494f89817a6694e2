// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/compressed_stream.h"

#include <new>

namespace zpack::cli {
namespace {

constexpr size_t kStreamBufferSize = size_t{1} << 16;
constexpr int kGzipLevel = 6;
constexpr int kGzipWindow = 15 + 16;  // zlib: with the header of gzip
constexpr int kGzipMemory = 8;
constexpr int kZstdLevel = 3;

}  // namespace

CompressedStream::CompressedStream(StreamFormat format, std::ostream& out)
    : out_(out), in_(kStreamBufferSize), compressed_(kStreamBufferSize) {
  if (format == StreamFormat::kGzip) {
    gzip_ = std::make_unique<z_stream>();
    if (deflateInit2(gzip_.get(), kGzipLevel, Z_DEFLATED, kGzipWindow,
                     kGzipMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  } else {
    zstd_ = ZSTD_createCCtx();
    if (zstd_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(zstd_, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(zstd_, ZSTD_c_checksumFlag, 1);
  }
  setp(in_.data(), in_.data() + in_.size());
}

CompressedStream::~CompressedStream() {
  if (gzip_ != nullptr) deflateEnd(gzip_.get());
  ZSTD_freeCCtx(zstd_);
}

bool CompressedStream::Finish() { return Compress(Step::kLast); }

CompressedStream::int_type CompressedStream::overflow(int_type c) {
  if (!Compress(Step::kMore)) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
  }
  return traits_type::not_eof(c);
}

bool CompressedStream::Compress(Step step) {
  const auto size = static_cast<size_t>(pptr() - pbase());
  setp(in_.data(), in_.data() + in_.size());
  return gzip_ != nullptr ? CompressGzip(step, size) : CompressZstd(step, size);
}

bool CompressedStream::CompressGzip(Step step, size_t size) {
  gzip_->next_in = reinterpret_cast<Bytef*>(in_.data());
  gzip_->avail_in = static_cast<uInt>(size);
  int result = Z_OK;
  do {
    gzip_->next_out = reinterpret_cast<Bytef*>(compressed_.data());
    gzip_->avail_out = static_cast<uInt>(compressed_.size());
    result = deflate(gzip_.get(), step == Step::kLast ? Z_FINISH : Z_NO_FLUSH);
    if (result == Z_STREAM_ERROR) return false;
    if (!WriteOut(compressed_.size() - gzip_->avail_out)) return false;
  } while (gzip_->avail_out == 0);
  return step == Step::kMore || result == Z_STREAM_END;
}

bool CompressedStream::CompressZstd(Step step, size_t size) {
  ZSTD_inBuffer in = {in_.data(), size, 0};
  const auto directive = step == Step::kLast ? ZSTD_e_end : ZSTD_e_continue;
  size_t left = 0;  // in the encoder
  do {
    ZSTD_outBuffer out = {compressed_.data(), compressed_.size(), 0};
    left = ZSTD_compressStream2(zstd_, &out, &in, directive);
    if (ZSTD_isError(left) != 0 || !WriteOut(out.pos)) return false;
  } while (in.pos < in.size || (step == Step::kLast && left != 0));
  return true;
}

bool CompressedStream::WriteOut(size_t size) {
  out_.write(compressed_.data(), static_cast<std::streamsize>(size));
  return static_cast<bool>(out_);
}

}  // namespace zpack::cli
