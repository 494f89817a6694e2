// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/ref_patterns.h"

#include <algorithm>

#include "zpack/wild_match.h"

namespace zpack::cli {
namespace {

bool IsWholeOrPrefix(std::string_view name, std::string_view pattern) {
  if (!name.starts_with(pattern)) return false;
  return name.size() == pattern.size() || name[pattern.size()] == '/' ||
         pattern.ends_with('/');
}

}  // namespace

bool MatchesRefPattern(std::string_view name,
                       const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [name](const std::string& pattern) {
    return !pattern.empty() &&
           (IsWholeOrPrefix(name, pattern) || WildMatch(pattern, name));
  });
}

}  // namespace zpack::cli
