// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/tree_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "percent_code.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

std::unexpected<Error> BadTreeFormat(std::string_view why) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument,
                               fmt::format("bad ls-tree format: {}", why)});
}

// The character that `text` begins with, and removes its letters from `text`.
std::optional<char> TakeCharacter(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const char letter = text.front();
  if (letter == '%' || letter == 'n') {
    text.remove_prefix(1);
    return letter == 'n' ? '\n' : '%';
  }
  if (letter != 'x' || text.size() < 3) return std::nullopt;
  const std::string decoded =
      PercentDecode(fmt::format("%{}", text.substr(1, 2)), Plus::kPlus);
  if (decoded.size() != 1) return std::nullopt;
  text.remove_prefix(3);
  return decoded.front();
}

}  // namespace

Result<std::string> ExpandTreeFormat(std::string_view format,
                                     const TreeFormatValue& value) {
  std::string line;
  while (true) {
    const size_t percent = std::min(format.find('%'), format.size());
    line += format.substr(0, percent);
    if (percent == format.size()) return line;
    format.remove_prefix(percent + 1);
    if (const auto character = TakeCharacter(format); character) {
      line += *character;
      continue;
    }
    if (!format.starts_with('(')) {
      return BadTreeFormat(fmt::format("element '{}' does not start with '('",
                                       QuoteName(format)));
    }
    const size_t close = format.find(')');
    if (close == std::string_view::npos) {
      return BadTreeFormat(
          fmt::format("element '{}' does not end in ')'", QuoteName(format)));
    }
    const auto text = value(format.substr(1, close - 1));
    if (!text) return std::unexpected(text.error());
    if (!*text) {
      return BadTreeFormat(fmt::format("%{}", format.substr(0, close + 1)));
    }
    line += **text;
    format.remove_prefix(close + 1);
  }
}

}  // namespace zpack::cli
