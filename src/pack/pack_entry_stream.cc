// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_entry_stream.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace zpack {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 18;

}  // namespace

Status PackEntryStream::Read(std::span<uint8_t> out) {
  if (out.size() > left_) {
    return MakeError(ErrorCode::kCorrupt, "an object of {} bytes ends early",
                     info_.size);
  }
  left_ -= out.size();
  while (!out.empty()) {
    ZPACK_ASSIGN_OR_RETURN(out, Inflate(out));
  }
  return left_ == 0 ? CheckEnd() : Status{};
}

Result<std::span<uint8_t>> PackEntryStream::Inflate(std::span<uint8_t> out) {
  if (rest_.empty() && at_ != end_) {
    in_.resize(std::min(kPiece, end_ - at_));
    ZPACK_TRY(file_.Read(at_, in_));
    at_ += in_.size();
    rest_ = in_;
  }
  StreamInflater::Progress progress;
  if (!ended_) {
    ZPACK_ASSIGN_OR_RETURN(progress, inflater_.Run(rest_, out));
  }
  ended_ = ended_ || progress.ended;
  if (progress.consumed + progress.produced == 0 && !progress.ended) {
    return MakeError(ErrorCode::kCorrupt,
                     "the entry that ends at offset {} of '{}' is too short",
                     end_, file_.path());
  }
  rest_ = rest_.subspan(progress.consumed);
  return out.subspan(progress.produced);
}

Status PackEntryStream::CheckEnd() {
  std::array<uint8_t, 1> more;
  while (!ended_) {
    ZPACK_ASSIGN_OR_RETURN(const auto room, Inflate(more));
    if (room.empty()) {
      return MakeError(ErrorCode::kCorrupt,
                       "the entry that ends at offset {} of '{}' is too long",
                       end_, file_.path());
    }
  }
  return {};
}

}  // namespace zpack
