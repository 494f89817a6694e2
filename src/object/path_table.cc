// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/path_table.h"

#include <ranges>

namespace zpack {

std::string_view FileExtension(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view()
                                                   : name.substr(dot + 1);
}

PathTable::PathTable() { nodes_.push_back({kRoot, ""}); }

PathNumber PathTable::Intern(PathNumber parent, std::string_view name) {
  const auto known = numbers_.find(Key{parent, name});
  if (known != numbers_.end()) return known->second;
  const PathNumber number(size());
  const Node& node = nodes_.emplace_back(Node{parent, std::string(name)});
  numbers_.emplace(Key{parent, node.name}, number);
  return number;
}

std::string PathTable::FullPath(PathNumber path) const {
  std::vector<PathNumber> parts;
  for (; path != kRoot; path = Parent(path)) parts.push_back(path);
  std::string full;
  for (const PathNumber part : std::views::reverse(parts)) {
    if (!full.empty()) full += '/';
    full += Name(part);
  }
  return full;
}

PathNumber PathTranslation::operator()(PathNumber path) {
  std::vector<PathNumber> unknown;
  while (path != PathTable::kRoot && numbers_[path] == PathTable::kRoot) {
    unknown.push_back(path);
    path = from_.Parent(path);
  }
  PathNumber number =
      path == PathTable::kRoot ? PathTable::kRoot : numbers_[path];
  for (; !unknown.empty(); unknown.pop_back()) {
    number = to_.Intern(number, from_.Name(unknown.back()));
    numbers_[unknown.back()] = number;
  }
  return number;
}

}  // namespace zpack
