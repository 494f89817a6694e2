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

uint32_t PathTable::Intern(uint32_t parent, std::string_view name) {
  const auto known = numbers_.find(Key{parent, name});
  if (known != numbers_.end()) return known->second;
  const uint32_t number = size();
  const Node& node = nodes_.emplace_back(Node{parent, std::string(name)});
  numbers_.emplace(Key{parent, node.name}, number);
  return number;
}

std::string PathTable::FullPath(uint32_t path) const {
  std::vector<uint32_t> parts;
  for (; path != kRoot; path = nodes_[path].parent) parts.push_back(path);
  std::string full;
  for (const uint32_t part : std::views::reverse(parts)) {
    if (!full.empty()) full += '/';
    full += nodes_[part].name;
  }
  return full;
}

uint32_t PathTranslation::operator()(uint32_t path) {
  std::vector<uint32_t> unknown;
  while (path != PathTable::kRoot && numbers_[path] == 0) {
    unknown.push_back(path);
    path = from_.Parent(path);
  }
  uint32_t number =
      path == PathTable::kRoot ? PathTable::kRoot : numbers_[path];
  for (; !unknown.empty(); unknown.pop_back()) {
    number = to_.Intern(number, from_.Name(unknown.back()));
    numbers_[unknown.back()] = number;
  }
  return number;
}

}  // namespace zpack
