// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/grep_printer.h"

#include <algorithm>
#include <vector>

namespace zpack::cli {
namespace {

// Git's colors.
constexpr std::string_view kNoColor;
constexpr std::string_view kNameColor = "\033[35m";
constexpr std::string_view kNumberColor = "\033[32m";
constexpr std::string_view kMatchColor = "\033[1;31m";
constexpr std::string_view kSeparatorColor = "\033[36m";
constexpr std::string_view kResetColor = "\033[m";

}  // namespace

void GrepPrinter::PrintColored(std::string_view text, std::string_view color) {
  if (output_.colors && !color.empty() && !text.empty()) {
    out_ << color << text << kResetColor;
  } else {
    out_ << text;
  }
}

void GrepPrinter::PrintSeparator(char mark) {
  if (output_.zero_after_names) {
    out_ << '\0';
  } else {
    PrintColored(std::string_view(&mark, 1), kSeparatorColor);
  }
}

Status GrepPrinter::Print(const std::string& name, const SearchedFile& file) {
  const bool wanted =
      file.lines.empty() == (output_.what == GrepOutput::What::kNamesWithout);
  if (!wanted) return {};
  found_ = true;
  if (output_.quiet) return {};
  name_ = name;
  switch (output_.what) {
    case GrepOutput::What::kNames:
    case GrepOutput::What::kNamesWithout:
      PrintColored(name_, kNameColor);
      out_ << (output_.zero_after_names ? '\0' : '\n');
      return {};
    case GrepOutput::What::kCounts: {
      const uint64_t most = output_.max_count.value_or(UINT64_MAX);
      if (output_.names) {
        PrintColored(name_, kNameColor);
        PrintSeparator(':');
      }
      out_ << std::min<uint64_t>(file.lines.size(), most) << '\n';
      return {};
    }
    default:
      break;
  }
  if (file.binary) {
    out_ << "Binary file ";
    PrintColored(name_, kNameColor);
    out_ << " matches\n";
    return {};
  }
  return PrintLines(file);
}

Status GrepPrinter::PrintLines(const SearchedFile& file) {
  text_ = file.text;
  last_shown_ = 0;
  const uint64_t count = std::min<uint64_t>(
      file.lines.size(), output_.max_count.value_or(UINT64_MAX));
  for (size_t i = 0; i < count; ++i) {
    const MatchingLine& line = file.lines[i];
    if (output_.before > 0) {
      if (const Status before = PrintBefore(line); !before) return before;
    }
    if (const Status printed = PrintLine(line, ':'); !printed) return printed;
    if (output_.after == 0) continue;
    const uint64_t next = i + 1 < count ? file.lines[i + 1].number : UINT64_MAX;
    const Status after = PrintAfter(output_.after, line, next);
    if (!after) return after;
  }
  if (output_.before + output_.after > 0 || output_.breaks) hunk_mark_ = true;
  return {};
}

Status GrepPrinter::PrintBefore(const MatchingLine& line) {
  std::vector<MatchingLine> context;
  MatchingLine at = line;
  while (context.size() < output_.before && at.number > 1 &&
         at.number - 1 > last_shown_) {
    at.end = at.begin - 1;
    const size_t feed = text_.substr(0, at.end).rfind('\n');
    at.begin = feed == std::string_view::npos ? 0 : feed + 1;
    --at.number;
    context.push_back(at);
  }
  for (size_t i = context.size(); i-- > 0;) {
    const Status printed = PrintLine(context[i], '-');
    if (!printed) return printed;
  }
  return {};
}

Status GrepPrinter::PrintAfter(uint64_t most, const MatchingLine& from,
                               uint64_t before) {
  MatchingLine at = from;
  for (uint64_t i = 0; i < most && at.number + 1 < before; ++i) {
    at.begin = at.end + 1;
    if (at.begin >= text_.size()) break;
    at.end = std::min(text_.find('\n', at.begin), text_.size());
    ++at.number;
    if (const Status printed = PrintLine(at, '-'); !printed) return printed;
  }
  return {};
}

Status GrepPrinter::PrintLine(const MatchingLine& line, char mark) {
  const bool context = output_.before + output_.after > 0;
  const bool first = last_shown_ == 0;
  if (output_.breaks && first) {
    if (hunk_mark_) out_ << '\n';
  } else if (context && (first ? hunk_mark_ : line.number > last_shown_ + 1)) {
    PrintColored("--", kSeparatorColor);
    out_ << '\n';
  }
  size_t column = 0;
  if (mark == ':' && output_.columns) {
    const auto at = search_.Column(TextOf(line));
    if (!at) return std::unexpected(at.error());
    column = *at + 1;
  }
  return PrintText(TextOf(line), line, column, mark);
}

Status GrepPrinter::PrintText(std::string_view text, const MatchingLine& line,
                              size_t column, char mark) {
  const bool only_matches = output_.what == GrepOutput::What::kMatches;
  if (!only_matches) PrintHeader(line.number, column, mark);
  size_t from = 0;
  while (output_.colors || only_matches) {
    const auto span = search_.NextSpan(text, from);
    if (!span) return std::unexpected(span.error());
    if (!*span || (*span)->begin == (*span)->end) break;
    const auto [begin, end] = **span;
    if (only_matches) {
      PrintHeader(line.number, column, mark);
    } else {
      PrintColored(text.substr(from, begin - from), kNoColor);
    }
    PrintColored(text.substr(begin, end - begin), kMatchColor);
    if (only_matches) out_ << '\n';
    if (column != 0) column += end - from;
    from = end;
  }
  if (!only_matches) out_ << text.substr(from) << '\n';
  return {};
}

void GrepPrinter::PrintHeader(uint64_t number, size_t column, char mark) {
  if (output_.heading && last_shown_ == 0) {
    PrintColored(name_, kNameColor);
    out_ << '\n';
  }
  last_shown_ = number;
  if (output_.names && !output_.heading) {
    PrintColored(name_, kNameColor);
    PrintSeparator(mark);
  }
  if (output_.numbers) {
    PrintColored(std::to_string(number), kNumberColor);
    PrintSeparator(mark);
  }
  if (output_.columns && column != 0) {
    PrintColored(std::to_string(column), kNumberColor);
    PrintSeparator(mark);
  }
}

}  // namespace zpack::cli
