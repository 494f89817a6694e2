// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/format_string.h"

#include <algorithm>
#include <array>

#include "log/format_expansion.h"

namespace zpack::cli {
namespace {

// Calls `visit` with what follows each '%', without what changes the space
// before it, until the function returns true.
template <typename Visitor>
bool AnyPlaceholder(std::string_view format, const Visitor& visit) {
  while (true) {
    const size_t at = format.find('%');
    if (at == std::string_view::npos) return false;
    format.remove_prefix(at + 1);
    if (format.starts_with('%')) {
      format.remove_prefix(1);
      continue;
    }
    std::string_view placeholder = format;
    if (!format.empty() && std::string_view("-+ ").contains(format.front())) {
      placeholder.remove_prefix(1);
    }
    if (!placeholder.empty() && visit(placeholder)) return true;
  }
}

}  // namespace

std::optional<std::string> UnsupportedPlaceholder(std::string_view format) {
  std::optional<std::string> found;
  AnyPlaceholder(format, [&](std::string_view placeholder) {
    if (placeholder.size() > 1 && placeholder[0] == 'G' &&
        std::string_view("G?SKFPT").contains(placeholder[1])) {
      found = '%' + std::string(placeholder.substr(0, 2));
      return true;
    }
    if (placeholder.front() == 'S') {
      found = "%S";
      return true;
    }
    for (const std::string_view name :
         {"(describe", "(trailers", "(decorate", "(count", "(total"}) {
      if (!placeholder.starts_with(name)) continue;
      found = '%' + std::string(name) + ')';
      return true;
    }
    return false;
  });
  return found;
}

bool FormatUses(std::string_view format, std::string_view letters) {
  return AnyPlaceholder(format, [&](std::string_view placeholder) {
    return letters.contains(placeholder.front());
  });
}

Result<std::string> ExpandFormat(const LogLook& look, const LogSources& sources,
                                 const LoggedCommit& commit,
                                 const CommitText& text) {
  return FormatExpansion({look, sources, commit, text}).Run();
}

}  // namespace zpack::cli
