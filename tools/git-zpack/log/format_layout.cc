// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The placeholders of a format that arrange the text: '%w', '%<' and '%>'.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "log/format_expansion.h"
#include "log/text_width.h"

namespace zpack::cli {
namespace {

// As in Git, nobody needs more columns.
constexpr long kMostColumns = 16 * 1024;

ptrdiff_t ScreenColumns() {
  const char* const columns = std::getenv("COLUMNS");
  const long count = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return count > 0 ? std::min(count, kMostColumns) : 80;
}

}  // namespace

void FormatExpansion::Rewrap(const Wrapping& next, std::string& out) {
  if (next == wrapping_) return;
  if (wrap_from_ < out.size()) {
    const std::string text = out.substr(wrap_from_);
    out.resize(wrap_from_);
    out += WrapText(text, wrapping_);
  }
  wrap_from_ = out.size();
  wrapping_ = next;
}

size_t FormatExpansion::TakeWrapping(const char* place, std::string& out) {
  const char* const end = std::strchr(place, ')');
  if (place[1] != '(' || end == nullptr) return 0;
  std::array<unsigned long, 3> numbers = {0, 0, 0};
  const char* at = place + 2;
  if (at != end) {
    for (unsigned long& number : numbers) {
      char* next = nullptr;
      number = std::strtoul(at, &next, 10);
      if (number > static_cast<unsigned long>(kMostColumns)) return 0;
      at = next;
      if (*at != ',') break;
      ++at;
    }
    if (*at != ')') return 0;
  }
  Rewrap({numbers[0], numbers[1], numbers[2]}, out);
  return static_cast<size_t>(end - place) + 1;
}

size_t FormatExpansion::TakePadding(const char* place) {
  const char* at = place + 1;
  Padding padding;
  if (*place == '>') {
    padding.place = *at == '<'   ? Place::kMiddle
                    : *at == '>' ? Place::kRightOrEarlier
                                 : Place::kRight;
    if (padding.place != Place::kRight) ++at;
  }
  padding.to_column = *at == '|';
  if (padding.to_column) ++at;
  if (*at != '(') return 0;
  const char* const begin = at + 1;
  const char* end = begin + std::strcspn(begin, ",)");
  if (*end == '\0' || end == begin) return 0;
  char* next = nullptr;
  long columns = std::strtol(begin, &next, 10);
  if (next == begin || columns == 0 || std::labs(columns) > kMostColumns) {
    return 0;
  }
  // Counted from the right border of the screen.
  if (columns < 0 && padding.to_column) columns += ScreenColumns();
  if (columns < 0) return 0;
  padding.columns = columns;
  // Like Git, fills columns even if what follows is not known.
  padding_ = padding;
  if (*end != ',') {
    cut_ = Cut::kNone;
  } else {
    constexpr std::array<std::pair<std::string_view, Cut>, 3> kCuts = {
        {{"trunc)", Cut::kRight},
         {"ltrunc)", Cut::kLeft},
         {"mtrunc)", Cut::kMiddle}}};
    const char* const word = end + 1;
    const auto* const cut = std::ranges::find_if(kCuts, [&](const auto& known) {
      return std::strncmp(word, known.first.data(), known.first.size()) == 0;
    });
    if (cut == kCuts.end()) return 0;
    cut_ = cut->second;
    end = word + cut->first.size() - 1;
  }
  return static_cast<size_t>(end - place) + 1;
}

ptrdiff_t FormatExpansion::ColumnsOf(const Padding& padding) const {
  if (!padding.to_column) return padding.columns;
  const size_t line = out_.rfind('\n');
  const std::string_view text =
      std::string_view(out_).substr(line == std::string::npos ? 0 : line);
  return padding.columns - static_cast<ptrdiff_t>(TextWidth(text));
}

// Takes spaces before the text of `width` columns, and moves sequences for
// colors between them into the text.
void FormatExpansion::StealSpaces(ptrdiff_t width, ptrdiff_t& columns,
                                  std::string& part) {
  constexpr size_t kLongestSequence = 10;
  while (width > columns && out_.size() > 1) {
    if (out_.back() == ' ') {
      out_.pop_back();
      ++columns;
      continue;
    }
    const size_t begin = out_.rfind('\033');
    if (out_.back() != 'm' || begin == std::string::npos ||
        out_.size() - 1 - begin > kLongestSequence) {
      break;
    }
    const std::string sequence = out_.substr(begin);
    if (ColorSequenceSize(sequence) != sequence.size()) break;
    part.insert(0, sequence);
    out_.resize(begin);
  }
}

size_t FormatExpansion::Padded(const char* place) {
  const Padding padding = *padding_;
  ptrdiff_t columns = ColumnsOf(padding);
  std::string part;
  size_t consumed = 0;
  // Colors before a value belong to the value.
  while (true) {
    const bool color = *place == 'C';
    const size_t size = One(place, part);
    consumed += size;
    place += size;
    if (!color || *place != '%') break;
    ++place;
    ++consumed;
  }
  const auto width = static_cast<ptrdiff_t>(TextWidth(part));
  if (padding.place == Place::kRightOrEarlier) {
    StealSpaces(width, columns, part);
  }
  if (width > columns) {
    const ptrdiff_t left = cut_ == Cut::kLeft     ? 0
                           : cut_ == Cut::kMiddle ? columns / 2 - 1
                                                  : columns - 2;
    out_ += cut_ == Cut::kNone
                ? part
                : ReplaceColumns(part, left, width - (columns - 2), "..");
  } else {
    const auto spaces = static_cast<size_t>(columns - width);
    const size_t before = padding.place == Place::kLeft     ? 0
                          : padding.place == Place::kMiddle ? spaces / 2
                                                            : spaces;
    out_.append(before, ' ').append(part).append(spaces - before, ' ');
  }
  padding_.reset();
  return consumed;
}

}  // namespace zpack::cli
