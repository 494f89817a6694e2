// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "common_options.h"
#include "counted.h"
#include "verify/verify_findings.h"
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

// Whether the file is as the statement says.
std::string StatementText(const VerifyFindings& findings) {
  if (!findings.statement) return "";
  const StatementResult& result = *findings.statement;
  if (!result.compared) return ", not compared with the statement";
  return fmt::format(", {} '{}' says",
                     result.differences == 0 ? "as" : "not as",
                     QuoteName(result.path));
}

// The number of findings, as the end of the summary.
std::string CountText(const VerifyFindings& findings) {
  const uint64_t differences = findings.report.differences.size();
  std::string text;
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count == 0) return;
    text +=
        fmt::format("{}{}", text.empty() ? "; " : ", ", Counted(count, what));
  };
  add(findings.count() - differences, "error");
  add(differences, "difference");
  return text;
}

// Names what was lost before.
void PrintLosses(const std::vector<ListedLoss>& losses, std::ostream& out) {
  constexpr size_t kMaxLosses = 20;
  for (size_t i = 0; i < std::min(losses.size(), kMaxLosses); ++i) {
    const auto& [id, type] = losses[i];
    out << fmt::format("lost before: {} {}\n",
                       type ? ObjectTypeName(*type) : "object", id.ToHex());
  }
  if (losses.size() > kMaxLosses) {
    out << fmt::format("lost before: {}; --json lists all\n",
                       Counted(losses.size() - kMaxLosses, "more object"));
  }
}

}  // namespace

std::string ScopeText(const VerifyFindings& findings) {
  const VerifyReport& report = findings.report;
  if (!report.scope) return "";
  const VerifyScope& scope = *report.scope;
  if (scope.seed) {
    return fmt::format(
        "sample: {} of {} checked, seed {}\n"
        "not checked: {} in the other blocks, the hash of the file{}, the "
        "parity\n",
        scope.blocks_checked, Counted(scope.blocks, "block"), *scope.seed,
        Counted(scope.objects_left_out, "object"),
        report.level == VerifyLevel::kObjects ? ", peeled refs" : "");
  }
  if (findings.since.empty()) {
    return fmt::format(
        "own: {} of {} checked\n"
        "not checked: {} in the files that it depends on\n",
        scope.blocks_checked, Counted(scope.blocks, "block"),
        Counted(scope.objects_left_out, "object"));
  }
  return fmt::format(
      "since '{}': objects of {} of {} hashed\n"
      "not hashed: {} in blocks that '{}' holds byte for byte; their checksums "
      "were checked\n",
      QuoteName(findings.since), scope.blocks_checked,
      Counted(scope.blocks, "block"), Counted(scope.objects_left_out, "object"),
      QuoteName(findings.since));
}

std::string NotCheckedText(const VerifyFindings& findings) {
  if (!findings.statement || findings.statement->not_checked.empty()) return "";
  return fmt::format("not checked of the statement: {}\n",
                     fmt::join(findings.statement->not_checked, ", "));
}

std::string ParitySummary(const VerifyReport& report) {
  if (report.parity_skipped) {
    return "parity: not checked over HTTP; download the file to check it";
  }
  if (!report.parity) return "";
  const ParityState& parity = *report.parity;
  if (parity.parity_shards == 0) return "parity: no packet is left";
  std::string text = fmt::format("parity: {} of {}, ", parity.parity_left,
                                 Counted(parity.parity_shards, "shard"));
  if (parity.damaged_shards == 0) {
    text += fmt::format("as many as any {} of damage needs",
                        HumanSize(parity.repairable_bytes));
  } else if (parity.repair_possible) {
    text +=
        fmt::format("{} of the file can be repaired with 'git zpack repair'",
                    Counted(parity.damaged_shards, "damaged shard"));
  } else {
    text += fmt::format("too few for {} of the file",
                        Counted(parity.damaged_shards, "damaged shard"));
  }
  return text;
}

std::string VerifySummary(const VerifyFindings& findings) {
  const VerifyReport& report = findings.report;
  const std::string_view verdict = report.ok() ? "ok" : "bad";
  const std::string against =
      report.git_directory.empty()
          ? ""
          : fmt::format(", compared with '{}' {}",
                        QuoteName(report.git_directory),
                        findings.read_source == ReadSource::kYes
                            ? "(contents of objects read)"
                            : "(contents of objects not read)");
  const std::string promised =
      report.promised_objects == 0
          ? ""
          : "; " + PromisedText(report.promised_objects);
  const std::string lost =
      report.lost_objects.empty()
          ? ""
          : ", but " + LostText(report.lost_objects.size());
  if (report.level < VerifyLevel::kObjects) {
    return fmt::format("{}: {} ({} only){}{}{}{}{}", QuoteName(findings.file),
                       verdict, VerifyLevelName(report.level), lost, against,
                       StatementText(findings), promised, CountText(findings));
  }
  std::string text = fmt::format(
      "{}: {}, {} of {} verified{}{}{}{}{}{}{}", QuoteName(findings.file),
      verdict, report.objects_verified, Counted(report.objects, "object"), lost,
      ConnectivityText(report), LossText(report), against,
      StatementText(findings), promised, CountText(findings));
  if (report.moved_on.any()) {
    text +=
        fmt::format("; the repository moved on: {}", Describe(report.moved_on));
  }
  return text;
}

std::string UnlistedText(const VerifyFindings& findings) {
  const uint64_t more = findings.count() - ListedCount(findings);
  if (more == 0) return "";
  return fmt::format("{} {} not listed; '--max-errors=all' lists all",
                     Counted(more, "more finding"), more == 1 ? "is" : "are");
}

void PrintVerifyText(const VerifyFindings& findings, std::ostream* out,
                     std::ostream& err) {
  if (out != nullptr) {
    *out << VerifySummary(findings) << '\n'
         << ScopeText(findings) << NotCheckedText(findings);
    PrintLosses(findings.report.lost_objects, *out);
    const std::string parity = ParitySummary(findings.report);
    if (!parity.empty()) *out << parity << '\n';
    // The counts come before the list, also where both go to one terminal.
    out->flush();
  }
  PrintFindings(findings, err);
}

void WarnOfRest(const VerifyFindings& findings, std::ostream& err) {
  for (const std::string& what : findings.report.left_out) {
    err << fmt::format("warning: not in the file: {}\n", what);
  }
  if (!findings.report.stale_parity.empty()) {
    err << StaleParityText(findings.report.stale_parity, findings.file);
  }
  for (const auto& below : findings.report.parity_below) {
    if (!below.stale.empty()) err << StaleParityText(below.stale, below.file);
  }
}

void PrintFindings(const VerifyFindings& findings, std::ostream& err) {
  for (uint64_t i = 0; i < ListedCount(findings); ++i) {
    err << "error: " << EscapeUnprintable(findings.list[i].message) << '\n';
  }
  const std::string unlisted = UnlistedText(findings);
  if (!unlisted.empty()) err << "hint: " << unlisted << '\n';
}

}  // namespace zpack::cli
