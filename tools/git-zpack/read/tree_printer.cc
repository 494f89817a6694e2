// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/tree_printer.h"

#include <fmt/format.h>

#include "read/tree_walk.h"
#include "zpack/quote.h"

namespace zpack::cli {

Result<std::string> FormatTree(std::span<const uint8_t> content,
                               ObjectFormat format) {
  std::string out;
  TreeItems items(content, format);
  TreeItem item;
  while (true) {
    const auto more = items.Next(item);
    if (!more) return std::unexpected(more.error());
    if (!*more) return out;
    out += fmt::format("{:06o} {} {}\t{}\n", item.mode,
                       ObjectTypeName(item.type()), item.id.ToHex(),
                       QuoteName(item.name, kWholeName, BeyondAscii::kEscape));
  }
}

}  // namespace zpack::cli
