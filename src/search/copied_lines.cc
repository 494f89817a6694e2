// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/copied_lines.h"

#include <algorithm>

#include "base/error.h"

namespace zpack::search {
namespace {

class Carrier {
 public:
  Carrier(std::string_view text, std::span<const MatchingLine> base,
          LineMatcher& matcher, std::vector<CarriedLine>& lines)
      : text_(text), base_(base), matcher_(matcher), lines_(lines) {}

  // The bytes [begin, end) of the text are those of the base at `offset`.
  // `is_start` and `is_end`: the copy is at the start, or the end, of both.
  Status Copy(size_t begin, size_t end, size_t offset, bool is_start,
              bool is_end) {
    const std::string_view copy = text_.substr(begin, end - begin);
    const size_t first_feed = copy.find('\n');
    if (first_feed == std::string_view::npos && !(is_start && is_end)) {
      return {};
    }
    const size_t first = is_start ? begin : begin + first_feed + 1;
    const size_t last = is_end ? end : begin + copy.rfind('\n') + 1;
    if (first >= last) return {};
    ZPACK_TRY(Search(first));
    Carry(offset + (first - begin), offset + (last - begin), first);
    known_ = last;
    return {};
  }

  // Compares the lines up to `end`, where a line begins or the text ends.
  Status Search(size_t end) {
    matcher_.Begin(text_.substr(known_, end - known_));
    while (true) {
      ZPACK_ASSIGN_OR_RETURN(auto line, matcher_.NextLine());
      if (!line) break;
      line->begin += known_;
      line->end += known_;
      lines_.push_back({*line});
    }
    known_ = end;
    return {};
  }

 private:
  // Takes over the lines [begin, end) of the base, which are at `to` here.
  void Carry(size_t begin, size_t end, size_t to) {
    auto line =
        std::ranges::lower_bound(base_, begin, {}, &MatchingLine::begin);
    for (; line != base_.end() && line->begin < end; ++line) {
      lines_.push_back({{line->begin - begin + to, line->end - begin + to},
                        static_cast<uint32_t>(line - base_.begin())});
    }
  }

  std::string_view text_;
  std::span<const MatchingLine> base_;
  LineMatcher& matcher_;
  std::vector<CarriedLine>& lines_;
  size_t known_ = 0;  // all lines before this position have been found
};

}  // namespace

Status FindCarriedLines(std::string_view text, const Delta& delta,
                        const SearchedBase& base, LineMatcher& matcher,
                        std::vector<CarriedLine>& lines) {
  Carrier carrier(text, base.lines, matcher, lines);
  size_t at = 0;
  for (const DeltaCopy& copy : delta.copies) {
    at += copy.literals;
    const size_t end = at + copy.length;
    ZPACK_TRY(
        carrier.Copy(at, end, copy.offset, at == 0 && copy.offset == 0,
                     end == text.size() &&
                         copy.offset + uint64_t{copy.length} == base.size));
    at = end;
  }
  return carrier.Search(text.size());
}

}  // namespace zpack::search
