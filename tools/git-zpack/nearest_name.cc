// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "nearest_name.h"

#include <algorithm>
#include <cstddef>

namespace zpack::cli {
namespace {

// Longer input is no mistyped name, and would cost time.
constexpr size_t kMaxTyped = 64;

// The number of changes between two names: optimal string alignment.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1,
                                        std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
      rows[i][j] = std::min(
          {rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + other});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> NearestName(std::string_view typed,
                                       const std::vector<std::string>& names) {
  constexpr size_t kMinPrefix = 3;
  if (typed.empty() || typed.size() > kMaxTyped) return std::nullopt;
  if (typed.size() >= kMinPrefix) {
    for (const std::string& name : names) {
      if (name.starts_with(typed)) return name;
    }
  }
  std::optional<std::string> nearest;
  size_t fewest = 0;
  for (const std::string& name : names) {
    const size_t changes = Distance(typed, name);
    if (changes > std::max<size_t>(1, name.size() / 3)) continue;
    if (changes >= name.size()) continue;
    if (nearest && changes >= fewest) continue;
    nearest = name;
    fewest = changes;
  }
  return nearest;
}

}  // namespace zpack::cli
