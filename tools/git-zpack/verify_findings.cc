// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify_findings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "verify_formats.h"

namespace zpack::cli {
namespace {

constexpr std::array<std::pair<std::string_view, VerifyLevel>, 4> kLevels = {
    {{"structure", VerifyLevel::kStructure},
     {"checksums", VerifyLevel::kChecksums},
     {"objects", VerifyLevel::kObjects},
     {"connectivity", VerifyLevel::kConnectivity}}};

constexpr std::array<std::pair<std::string_view, VerifyFormat>, 5>
    kVerifyFormats = {{{"text", VerifyFormat::kText},
                       {"json", VerifyFormat::kJson},
                       {"junit", VerifyFormat::kJunit},
                       {"github", VerifyFormat::kGithub},
                       {"sarif", VerifyFormat::kSarif}}};

}  // namespace

std::optional<VerifyFormat> ParseVerifyFormat(std::string_view name) {
  for (const auto& [known, format] : kVerifyFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string_view VerifyLevelName(VerifyLevel level) {
  for (const auto& [name, known] : kLevels) {
    if (known == level) return name;
  }
  return "unknown";
}

std::optional<VerifyLevel> ParseVerifyLevel(std::string_view name) {
  for (const auto& [known, level] : kLevels) {
    if (known == name) return level;
  }
  return std::nullopt;
}

std::string_view DifferenceKindName(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::kMissing:
      return "missing";
    case Difference::Kind::kExtra:
      return "extra";
    case Difference::Kind::kDifferent:
      return "different";
  }
  return "unknown";
}

Finding FindingAt(const VerifyReport& report, uint64_t index) {
  if (index < report.damages.size()) {
    const Error& damage = report.damages[index];
    return {"damage", damage.message, damage.offset};
  }
  const Difference& difference =
      report.differences[index - report.damages.size()];
  return {DifferenceKindName(difference.kind), difference.message,
          std::nullopt};
}

uint64_t ListedCount(const VerifyFindings& findings) {
  return std::min(findings.count(), findings.max_errors);
}

void PrintVerifyFailure(VerifyFormat format, const std::string& file,
                        const Error& error, std::ostream& out) {
  switch (format) {
    case VerifyFormat::kJunit:
      return PrintJunitFailure(file, error, out);
    case VerifyFormat::kGithub:
      return PrintGithubFailure(file, error, out);
    case VerifyFormat::kSarif:
      return PrintSarifFailure(file, error, out);
    case VerifyFormat::kText:
    case VerifyFormat::kJson:
      return;
  }
}

}  // namespace zpack::cli
