// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/gzip_input.h"

#include "base/error.h"

namespace zpack {
namespace {

constexpr size_t kCompressedReadSize = size_t{16} << 10;

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
    ended_ = progress->ended;
    if (progress->produced > 0) return progress->produced;
  }
  return 0;
}

}  // namespace zpack
