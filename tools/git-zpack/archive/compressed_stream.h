// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compresses what is written to a stream. Thread-compatible.

#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <streambuf>
#include <vector>

namespace zpack::cli {

enum class StreamFormat : uint8_t {
  kGzip,  // level 6 and no time, as git-archive(1) writes it
  kZstd,  // level 3, with a checksum
};

class CompressedStream final : public std::streambuf {
 public:
  // `out` must outlive this object.
  CompressedStream(StreamFormat format, std::ostream& out);
  ~CompressedStream() override;
  CompressedStream(const CompressedStream&) = delete;
  CompressedStream& operator=(const CompressedStream&) = delete;

  // Writes the end of the compressed data. Call it once, after everything was
  // written. Returns false if compressing or writing to the stream failed.
  bool Finish();

 private:
  enum class Step : uint8_t { kMore, kLast };

  int_type overflow(int_type c) override;
  // Compresses what was written so far, but for the last bytes, which the
  // encoder keeps unless it is the end.
  bool Compress(Step step);
  bool CompressGzip(Step step, size_t size);
  bool CompressZstd(Step step, size_t size);
  bool WriteOut(size_t size);

  std::ostream& out_;
  std::unique_ptr<z_stream> gzip_;  // one of both is null
  ZSTD_CCtx* zstd_ = nullptr;
  std::vector<char> in_;
  std::vector<char> compressed_;
};

}  // namespace zpack::cli
