// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/occurrence_counter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"

namespace zpack::log {
namespace {

bool IsAsciiText(std::string_view text) {
  return std::ranges::all_of(text, IsAscii);
}

std::string Fold(std::string_view text) {
  std::string folded(text);
  std::ranges::transform(folded, folded.begin(), ToLower);
  return folded;
}

// A basic regular expression for a plain text.
std::string QuoteBasic(std::string_view text) {
  constexpr std::string_view kSpecial = ".[\\*^$";
  std::string quoted;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

// Whether an occurrence may hold a line feed, or depend on what is beyond its
// line. If the answer is needlessly yes, a search is only slower.
bool MayCrossLines(std::string_view expression) {
  constexpr std::array<std::string_view, 12> kParts = {
      "[:",  "[.",  "[=",  "\\s", "\\W", "\\b",
      "\\B", "\\<", "\\>", "\\`", "\\'", "\t-"};
  const auto has = [&](std::string_view part) {
    return expression.find(part) != std::string_view::npos;
  };
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t';
  };
  return std::ranges::any_of(kParts, has) ||
         std::ranges::any_of(expression, is_control);
}

}  // namespace

Result<OccurrenceCounter> OccurrenceCounter::Make(const Needle& needle) {
  OccurrenceCounter counter;
  // Like Git, which leaves letters beyond ASCII to the C library.
  const bool plain =
      !needle.expression && (!needle.ignore_case || IsAsciiText(needle.text));
  if (plain) {
    counter.folds_ = needle.ignore_case;
    counter.text_.emplace(needle.ignore_case ? Fold(needle.text) : needle.text);
    return counter;
  }
  ZPACK_ASSIGN_OR_RETURN(
      counter.expression_,
      search::CompilePosix(
          needle.expression ? needle.text : QuoteBasic(needle.text),
          {.extended = needle.expression, .ignore_case = needle.ignore_case}));
  return counter;
}

bool OccurrenceCounter::FindText(std::string_view& text) const {
  if (text.empty()) return false;
  const size_t found = text_->Find(text);
  if (found == std::string_view::npos) return false;
  text.remove_prefix(found + text_->text().size());
  return true;
}

uint32_t OccurrenceCounter::CountText(std::string_view& text) const {
  uint32_t count = 0;
  while (FindText(text)) ++count;
  return count;
}

uint32_t OccurrenceCounter::CountPiece(std::string_view piece,
                                       std::string& rest) {
  rest += folds_ ? Fold(piece) : piece;
  std::string_view left = rest;
  const uint32_t count = CountText(left);
  const size_t kept = std::min(left.size(), text_->text().size() - 1);
  rest.erase(0, rest.size() - kept);
  return count;
}

Result<uint32_t> OccurrenceCounter::Count(std::string_view text) {
  if (plain()) {
    if (folds_) text = folded_ = Fold(text);
    return CountText(text);
  }
  uint32_t count = 0;
  auto start = search::TextStart::kLine;
  while (!text.empty()) {
    ZPACK_ASSIGN_OR_RETURN(const auto match, expression_->Find(text, start));
    if (!match) break;
    ++count;
    start = search::TextStart::kInLine;
    const bool empty = match->begin == match->end;
    text.remove_prefix(match->end);
    if (empty && !text.empty()) text.remove_prefix(1);
  }
  return count;
}

Result<bool> OccurrenceCounter::Occurs(std::string_view text) {
  if (expression_ != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(const auto match,
                           expression_->Find(text, search::TextStart::kLine));
    return match.has_value();
  }
  if (folds_) text = folded_ = Fold(text);
  return FindText(text);
}

std::optional<LineQuery> LinesWith(const Needle& needle) {
  LineQuery query;
  query.ignore_case = needle.ignore_case;
  query.syntax =
      needle.expression ? PatternSyntax::kExtended : PatternSyntax::kFixed;
  query.tokens.push_back({QueryToken::Kind::kPattern, needle.text});
  if (!needle.expression) {
    if (needle.text.find('\n') != std::string::npos) return std::nullopt;
    return query;
  }
  if (MayCrossLines(needle.text)) return std::nullopt;
  auto counter = OccurrenceCounter::Make(needle);
  if (!counter) return std::nullopt;
  // What occurs in a line feed is empty, or the line feed.
  const auto occurs = counter->Occurs("\n");
  if (!occurs || *occurs) return std::nullopt;
  return query;
}

}  // namespace zpack::log
