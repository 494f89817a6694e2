// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints what 'verify' found, in each of the formats of --format. The texts of
// all formats are safe to print: names in them are escaped. Thread-compatible.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/result.h"
#include "zpack/verify.h"

namespace zpack::cli {

// What the formats print of one run of 'verify'.
struct VerifyFindings {
  std::string file;        // as the user gave it
  std::string repository;  // as the user gave it; empty without a comparison
  std::string since;       // ScrubOptions::since
  VerifyReport report;
  // Findings that are listed at most. The counts are those of all findings.
  uint64_t max_errors = std::numeric_limits<uint64_t>::max();

  uint64_t count() const {
    return report.damages.size() + report.differences.size();
  }
};

enum class VerifyFormat : uint8_t { kText, kJson, kJunit, kGithub, kSarif };

// "text", "json", "junit", "github" or "sarif"; nothing for any other name.
std::optional<VerifyFormat> ParseVerifyFormat(std::string_view name);

// "structure", "checksums", "objects" or "connectivity".
std::string_view VerifyLevelName(VerifyLevel level);
// The inverse of VerifyLevelName. Nothing for any other name.
std::optional<VerifyLevel> ParseVerifyLevel(std::string_view name);
// "missing", "extra" or "different".
std::string_view DifferenceKindName(Difference::Kind kind);

// One line without line feed: the verdict, the level that was checked, and the
// number of findings.
std::string VerifySummary(const VerifyFindings& findings);
// What was checked and what was not, as lines; empty if everything was checked.
std::string ScopeText(const VerifyFindings& findings);
// What the parity can do, as a line without line feed; empty without parity.
std::string ParitySummary(const VerifyReport& report);

// A finding, as the formats list it. The views are valid as long as the report.
struct Finding {
  std::string_view rule;  // "damage", or "missing", "extra", "different"
  std::string_view message;
  std::optional<uint64_t> offset;  // in the file
};

// Finding `index` of `report`: damages first, then differences.
// REQUIRES: index < count().
Finding FindingAt(const VerifyReport& report, uint64_t index);
// The number of findings that are listed.
uint64_t ListedCount(const VerifyFindings& findings);
// "3 more findings are not listed"; empty if all are listed.
std::string UnlistedText(const VerifyFindings& findings);

// The summary to `out`, unless it is null, and then the findings to `err`.
void PrintVerifyText(const VerifyFindings& findings, std::ostream* out,
                     std::ostream& err);
void PrintVerifyJson(const VerifyFindings& findings, std::ostream& out);
// A JUnit report: one test case for the file, and one for the comparison.
void PrintVerifyJunit(const VerifyFindings& findings, std::ostream& out);
// Workflow commands of GitHub Actions: an annotation of the file for each
// finding.
void PrintVerifyGithub(const VerifyFindings& findings, std::ostream& out);
// A log of SARIF 2.1.0: a result for each finding.
void PrintVerifySarif(const VerifyFindings& findings, std::ostream& out);

// Prints that `file` could not be checked. kText and kJson print nothing,
// because the message is on standard error.
void PrintVerifyFailure(VerifyFormat format, const std::string& file,
                        const Error& error, std::ostream& out);

}  // namespace zpack::cli
