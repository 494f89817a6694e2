// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/tree_path.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace zpack {

std::optional<std::string> NormalTreePath(std::string_view path) {
  std::vector<std::string_view> parts;
  std::string_view part;
  for (std::string_view rest = path; !rest.empty();) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    part = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    if (part == "..") {
      if (parts.empty()) return std::nullopt;
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  std::string normal = fmt::format("{}", fmt::join(parts, "/"));
  const bool is_directory = path.ends_with('/') || part == "." || part == "..";
  if (is_directory && !normal.empty()) normal += '/';
  return normal;
}

}  // namespace zpack
