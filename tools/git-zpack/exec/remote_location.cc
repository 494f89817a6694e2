// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "exec/remote_location.h"

#include <fmt/format.h>

#include <algorithm>

#include "percent_code.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

std::unexpected<Error> Invalid(std::string_view location,
                               std::string_view why) {
  return std::unexpected(Error{
      ErrorCode::kInvalidArgument,
      fmt::format("invalid address '{}': {}",
                  QuoteName(NameWithoutSecrets(location), kMaxNameInMessage),
                  why)});
}

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z');
}

// Returns the scheme of a URL, or an empty text if `location` is not a URL, by
// Git's rule.
std::string_view SchemeOf(std::string_view location) {
  const size_t end = location.find("://");
  if (end == std::string_view::npos) return {};
  const std::string_view scheme = location.substr(0, end);
  const bool valid = std::ranges::all_of(scheme, [](char c) {
    return IsAlphanumeric(c) || c == '+' || c == '-' || c == '.';
  });
  return valid && !scheme.empty() && IsAlphanumeric(scheme.front())
             ? scheme
             : std::string_view{};
}

}  // namespace

Result<std::string> PathOfLocation(std::string_view location) {
  const std::string_view scheme = SchemeOf(location);
  std::string path(location);
  if (IsUrlOfHttp(location)) return path;
  if (!scheme.empty()) {
    if (scheme != "file" && scheme != "zpack") {
      return Invalid(location, "neither a file nor a URL of HTTP");
    }
    const std::string_view rest =
        location.substr(scheme.size() + std::string_view("://").size());
    const size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view host = rest.substr(0, slash);
    if (!host.empty() && host != "localhost") {
      return Invalid(location,
                     "it names a host; write three slashes before "
                     "an absolute path");
    }
    path = PercentDecode(rest.substr(slash), Plus::kPlus);
  }
  if (path.empty()) return Invalid(location, "it has no path");
  if (path.find('\0') != std::string::npos) {
    return Invalid(location, "its path has a NUL byte");
  }
  return path;
}

bool IsUrlOfHttp(std::string_view path) {
  std::string scheme(SchemeOf(path));
  for (char& c : scheme) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return scheme == "http" || scheme == "https";
}

}  // namespace zpack::cli
