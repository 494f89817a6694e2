// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/ref_name.h"

#include <algorithm>

namespace zpack {
namespace {

bool IsValidComponent(std::string_view component) {
  return !component.empty() && component.front() != '.' &&
         !component.ends_with(".lock") &&
         component.find("..") == std::string_view::npos &&
         component.find("@{") == std::string_view::npos &&
         std::ranges::none_of(component, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte <= 0x20 || byte == 0x7f ||
                  std::string_view("~^:?*[\\").find(c) !=
                      std::string_view::npos;
         });
}

}  // namespace

bool IsValidRefName(std::string_view name) {
  if (!name.starts_with("refs/") || name.ends_with('.')) return false;
  name.remove_prefix(5);
  while (true) {
    const size_t slash = name.find('/');
    if (!IsValidComponent(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace zpack
