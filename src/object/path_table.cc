// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/path_table.h"

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

}  // namespace zpack
