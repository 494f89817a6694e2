// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/batch_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "zpack/quote.h"

namespace zpack::cli {

Result<BatchFormat> BatchFormat::Parse(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Element>, 4> kElements = {
      {{"objectname", Element::kName},
       {"objecttype", Element::kType},
       {"objectsize", Element::kSize},
       {"rest", Element::kRest}}};
  BatchFormat format;
  std::string literal;
  while (!text.empty()) {
    if (text.starts_with("%%")) {
      literal += '%';
      text.remove_prefix(2);
      continue;
    }
    const size_t close = text.find(')');
    if (text.starts_with("%(") && close == std::string_view::npos) {
      return std::unexpected(
          Error{ErrorCode::kInvalidArgument,
                fmt::format("format element '{}' does not end in ')'",
                            QuoteName(text.substr(1)))});
    }
    if (!text.starts_with("%(")) {
      literal += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::string_view name = text.substr(2, close - 2);
    const auto at = std::ranges::find(
        kElements, name, [](const auto& element) { return element.first; });
    if (at == kElements.end()) {
      return std::unexpected(
          Error{ErrorCode::kInvalidArgument,
                fmt::format("unknown format element: {}", name)});
    }
    format.parts_.push_back({Element::kLiteral, std::exchange(literal, "")});
    format.parts_.push_back({at->second, ""});
    format.uses_rest_ |= at->second == Element::kRest;
    text.remove_prefix(close + 1);
  }
  format.parts_.push_back({Element::kLiteral, literal});
  return format;
}

std::string BatchFormat::Expand(const ObjectId& id, const ObjectInfo& info,
                                std::string_view rest) const {
  std::string line;
  for (const Part& part : parts_) {
    switch (part.element) {
      case Element::kLiteral:
        line += part.literal;
        break;
      case Element::kName:
        line += id.ToHex();
        break;
      case Element::kType:
        line += ObjectTypeName(info.type);
        break;
      case Element::kSize:
        line += std::to_string(info.size);
        break;
      case Element::kRest:
        line += rest;
        break;
    }
  }
  return line;
}

}  // namespace zpack::cli
