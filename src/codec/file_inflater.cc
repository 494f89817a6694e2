// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/file_inflater.h"

#include <algorithm>

#include "base/error.h"

namespace zpack {
namespace {

constexpr uint64_t kFilePiece = uint64_t{64} << 10;

}  // namespace

Result<size_t> FileInflater::Inflate(std::span<uint8_t> out) {
  size_t filled = 0;
  while (filled < out.size() && !ended_) {
    if (rest_.empty() && at_ != end_) {
      in_.resize(std::min(kFilePiece, end_ - at_));
      ZPACK_TRY(file_.Read(at_, in_));
      at_ += in_.size();
      rest_ = in_;
    }
    ZPACK_ASSIGN_OR_RETURN(const auto progress,
                           inflater_.Run(rest_, out.subspan(filled)));
    if (progress.consumed + progress.produced == 0 && !progress.ended) {
      return MakeError(ErrorCode::kCorrupt, "unexpected end of file");
    }
    rest_ = rest_.subspan(progress.consumed);
    filled += progress.produced;
    ended_ = progress.ended;
  }
  return filled;
}

}  // namespace zpack
