// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/damage_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>

#include "standard_input_file.h"
#include "zpack/quote.h"
#include "zpack/verify.h"

namespace zpack::cli {
namespace {

// True if nothing is damaged that 'restore --keep-going' needs.
bool HasStructure(const std::string& path) {
  VerifyOptions options;
  options.level = VerifyLevel::kStructure;
  const auto report = Verify(path, "", options);
  return report && !report->file_hash.empty();
}

// Prints what helps with the files below. Returns the paths of the damaged
// files with which it does.
std::set<std::string> PrintHintsBelow(const VerifyReport& report,
                                      std::ostream& err) {
  std::set<std::string> helped;
  for (const auto& [file, found, stale] : report.parity_below) {
    if (!found) continue;
    const ParityState& parity = *found;
    ParityHint hint = ParityHint::kDamaged;
    if (parity.damaged_shards != 0) {
      if (!parity.repair_possible) continue;
      hint = ParityHint::kEnough;
    } else if (parity.intact) {
      continue;
    } else if (parity.parity_shards == 0) {
      hint = ParityHint::kGone;
    }
    PrintDamageHints(file, hint, err);
    helped.insert({file, parity.path});
  }
  return helped;
}

}  // namespace

void PrintDamageHints(const std::string& path, ParityHint parity,
                      std::ostream& err, const std::string& damaged) {
  const std::string file = QuoteForShell(path);
  if (parity == ParityHint::kEnough) {
    err << fmt::format(
        "hint: the parity can repair the file: git zpack repair {}\n", file);
    return;
  }
  if (parity == ParityHint::kDamaged || parity == ParityHint::kGone) {
    err << fmt::format(
        "hint: only the parity is damaged; to make it again: git zpack {} {}\n",
        parity == ParityHint::kGone ? "protect" : "repair --in-place", file);
    return;
  }
  if (parity == ParityHint::kUnknown) {
    err << fmt::format("hint: if the file has parity: git zpack repair {}\n",
                       QuoteForShell(damaged.empty() ? path : damaged));
  }
  const bool restorable = HasStructure(path);
  if (restorable) {
    err << fmt::format(
        "hint: to restore all but the damaged objects: git zpack restore "
        "--keep-going {} <directory>\n",
        file);
  }
  err << fmt::format(
      "hint: {} what is left of the file: git zpack salvage {} <directory>\n",
      restorable ? "if that fails, for" : "for", file);
}

void PrintDamageHints(const VerifyFindings& findings, std::ostream& err) {
  const VerifyReport& report = findings.report;
  if (report.damages.empty() || findings.file == kStandardInputName) return;
  ParityHint hint = ParityHint::kTooLittle;
  if (report.parity && report.parity->damaged_shards != 0 &&
      report.parity->repair_possible) {
    hint = ParityHint::kEnough;
  } else if (report.parity && !report.parity->intact &&
             report.damages.size() == 1) {
    hint = report.parity->parity_shards == 0 ? ParityHint::kGone
                                             : ParityHint::kDamaged;
  }
  const std::set<std::string> helped = PrintHintsBelow(report, err);
  if (std::ranges::all_of(report.damages, [&](const Error& damage) {
        return helped.contains(damage.path);
      })) {
    return;
  }
  PrintDamageHints(findings.file, hint, err);
}

}  // namespace zpack::cli
