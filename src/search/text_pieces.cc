// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/text_pieces.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack::search {
namespace {

constexpr uint64_t kMaxKept = uint64_t{256} << 20;
// A longer line is not kept if plain texts decide about it.
constexpr uint64_t kLongLine = uint64_t{1} << 20;

Status TooLong(uint64_t line) {
  return MakeError(ErrorCode::kLimitExceeded, "line {} has more than {} bytes",
                   line, kMaxKept);
}

}  // namespace

bool IsBinary(std::string_view text, uint64_t offset) {
  constexpr uint64_t kLooked = 8000;
  return offset < kLooked && text.substr(0, kLooked - offset).contains('\0');
}

Status TextPieces::Add(std::string_view piece) {
  binary_ = binary_ || IsBinary(piece, offset_ + rest_.size());
  const size_t feed = piece.rfind('\n');
  if (feed == std::string_view::npos) {
    ZPACK_TRY(MakeRoomFor(piece.size()));
    rest_ += piece;
    return {};
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

// Drops what can be searched by itself if the line becomes long by `size` more
// bytes.
Status TextPieces::MakeRoomFor(size_t size) {
  const uint64_t whole = rest_.size() + size;
  const bool parts = matcher_.reach().has_value();
  if (whole <= (parts && TextsDecide() ? kLongLine : kMaxKept)) {
    // In few steps, because the process may keep what is freed.
    if (whole > rest_.capacity()) rest_.reserve(std::min(kMaxKept, 4 * whole));
    return {};
  }
  if (!parts) return TooLong(line_);
  ZPACK_TRY(SearchPart(rest_));
  const size_t kept =
      wanted_ ? 0 : std::min(rest_.size(), *matcher_.reach() - 1);
  const size_t dropped = rest_.size() - kept;
  rest_.erase(0, dropped);
  offset_ += dropped;
  dropped_ += dropped;
  return {};
}

// Searches a part of a line of which not all is there.
Status TextPieces::SearchPart(std::string_view part) {
  if (!matcher_.HasCandidate(part)) return {};
  if (!TextsDecide()) return TooLong(line_);
  wanted_ = true;
  return {};
}

// Removes the end of a line of which the beginning was dropped.
Status TextPieces::FinishDropped(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  ZPACK_TRY(SearchPart(text.substr(0, end)));
  if (std::exchange(wanted_, false)) {
    lines_.push_back({offset_ - dropped_, offset_ + end, line_});
    kept_ += sizeof(MatchingLine);
  }
  const size_t whole = std::min(end + 1, text.size());
  text.remove_prefix(whole);
  offset_ += whole;
  dropped_ = 0;
  ++line_;
  return {};
}

Status TextPieces::Search(std::string_view text) {
  if (dropped_ > 0) ZPACK_TRY(FinishDropped(text));
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
