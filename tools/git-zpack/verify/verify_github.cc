// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Workflow commands of GitHub Actions: '::error file=<path>::<message>'.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <string>

#include "verify/verify_findings.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

enum class Where : uint8_t { kMessage, kProperty };

// Escapes as GitHub's toolkit does. A message could otherwise end its line and
// begin another command.
std::string EscapeCommand(std::string_view text, Where where) {
  std::string escaped;
  for (const char c : text) {
    const bool property = where == Where::kProperty && (c == ':' || c == ',');
    if (c == '%' || c == '\r' || c == '\n' || property) {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// The path as annotations name files: relative to the work directory of the
// job, if it is below that directory.
std::string_view PathInWorkspace(std::string_view path) {
  const char* const variable = std::getenv("GITHUB_WORKSPACE");
  std::string_view workspace = variable == nullptr ? "" : variable;
  while (workspace.ends_with('/')) workspace.remove_suffix(1);
  if (!workspace.empty() && path.starts_with(workspace) &&
      path.substr(workspace.size()).starts_with('/')) {
    path.remove_prefix(workspace.size() + 1);
  }
  while (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

// Prints an annotation. `level` is "error" or "notice".
void Annotate(std::string_view level, const std::string& file,
              std::string_view title, std::string_view message,
              std::ostream& out) {
  const std::string path = QuoteName(PathInWorkspace(file));
  out << fmt::format(
      "::{} file={},title={}::{}\n", level,
      EscapeCommand(path, Where::kProperty),
      EscapeCommand(title, Where::kProperty),
      EscapeCommand(EscapeUnprintable(message), Where::kMessage));
}

}  // namespace

void PrintVerifyGithub(const VerifyFindings& findings, std::ostream& out) {
  if (findings.failure) {
    Annotate("error", findings.file, "git-zpack verify",
             findings.failure->message, out);
    return;
  }
  const VerifyReport& report = findings.report;
  Annotate(report.ok() ? "notice" : "error", findings.file, "git-zpack verify",
           VerifySummary(findings), out);
  for (uint64_t i = 0; i < ListedCount(findings); ++i) {
    const Finding& finding = findings.list[i];
    Annotate("error", findings.file, finding.rule, finding.message, out);
  }
  const std::string unlisted = UnlistedText(findings);
  if (!unlisted.empty()) {
    Annotate("notice", findings.file, "git-zpack verify", unlisted, out);
  }
  std::string scope = ScopeText(findings);
  if (!scope.empty()) {
    scope.pop_back();
    std::ranges::replace(scope, '\n', ';');
    Annotate("notice", findings.file, "git-zpack verify", scope, out);
  }
  const std::string parity = ParitySummary(report);
  if (!parity.empty()) {
    Annotate("notice", findings.file, "git-zpack verify", parity, out);
  }
}

}  // namespace zpack::cli
