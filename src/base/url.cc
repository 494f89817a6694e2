// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/url.h"

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

}  // namespace zpack
