// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/ref_name.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace zpack {
namespace {

// By byte: whether it may be in the name of a ref.
constexpr std::array<bool, 256> kAllowed = [] {
  std::array<bool, 256> allowed{};
  for (size_t byte = 0x21; byte < allowed.size(); ++byte) allowed[byte] = true;
  allowed[0x7f] = false;
  for (const char c : {'~', '^', ':', '?', '*', '[', '\\'}) {
    allowed[static_cast<unsigned char>(c)] = false;
  }
  return allowed;
}();

bool IsValidComponent(std::string_view component) {
  return !component.empty() && component.front() != '.' &&
         !component.ends_with(".lock") &&
         component.find("..") == std::string_view::npos &&
         component.find("@{") == std::string_view::npos &&
         std::ranges::all_of(component, [](char c) {
           return kAllowed[static_cast<unsigned char>(c)];
         });
}

// True if each component can be the name of a file.
bool FitsFileNames(std::string_view name) {
  size_t begin = 0;
  while (true) {
    const size_t slash = std::min(name.find('/', begin), name.size());
    if (slash - begin > kMaxRefComponent) return false;
    if (slash == name.size()) return true;
    begin = slash + 1;
  }
}

Status CheckRef(const Ref& ref, ErrorCode code) {
  if (!IsValidRefName(ref.name)) {
    return MakeError(code, "bad ref name '{}'", ref.name);
  }
  if (ref.name == "refs/heads" || ref.name == "refs/tags") {
    return MakeError(code, "ref '{}' is where repositories have a directory",
                     ref.name);
  }
  if (ref.symbolic() && !FitsFileNames(ref.name)) {
    return MakeError(code,
                     "symbolic ref '{}' has a component of more than {} "
                     "bytes",
                     ref.name, kMaxRefComponent);
  }
  return {};
}

}  // namespace

bool IsValidRefName(std::string_view name) {
  if (name.size() > kMaxRefName || !name.starts_with("refs/") ||
      name.ends_with('.')) {
    return false;
  }
  name.remove_prefix(5);
  while (true) {
    const size_t slash = name.find('/');
    if (!IsValidComponent(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

Status CheckRefs(const std::vector<Ref>& refs, ErrorCode code) {
  // Earlier names that are prefixes of `name`. Each is a prefix of the next.
  std::vector<std::string_view> prefixes;
  for (const Ref& ref : refs) {
    ZPACK_TRY(CheckRef(ref, code));
    const std::string_view name = ref.name;
    while (!prefixes.empty() && !name.starts_with(prefixes.back())) {
      prefixes.pop_back();
    }
    for (const std::string_view prefix : prefixes) {
      if (name.size() > prefix.size() && name[prefix.size()] == '/') {
        return MakeError(code, "refs '{}' and '{}' cannot be in one repository",
                         prefix, name);
      }
    }
    prefixes.push_back(name);
  }
  return {};
}

}  // namespace zpack
