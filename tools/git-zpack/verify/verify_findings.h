// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints what 'verify' found, in each of the formats of --format. The texts of
// all formats are safe to print: names in them are escaped. Thread-compatible.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/statement.h"
#include "zpack/result.h"
#include "zpack/verify.h"

namespace zpack::cli {

// A finding, as the formats list it.
struct Finding {
  std::string_view rule;  // "damage", or "missing", "extra", "different"
  std::string message;    // safe to print, but for control characters
  std::optional<uint64_t> offset = std::nullopt;  // in the file
  ObjectId object = {};      // of damage: the first damaged object; or empty
  uint64_t objects = 0;      // of damage: how many objects are damaged
  std::string subject = {};  // Difference::subject
};

// What the formats print of one file.
struct VerifyFindings {
  // As the user gave it; kStandardInputName for standard input.
  std::string file;
  std::string repository = {};  // as the user gave it; empty for no comparison
  std::string since = {};       // ScrubOptions::since
  ReadSource read_source = ReadSource::kNo;
  // Why the file could not be checked. The report is empty then.
  std::optional<Error> failure = std::nullopt;
  VerifyReport report = {};
  // Of --attestation; nothing without the option.
  std::optional<StatementResult> statement = std::nullopt;
  std::vector<Finding> list = {};  // by ListFindings
  // Findings that are printed at most. The counts are those of all findings.
  uint64_t max_errors = kDefaultMaxErrors;

  static constexpr uint64_t kDefaultMaxErrors = 20;

  uint64_t count() const { return list.size(); }
  int exit_code() const;
};

// How damaged objects are listed.
enum class DamageListing : uint8_t {
  kByBlock,   // one finding for each damaged block
  kByObject,  // one for each damaged object, and one for the block
};

// The findings of a report: damages first, then differences.
std::vector<Finding> ListFindings(const VerifyReport& report,
                                  DamageListing listing);

enum class VerifyFormat : uint8_t { kText, kJson, kJunit, kGithub, kSarif };

// "text", "json", "junit", "github" or "sarif". Throws UsageError for any other
// name.
VerifyFormat ParseVerifyFormat(std::string_view name);

// "structure", "checksums", "objects" or "connectivity".
std::string_view VerifyLevelName(VerifyLevel level);
// The inverse of VerifyLevelName. Throws UsageError for any other name.
VerifyLevel ParseVerifyLevel(std::string_view name);
// "missing", "extra" or "different".
std::string_view DifferenceKindName(Difference::Kind kind);

// One line without line feed: the verdict, the level that was checked, and the
// number of findings.
std::string VerifySummary(const VerifyFindings& findings);
// What was checked and what was not, as lines; empty if everything was checked.
std::string ScopeText(const VerifyFindings& findings);
// What a statement says and the file cannot show, as a line; empty if that is
// nothing.
std::string NotCheckedText(const VerifyFindings& findings);
// What the parity can do, as a line without line feed; empty without parity.
std::string ParitySummary(const VerifyReport& report);

// The number of findings that are listed.
uint64_t ListedCount(const VerifyFindings& findings);
// "3 more findings are not listed, '--max-errors=all' lists all"; empty if all
// are listed.
std::string UnlistedText(const VerifyFindings& findings);

// Each of these prints files that could not be checked, too, except for the
// text and JSON of one file: the message is on standard error.

// The summary to `out`, unless it is null, and then the findings to `err`.
void PrintVerifyText(const VerifyFindings& findings, std::ostream* out,
                     std::ostream& err);
// Warns of what is wrong with neither the file nor the repository.
void WarnOfRest(const VerifyFindings& findings, std::ostream& err);
// The findings.
void PrintFindings(const VerifyFindings& findings, std::ostream& err);
nlohmann::ordered_json VerifyJson(const VerifyFindings& findings);
// A JUnit report: for each file a test case, and one for the comparison.
void PrintVerifyJunit(const std::vector<VerifyFindings>& files,
                      std::ostream& out);
// Workflow commands of GitHub Actions: an annotation of the file for each
// finding.
void PrintVerifyGithub(const VerifyFindings& findings, std::ostream& out);
// A log of SARIF 2.1.0: a result for each finding.
void PrintVerifySarif(const std::vector<VerifyFindings>& files,
                      std::ostream& out);

}  // namespace zpack::cli
