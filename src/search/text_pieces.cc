// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/text_pieces.h"

#include <algorithm>

#include "base/error.h"

namespace zpack::search {
namespace {

constexpr uint64_t kMaxKept = uint64_t{256} << 20;

}  // namespace

bool IsBinary(std::string_view text, uint64_t offset) {
  constexpr uint64_t kLooked = 8000;
  return offset < kLooked && text.substr(0, kLooked - offset).contains('\0');
}

Status TextPieces::Add(std::string_view piece) {
  binary_ = binary_ || IsBinary(piece, offset_ + rest_.size());
  const size_t feed = piece.rfind('\n');
  if (feed == std::string_view::npos) {
    rest_ += piece;
    if (rest_.size() <= kMaxKept) return {};
    return MakeError(ErrorCode::kLimitExceeded,
                     "line {} has more than {} bytes", line_, kMaxKept);
  }
  rest_ += piece.substr(0, feed + 1);
  const std::string text = std::move(rest_);
  rest_ = piece.substr(feed + 1);
  return Search(text);
}

Status TextPieces::Finish() {
  const std::string text = std::move(rest_);
  rest_.clear();
  return Search(text);
}

Status TextPieces::Search(std::string_view text) {
  std::vector<MatchingLine> found;
  ZPACK_TRY(matcher_.AllLines(text, found));
  for (const MatchingLine& line : found) {
    lines_.push_back(
        {line.begin + offset_, line.end + offset_, line.number + line_ - 1});
    kept_ += sizeof(MatchingLine);
    if (!keep_) continue;
    texts_.emplace_back(text.substr(line.begin, line.end - line.begin));
    kept_ += texts_.back().size();
  }
  offset_ += text.size();
  line_ += static_cast<uint64_t>(std::ranges::count(text, '\n'));
  if (kept_ <= kMaxKept) return {};
  return MakeError(ErrorCode::kLimitExceeded,
                   "the lines that match have more than {} bytes", kMaxKept);
}

}  // namespace zpack::search
