// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "tree_printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace zpack::cli {
namespace {

// What Git derives from a mode, whatever the object really is.
std::string_view TypeOfMode(uint32_t mode) {
  switch (mode & 0170000) {
    case 0040000:
      return "tree";
    case 0160000:
      return "commit";
    default:
      return "blob";
  }
}

}  // namespace

std::string QuoteName(std::string_view name) {
  constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\";
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  std::string quoted;
  bool needed = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const size_t at = kEscaped.find(c);
    if (at != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[at];
      needed = true;
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\{:03o}", byte);
      needed = true;
    } else {
      quoted += c;
    }
  }
  return needed ? '"' + quoted + '"' : std::string(name);
}

Result<std::string> FormatTree(std::span<const uint8_t> content,
                               ObjectFormat format) {
  const size_t width = ObjectIdWidth(format);
  const std::string_view text(reinterpret_cast<const char*>(content.data()),
                              content.size());
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    uint32_t mode = 0;
    size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '7') {
      mode = mode << 3 | static_cast<uint32_t>(text[end] - '0');
      ++end;
    }
    const size_t nul = text.find('\0', end);
    if (end == at || end == text.size() || text[end] != ' ' ||
        nul == std::string_view::npos || text.size() - nul - 1 < width) {
      return std::unexpected(Error{
          ErrorCode::kCorrupt, fmt::format("malformed tree at byte {}", at)});
    }
    const std::string_view name = text.substr(end + 1, nul - end - 1);
    const ObjectId id(content.subspan(nul + 1, width));
    out += fmt::format("{:06o} {} {}\t{}\n", mode, TypeOfMode(mode), id.ToHex(),
                       QuoteName(name));
    at = nul + 1 + width;
  }
  return out;
}

}  // namespace zpack::cli
