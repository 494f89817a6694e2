// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "zpack/quote.h"

namespace zpack {
namespace {

constexpr std::string_view kAuthorityEnd = "/?#";
// In a command, a URL also ends at white space and quotes.
constexpr std::string_view kWordEnd = "/?# \t\n\r\"'`";

bool IsSchemeCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
}

bool EndsWith(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         EqualsIgnoringCase(text.substr(text.size() - lower.size()), lower);
}

// Whether curl reads URLs of this scheme: their host may follow after any
// number of slashes.
bool IsReadByCurl(std::string_view scheme) {
  constexpr std::array<std::string_view, 4> kSchemes = {"http", "https", "ftp",
                                                        "ftps"};
  return std::ranges::any_of(kSchemes, [scheme](std::string_view each) {
    return EndsWith(scheme, each);
  });
}

// The bytes of a URL that hold user and password, with the '@' at the end.
struct Userinfo {
  size_t begin;
  size_t end;
};

// What to leave out of the URL whose scheme ends at `colon`. `start` is where
// the text begins that was not looked at. Empty, after the slashes, if there is
// nothing to leave out.
Userinfo FindUserinfo(std::string_view text, size_t start, size_t colon) {
  size_t scheme_begin = colon;
  while (scheme_begin > start && IsSchemeCharacter(text[scheme_begin - 1])) {
    --scheme_begin;
  }
  const std::string_view scheme =
      text.substr(scheme_begin, colon - scheme_begin);
  const size_t host =
      std::min(text.find_first_not_of('/', colon + 1), text.size());
  const size_t slashes = host - colon - 1;
  if (scheme.empty() || (slashes != 2 && !IsReadByCurl(scheme))) {
    return {host, host};
  }
  const std::string_view before = text.substr(0, scheme_begin);
  const bool is_whole = before.empty() || before.ends_with("::");
  const std::string_view authority = text.substr(
      host,
      text.find_first_of(is_whole ? kAuthorityEnd : kWordEnd, host) - host);
  const size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return {host, host};
  if (scheme.find("ssh") != std::string_view::npos) {
    return {host + std::min(authority.find(':'), at), host + at};
  }
  return {host, host + at + 1};
}

}  // namespace

std::string WithoutUserinfo(std::string_view text) {
  std::string result;
  size_t start = 0;
  while (true) {
    const size_t colon = text.find(":/", start);
    if (colon == std::string_view::npos) break;
    const Userinfo userinfo = FindUserinfo(text, start, colon);
    result += text.substr(start, userinfo.begin - start);
    start = userinfo.end;
  }
  return result += text.substr(start);
}

std::string NameWithoutSecrets(std::string_view name) {
  const size_t colon = name.find(":/");
  const size_t end = name.find_first_of("?#");
  if (end == std::string_view::npos || colon > end ||
      !IsReadByCurl(name.substr(0, colon))) {
    return WithoutUserinfo(name);
  }
  return WithoutUserinfo(name.substr(0, end)) +
         (name[end] == '?' ? "?..." : "");
}

}  // namespace zpack
