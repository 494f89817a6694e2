// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/tree_columns.h"

#include <algorithm>
#include <limits>

namespace zpack::format {

std::optional<uint8_t> TreeModeNumber(std::string_view mode) {
  const auto at = std::ranges::find(kTreeModes, mode);
  if (at == kTreeModes.end()) return std::nullopt;
  return static_cast<uint8_t>(at - kTreeModes.begin());
}

void TreeChildren::Note(Seen& seen, LinkNumber child) {
  seen.next = std::max(seen.next, child + 1);
  seen.children.insert(seen.children.begin(), child);
  if (seen.children.size() > kRemembered) seen.children.pop_back();
}

TreeChildren::Code TreeChildren::Encode(uint32_t name, LinkNumber child) {
  Seen& seen = names_[name];
  const auto known = std::ranges::find(seen.children, child);
  if (known != seen.children.end()) {
    const auto position = static_cast<uint32_t>(known - seen.children.begin());
    std::rotate(seen.children.begin(), known, known + 1);
    return {kFirstKnown + position, 0};
  }
  const LinkNumber expected = Expected(seen);
  Code code;
  if (child != expected) {
    code = {kOther, int64_t{child.value()} - int64_t{expected.value()}};
  }
  if (child != expected || seen.next == LinkNumber()) last_other_ = child + 1;
  Note(seen, child);
  return code;
}

std::optional<LinkNumber> TreeChildren::Decode(uint32_t name, const Code& code,
                                               uint32_t limit) {
  Seen& seen = names_[name];
  if (code.code >= kFirstKnown) {
    const uint32_t position = code.code - kFirstKnown;
    if (position >= seen.children.size()) return std::nullopt;
    const auto known = seen.children.begin() + position;
    std::rotate(seen.children.begin(), known, known + 1);
    return seen.children.front();
  }
  // Unsigned arithmetic wraps around. The result of an invalid difference is
  // too large.
  const uint64_t value =
      Expected(seen).value() +
      (code.code == kOther ? static_cast<uint64_t>(code.difference) : 0);
  if (value >= limit) return std::nullopt;
  const LinkNumber child(static_cast<uint32_t>(value));
  if (code.code == kOther || seen.next == LinkNumber()) {
    last_other_ = child + 1;
  }
  Note(seen, child);
  return child;
}

void TreeChildren::Clear() {
  // Assigns a new map, because clear() takes time in proportion to the largest
  // lineage so far.
  names_ = {};
  last_other_ = LinkNumber();
}

std::optional<LinkNumber> ChildDecoder::Next(uint32_t name) {
  TreeChildren::Code code;
  code.code = static_cast<uint32_t>(std::min<uint64_t>(
      children_.Varint(), std::numeric_limits<uint32_t>::max()));
  if (code.code == TreeChildren::kOther) {
    code.difference = UnZigZag(differences_.Varint());
  }
  if (!children_.ok() || !differences_.ok()) return std::nullopt;
  return lineage_.Decode(name, code, limit_);
}

}  // namespace zpack::format
