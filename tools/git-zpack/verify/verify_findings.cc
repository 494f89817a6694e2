// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/verify_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "cli.h"
#include "common_options.h"
#include "counted.h"
#include "standard_input_file.h"

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

VerifyFormat ParseVerifyFormat(std::string_view name) {
  return NamedValue("format", name, kVerifyFormats);
}

std::string_view VerifyLevelName(VerifyLevel level) {
  for (const auto& [name, known] : kLevels) {
    if (known == level) return name;
  }
  return "unknown";
}

VerifyLevel ParseVerifyLevel(std::string_view name) {
  return NamedValue("level", name, kLevels);
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

int VerifyFindings::exit_code() const {
  if (failure) return kFailed;
  return report.ok() ? kDone : kNo;
}

std::vector<Finding> ListFindings(const VerifyReport& report,
                                  DamageListing listing) {
  std::vector<Finding> list;
  std::map<uint64_t, size_t> by_offset;  // in `list`
  for (const Error& damage : report.damages) {
    const bool of_object = !damage.object.empty();
    const bool groups = listing == DamageListing::kByBlock && damage.offset;
    if (groups && of_object && by_offset.contains(*damage.offset)) {
      ++list[by_offset[*damage.offset]].objects;
      continue;
    }
    if (groups) by_offset.try_emplace(*damage.offset, list.size());
    list.push_back({.rule = "damage",
                    .message = WithStandardInputNamed(damage.message),
                    .offset = damage.offset,
                    .object = damage.object,
                    .objects = of_object ? uint64_t{1} : 0});
  }
  for (Finding& finding : list) {
    if (finding.objects > (finding.object.empty() ? 0 : 1)) {
      finding.message += fmt::format("; {} of the block {} damaged",
                                     Counted(finding.objects, "object"),
                                     finding.objects == 1 ? "is" : "are");
    }
  }
  for (const Difference& difference : report.differences) {
    list.push_back({.rule = DifferenceKindName(difference.kind),
                    .message = difference.message,
                    .subject = difference.subject});
  }
  return list;
}

uint64_t ListedCount(const VerifyFindings& findings) {
  return std::min(findings.count(), findings.max_errors);
}

}  // namespace zpack::cli
