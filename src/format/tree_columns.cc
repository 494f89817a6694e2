// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/tree_columns.h"

#include <algorithm>

namespace zpack::format {

std::optional<uint8_t> TreeModeNumber(std::string_view mode) {
  const auto at = std::ranges::find(kTreeModes, mode);
  if (at == kTreeModes.end()) return std::nullopt;
  return static_cast<uint8_t>(at - kTreeModes.begin());
}

void TreeChildren::Note(Seen& seen, uint32_t child) {
  seen.next = std::max(seen.next, child + 1);
  seen.children.insert(seen.children.begin(), child);
  if (seen.children.size() > kRemembered) seen.children.pop_back();
}

TreeChildren::Code TreeChildren::Encode(uint32_t name, uint32_t child) {
  Seen& seen = names_[name];
  const auto known = std::ranges::find(seen.children, child);
  if (known != seen.children.end()) {
    const auto position = static_cast<uint32_t>(known - seen.children.begin());
    std::rotate(seen.children.begin(), known, known + 1);
    return {kFirstKnown + position, 0};
  }
  const uint32_t expected = Expected(seen);
  Code code;
  if (child != expected) {
    code = {kOther,
            static_cast<int64_t>(child) - static_cast<int64_t>(expected)};
  }
  if (child != expected || seen.next == 0) last_other_ = child + 1;
  Note(seen, child);
  return code;
}

std::optional<uint32_t> TreeChildren::Decode(uint32_t name, const Code& code,
                                             uint32_t limit) {
  Seen& seen = names_[name];
  if (code.code >= kFirstKnown) {
    const uint32_t position = code.code - kFirstKnown;
    if (position >= seen.children.size()) return std::nullopt;
    const auto known = seen.children.begin() + position;
    std::rotate(seen.children.begin(), known, known + 1);
    return seen.children.front();
  }
  const uint32_t expected = Expected(seen);
  // Unsigned arithmetic wraps; what is left of nonsense is too large.
  const uint64_t child =
      expected +
      (code.code == kOther ? static_cast<uint64_t>(code.difference) : 0);
  if (child >= limit) return std::nullopt;
  if (code.code == kOther || seen.next == 0) {
    last_other_ = static_cast<uint32_t>(child) + 1;
  }
  Note(seen, static_cast<uint32_t>(child));
  return static_cast<uint32_t>(child);
}

void TreeChildren::Clear() {
  // A new one: clearing takes as long as the largest lineage so far.
  names_ = {};
  last_other_ = 0;
}

}  // namespace zpack::format
