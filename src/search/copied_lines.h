// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches a text that is stored as copies from a base: only lines with bytes
// that the base does not have, or that two copies share, are compared with the
// query. Lines that were copied whole match if they match in the base. Pure.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/delta.h"
#include "search/line_matcher.h"
#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::search {

// A line of a base, or a new one, as part of a text.
struct CarriedLine {
  MatchingLine line;        // without its number
  uint32_t of_base = kNew;  // index of the line among those of the base
  static constexpr uint32_t kNew = UINT32_MAX;
};

// What is known of a base: its size, and its wanted lines.
struct SearchedBase {
  uint64_t size = 0;
  std::span<const MatchingLine> lines = {};
};

// Appends the wanted lines of `text`, which is `delta` of `base`. Errors are
// those of LineMatcher::NextLine.
Status FindCarriedLines(std::string_view text, const Delta& delta,
                        const SearchedBase& base, LineMatcher& matcher,
                        std::vector<CarriedLine>& lines);

}  // namespace zpack::search
