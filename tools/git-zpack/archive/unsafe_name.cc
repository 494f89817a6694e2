// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/unsafe_name.h"

#include <algorithm>
#include <cstddef>

namespace zpack::cli {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char Lower(char c) {
  return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

// Removes `prefix`, which is in lower case, from the front of `name`.
bool SkipPrefix(std::string_view& name, std::string_view prefix) {
  if (!std::ranges::equal(name.substr(0, prefix.size()), prefix, {}, Lower)) {
    return false;
  }
  name.remove_prefix(prefix.size());
  return true;
}

// Whether NTFS ignores what follows a name: spaces and points, up to the end or
// to one of `ends`, after which a stream of the file or a file in it is named.
bool IsIgnored(std::string_view rest, std::string_view ends) {
  const size_t end = rest.find_first_not_of(" .");
  return end == std::string_view::npos || ends.contains(rest[end]);
}

// '.git', or its short name.
bool IsGit(std::string_view name) {
  return (SkipPrefix(name, ".git") || SkipPrefix(name, "git~1")) &&
         IsIgnored(name, ":\\");
}

// The short name of a file whose usual short names are taken: part of `hash`,
// a tilde and a number, with 8 characters.
bool SkipHashedShortName(std::string_view& name, std::string_view hash) {
  constexpr size_t kShortName = 8;
  const size_t tilde = name.find('~');
  if (name.size() < kShortName || tilde > hash.size()) return false;
  std::string_view rest = name.substr(0, kShortName);
  const bool fits = SkipPrefix(rest, hash.substr(0, tilde)) && rest[1] != '0' &&
                    std::ranges::all_of(rest.substr(1), IsDigit);
  if (fits) name.remove_prefix(kShortName);
  return fits;
}

// '.gitmodules', or one of its short names.
bool IsGitmodules(std::string_view name) {
  std::string_view rest = name;
  if (SkipPrefix(rest, ".gitmodules")) return IsIgnored(rest, ":");
  if (SkipPrefix(rest, "gitmod~") && !rest.empty() && rest[0] >= '1' &&
      rest[0] <= '4') {
    return IsIgnored(rest.substr(1), ":");
  }
  rest = name;
  return SkipHashedShortName(rest, "gi7eba") && IsIgnored(rest, ":");
}

}  // namespace

bool IsUnsafeName(std::string_view name, bool is_link) {
  if (name.empty() || name == "." || name == ".." || name.contains('/')) {
    return true;
  }
  // A backslash may separate names.
  for (std::string_view rest = name;;) {
    if (IsGit(rest) || (is_link && IsGitmodules(rest))) return true;
    const size_t backslash = rest.find('\\');
    if (backslash == std::string_view::npos) return false;
    rest.remove_prefix(backslash + 1);
  }
}

}  // namespace zpack::cli
