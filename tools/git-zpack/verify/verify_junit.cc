// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// JUnit's XML, as GitLab, Jenkins and others read it. No element or attribute
// is used that one of them does not know.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "counted.h"
#include "verify/verify_findings.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr std::string_view kHead =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

// Escapes text for element content and attribute values. XML can contain
// neither control characters nor U+FFFE and U+FFFF.
std::string EscapeXml(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8>
      kReplacements = {{{"&", "&amp;"},
                        {"<", "&lt;"},
                        {">", "&gt;"},
                        {"\"", "&quot;"},
                        {"\t", "&#9;"},
                        {"\n", "&#10;"},
                        {"\xef\xbf\xbe", "\\357\\277\\276"},
                        {"\xef\xbf\xbf", "\\357\\277\\277"}}};
  const std::string printable = EscapeUnprintable(text);
  std::string escaped;
  for (size_t i = 0; i < printable.size();) {
    const std::string_view rest = std::string_view(printable).substr(i);
    size_t size = 1;
    std::string_view by = rest.substr(0, 1);
    for (const auto& [from, to] : kReplacements) {
      if (!rest.starts_with(from)) continue;
      size = from.size();
      by = to;
      break;
    }
    escaped += by;
    i += size;
  }
  return escaped;
}

double Seconds(const VerifyReport& report) {
  double seconds = 0;
  for (const PhaseTime& phase : report.phases) seconds += phase.seconds;
  return seconds;
}

// A test case with the findings [begin, end) of the report, which may be none.
struct Case {
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
  double seconds = 0;
};

void PrintCase(const VerifyFindings& findings, const Case& test,
               std::ostream& out) {
  out << fmt::format(
      "    <testcase classname=\"git-zpack.verify\" name=\"{}\" "
      "time=\"{:.3f}\">",
      EscapeXml(test.name), test.seconds);
  const uint64_t listed = std::min(test.end, ListedCount(findings));
  if (test.begin != test.end) {
    const uint64_t count = test.end - test.begin;
    out << fmt::format("\n      <failure type=\"{}\" message=\"{}\">",
                       findings.list[test.begin].rule,
                       Counted(count, "finding"));
    for (uint64_t i = test.begin; i < listed; ++i) {
      const Finding& finding = findings.list[i];
      out << fmt::format("{}: {}\n", finding.rule, EscapeXml(finding.message));
    }
    if (listed < test.end) out << UnlistedText(findings) << '\n';
    out << "</failure>\n    ";
  }
  out << "</testcase>\n";
}

// How many test cases there are, and how they ended.
struct Totals {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  double seconds = 0;
};

// Prints the test cases of a file.
void PrintCases(const VerifyFindings& findings, Totals& totals,
                std::ostream& out) {
  ++totals.tests;
  if (findings.failure) {
    ++totals.errors;
    out << fmt::format(
        "    <testcase classname=\"git-zpack.verify\" name=\"{}\" "
        "time=\"0\">\n"
        "      <error type=\"fatal\" message=\"{}\"></error>\n"
        "    </testcase>\n",
        EscapeXml(QuoteName(findings.file)),
        EscapeXml(findings.failure->message));
    return;
  }
  const VerifyReport& report = findings.report;
  const bool compares = !findings.repository.empty();
  // Without a comparison, a difference is one to what the user expected.
  const uint64_t own =
      findings.count() - (compares ? report.differences.size() : 0);
  const double seconds = Seconds(report);
  totals.seconds += seconds;
  totals.failures += own != 0 ? 1 : 0;
  PrintCase(findings,
            {fmt::format("{}: intact, level {}", QuoteName(findings.file),
                         VerifyLevelName(report.level)),
             0, own, seconds},
            out);
  if (!compares) return;
  ++totals.tests;
  totals.failures += own != findings.count() ? 1 : 0;
  PrintCase(findings,
            {fmt::format("{}: same as {}", QuoteName(findings.file),
                         QuoteName(findings.repository)),
             own, findings.count(), 0},
            out);
}

// What was checked and what was not, as lines.
std::string ScopeLines(const VerifyFindings& findings) {
  std::istringstream lines(ScopeText(findings) + NotCheckedText(findings));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += EscapeXml(line) + '\n';
  }
  return text;
}

// For each file that could be checked, a line, what was not checked of it, and
// a line for its parity.
std::string Summaries(const std::vector<VerifyFindings>& files) {
  std::string text;
  for (const VerifyFindings& findings : files) {
    if (findings.failure) continue;
    text += EscapeXml(VerifySummary(findings)) + '\n' + ScopeLines(findings);
    const std::string parity = EscapeXml(ParitySummary(findings.report));
    if (!parity.empty()) text += parity + '\n';
  }
  return text;
}

}  // namespace

void PrintVerifyJunit(const std::vector<VerifyFindings>& files,
                      std::ostream& out) {
  std::ostringstream cases;
  Totals totals;
  for (const VerifyFindings& findings : files) {
    PrintCases(findings, totals, cases);
  }
  out << kHead
      << fmt::format(
             "<testsuites>\n  <testsuite name=\"git-zpack verify\" "
             "tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\">\n",
             totals.tests, totals.failures, totals.errors, totals.seconds)
      << cases.view() << "    <system-out>" << Summaries(files)
      << "</system-out>\n  </testsuite>\n</testsuites>\n";
}

}  // namespace zpack::cli
