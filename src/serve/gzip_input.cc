// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/gzip_input.h"

#include "base/error.h"

namespace zpack {
namespace {

constexpr size_t kCompressedReadSize = size_t{16} << 10;
// Requests of Git shrink to about half, as they are mostly ids. A small body
// must not stand for gigabytes of lines, which take time.
constexpr uint64_t kMaxRatio = 100;
constexpr uint64_t kFreeSize = uint64_t{1} << 20;

std::unexpected<Error> BadStream() {
  return MakeError(ErrorCode::kInvalidArgument,
                   "the request is not a valid gzip stream");
}

}  // namespace

Result<size_t> GzipInput::Read(std::span<uint8_t> out) {
  while (!ended_ && !out.empty()) {
    if (begin_ == compressed_.size()) {
      compressed_.resize(kCompressedReadSize);
      ZPACK_ASSIGN_OR_RETURN(const size_t read, input_.Read(compressed_));
      compressed_.resize(read);
      begin_ = 0;
      if (read == 0) return BadStream();
    }
    const auto progress =
        inflater_.Run(ByteView(compressed_).subspan(begin_), out);
    if (!progress) return BadStream();
    begin_ += progress->consumed;
    consumed_ += progress->consumed;
    produced_ += progress->produced;
    ended_ = progress->ended;
    if (produced_ > kFreeSize && produced_ / kMaxRatio > consumed_) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "the request unpacks to more than {} times its size",
                       kMaxRatio);
    }
    if (progress->produced > 0) return progress->produced;
  }
  return 0;
}

}  // namespace zpack
