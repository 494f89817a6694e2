// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/url.h"

#include <algorithm>

#include "base/ascii.h"

namespace zpack {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::ranges::equal(text.substr(0, prefix.size()), prefix,
                            [](char a, char b) { return ToLower(a) == b; });
}

}  // namespace

bool IsHttps(std::string_view url) { return HasPrefix(url, kHttps); }

bool IsUrl(std::string_view name) {
  return HasPrefix(name, kHttp) || HasPrefix(name, kHttps);
}

std::string UrlForMessages(std::string_view url) {
  std::string shown(url.substr(0, url.find_first_of("?#")));
  if (shown.size() < url.size() && url[shown.size()] == '?') shown += "?...";
  const size_t host = shown.find("://") + 3;
  const size_t slash = std::min(shown.find_first_of("/?", host), shown.size());
  const size_t at = shown.substr(0, slash).rfind('@');
  if (at == std::string::npos || at < host) return shown;
  // A name alone may be a token.
  shown.erase(host, at + 1 - host);
  return shown;
}

}  // namespace zpack
