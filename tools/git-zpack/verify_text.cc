// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "common_options.h"
#include "verify_findings.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// What damage means for the objects.
std::string LossText(const VerifyReport& report) {
  if (report.damages.empty() || report.objects == 0) return "";
  if (report.scope && report.scope->objects_left_out != 0 &&
      report.objects_damaged == 0) {
    return "; damaged";
  }
  if (report.objects_damaged == 0) return "; damaged, but no object is lost";
  return fmt::format("; {} lost", report.objects_damaged);
}

// What became of the highest level.
std::string_view ConnectivityText(const VerifyReport& report) {
  if (report.level < VerifyLevel::kConnectivity) {
    return ", connectivity not checked";
  }
  const auto checked = std::ranges::find(
      report.phases, Phase::kCheckingConnectivity, &PhaseTime::phase);
  if (checked == report.phases.end())
    return ", connectivity not checked because of the damage";
  return report.damages.empty() ? ", connectivity ok" : ", connectivity bad";
}

// The number of findings, as the end of the summary.
std::string CountText(const VerifyReport& report) {
  std::string text;
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}{}", text.empty() ? "; " : ", ", count, what,
                        count == 1 ? "" : "s");
  };
  add(report.damages.size(), "error");
  add(report.differences.size(), "difference");
  return text;
}

}  // namespace

std::string ScopeText(const VerifyFindings& findings) {
  const VerifyReport& report = findings.report;
  if (!report.scope) return "";
  const VerifyScope& scope = *report.scope;
  if (scope.seed) {
    return fmt::format(
        "sample: {} of {} blocks checked, seed {}\n"
        "not checked: {} objects in the other blocks, the hash of the file{}, "
        "the parity\n",
        scope.blocks_checked, scope.blocks, *scope.seed, scope.objects_left_out,
        report.level == VerifyLevel::kObjects ? ", peeled refs" : "");
  }
  return fmt::format(
      "since '{}': objects of {} of {} blocks hashed\n"
      "not hashed: {} objects in blocks that '{}' holds byte for byte; their "
      "checksums were checked\n",
      QuoteName(findings.since), scope.blocks_checked, scope.blocks,
      scope.objects_left_out, QuoteName(findings.since));
}

std::string ParitySummary(const VerifyReport& report) {
  if (!report.parity) return "";
  const ParityState& parity = *report.parity;
  std::string text = fmt::format("parity: {} of {} shards, ",
                                 parity.parity_left, parity.parity_shards);
  if (parity.other_version) {
    text += "made for another version of the file";
  } else if (parity.damaged_shards == 0) {
    text += fmt::format("any {} of damage can be repaired",
                        HumanSize(parity.repairable_bytes));
  } else if (parity.repair_possible) {
    text += fmt::format(
        "{} damaged shards of the file can be repaired with 'git zpack repair'",
        parity.damaged_shards);
  } else {
    text += fmt::format("too few for {} damaged shards of the file",
                        parity.damaged_shards);
  }
  return text;
}

std::string VerifySummary(const VerifyFindings& findings) {
  const VerifyReport& report = findings.report;
  const std::string_view verdict = report.ok() ? "ok" : "bad";
  const std::string against =
      report.git_directory.empty()
          ? ""
          : fmt::format(", compared with '{}'",
                        QuoteName(report.git_directory));
  const std::string promised =
      report.promised_objects == 0
          ? ""
          : "; " + PromisedText(report.promised_objects);
  if (report.level < VerifyLevel::kObjects) {
    return fmt::format("{}: {} ({} only){}{}{}", QuoteName(findings.file),
                       verdict, VerifyLevelName(report.level), against,
                       promised, CountText(report));
  }
  std::string text =
      fmt::format("{}: {}, {} of {} objects verified{}{}{}{}{}",
                  QuoteName(findings.file), verdict, report.objects_verified,
                  report.objects, ConnectivityText(report), LossText(report),
                  against, promised, CountText(report));
  if (report.moved_on.any()) {
    text +=
        fmt::format("; the repository moved on: {}", Describe(report.moved_on));
  }
  return text;
}

std::string UnlistedText(const VerifyFindings& findings) {
  const uint64_t more = findings.count() - ListedCount(findings);
  if (more == 0) return "";
  return fmt::format("{} more finding{} not listed", more,
                     more == 1 ? " is" : "s are");
}

void PrintVerifyText(const VerifyFindings& findings, std::ostream* out,
                     std::ostream& err) {
  if (out != nullptr) {
    *out << VerifySummary(findings) << '\n' << ScopeText(findings);
    const std::string parity = ParitySummary(findings.report);
    if (!parity.empty()) *out << parity << '\n';
    // The counts come before the list, also where both go to one terminal.
    out->flush();
  }
  for (uint64_t i = 0; i < ListedCount(findings); ++i) {
    err << "error: " << EscapeUnprintable(FindingAt(findings.report, i).message)
        << '\n';
  }
  const std::string unlisted = UnlistedText(findings);
  if (!unlisted.empty()) err << "hint: " << unlisted << '\n';
}

}  // namespace zpack::cli
