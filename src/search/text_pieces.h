// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches a text that comes in pieces, and keeps no more of it than a line; of
// a long line, only its end, where plain texts say whether it is wanted.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/line_matcher.h"
#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::search {

// True if Git takes a text for binary of which `text` are the bytes from
// `offset` on: it looks at the first 8,000.
bool IsBinary(std::string_view text, uint64_t offset = 0);

class TextPieces {
 public:
  // `matcher` must outlive this object. What lines hold is kept if `keep` is
  // true.
  TextPieces(LineMatcher& matcher, bool keep)
      : matcher_(matcher), keep_(keep) {}

  // Errors: those of LineMatcher; kLimitExceeded for a line of more than 256
  // MiB of which not all parts can be searched by themselves, or if more than
  // that has to be kept.
  Status Add(std::string_view piece);
  // After the last piece.
  Status Finish();

  // As in FoundBlob::binary.
  bool binary() const { return binary_; }
  // The wanted lines, with their numbers, and what they hold.
  const std::vector<MatchingLine>& lines() const { return lines_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  // Whether plain texts say all that has to be known of a line.
  bool TextsDecide() const { return !keep_ && matcher_.candidates_match(); }
  Status MakeRoomFor(size_t size);
  Status SearchPart(std::string_view part);
  Status FinishDropped(std::string_view& text);
  Status Search(std::string_view text);

  LineMatcher& matcher_;
  const bool keep_;
  std::string rest_;      // the beginning of a line, or what was not dropped
  uint64_t offset_ = 0;   // of `rest_` in the text
  uint64_t dropped_ = 0;  // bytes of the line before `rest_`
  bool wanted_ = false;   // what was dropped makes the line wanted
  uint64_t line_ = 1;     // number of the line
  uint64_t kept_ = 0;     // bytes of `texts_`
  bool binary_ = false;
  std::vector<MatchingLine> lines_;
  std::vector<std::string> texts_;
};

}  // namespace zpack::search
