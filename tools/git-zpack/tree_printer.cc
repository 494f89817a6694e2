// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "tree_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr uint32_t kTypeMask = 0170000;
constexpr uint32_t kTree = 0040000;
constexpr uint32_t kGitlink = 0160000;

// Returns the canonical mode that Git derives from a stored mode.
uint32_t CanonicalMode(uint32_t mode) {
  switch (mode & kTypeMask) {
    case 0100000:
      return (mode & 0100) != 0 ? 0100755 : 0100644;
    case 0120000:
      return 0120000;
    case kTree:
      return kTree;
    default:
      return kGitlink;
  }
}

// Returns the type that Git derives from a mode, whatever type the object has.
std::string_view TypeOfMode(uint32_t mode) {
  if (mode == kTree) return "tree";
  return mode == kGitlink ? "commit" : "blob";
}

}  // namespace

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
    mode = CanonicalMode(mode);
    out += fmt::format("{:06o} {} {}\t{}\n", mode, TypeOfMode(mode), id.ToHex(),
                       QuoteName(name, kWholeName, BeyondAscii::kEscape));
    at = nul + 1 + width;
  }
  return out;
}

}  // namespace zpack::cli
