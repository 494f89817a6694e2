// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <ostream>

#include "common_options.h"
#include "output_file.h"
#include "verify/damage_hints.h"
#include "verify/verify_options.h"
#include "zpack/parity.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace repair_command {
namespace {

using Json = nlohmann::ordered_json;
using Outcome = RepairReport::Outcome;

void AddOptions(po::options_description& options) {
  options.add_options()(
      "output,o", po::value<std::string>()->value_name("<path>"),
      "path of the repaired file (default: '<file>.repaired')")(
      "in-place", "replace the damaged file, once the result is proven right")(
      "force,f", "replace an existing output");
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kUndamaged:
      return "undamaged";
    case Outcome::kRepaired:
      return "repaired";
    case Outcome::kImpossible:
      return "impossible";
  }
  return "unknown";
}

Json ToJson(const RepairReport& report) {
  Json codewords = Json::array();
  for (const LostCodeword& codeword : report.lost_codewords) {
    codewords.push_back({{"codeword", codeword.codeword},
                         {"lost_shards", codeword.lost_shards},
                         {"restorable_shards", codeword.restorable_shards}});
  }
  Json json = {{"outcome", OutcomeName(report.outcome)}};
  SetBytes(json, "parity", report.parity);
  json.update({{"data_shards", report.data_shards},
               {"parity_shards", report.parity_shards},
               {"shard_bytes", report.shard_bytes},
               {"codewords", report.codewords},
               {"lost_data_shards", report.lost_data_shards},
               {"moved_shards", report.moved_shards},
               {"lost_parity_shards", report.lost_parity_shards},
               {"lost_codewords", codewords},
               {"spare_shards", report.spare_shards},
               {"repairable_bytes", report.repairable_bytes},
               {"output", nullptr},
               {"parity_output", nullptr}});
  if (!report.output.empty()) SetBytes(json, "output", report.output);
  if (!report.parity_output.empty()) {
    SetBytes(json, "parity_output", report.parity_output);
  }
  json.update({{"phases", PhasesToJson(report.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  return json;
}

void PrintImpossible(const RepairReport& report, const std::string& file,
                     std::ostream& err) {
  for (const LostCodeword& codeword : report.lost_codewords) {
    const std::string where =
        report.codewords == 1 ? ""
                              : fmt::format("codeword {}: ", codeword.codeword);
    err << fmt::format(
        "error: {}{} shards of {} bytes are lost, and {} could be restored\n",
        where, codeword.lost_shards, report.shard_bytes,
        codeword.restorable_shards);
  }
  if (report.lost_codewords.empty()) {
    err << "error: the restored data is not the original data\n";
  }
  err << fmt::format("error: cannot repair '{}'; nothing was written\n",
                     QuoteName(file));
  PrintDamageHints(file, ParityHint::kTooLittle, err);
}

void PrintRepaired(const RepairReport& report, std::ostream& err) {
  err << fmt::format(
      "Restored {} of {} shards and {} of {} parity shards; {} shards had "
      "moved.\n",
      report.lost_data_shards, report.data_shards, report.lost_parity_shards,
      report.parity_shards, report.moved_shards);
  err << fmt::format("{} more shards could have been lost.\n",
                     report.spare_shards);
  for (const std::string& output : {report.output, report.parity_output}) {
    if (output.empty()) continue;
    err << fmt::format("Wrote '{}'.\n", QuoteName(output));
  }
}

void Print(const RepairReport& report, const std::string& file,
           std::ostream& err) {
  if (report.outcome == Outcome::kRepaired) return PrintRepaired(report, err);
  err << fmt::format(
      "'{}' is undamaged, and so is its parity, which is as much as any {} of "
      "damage needs.\n",
      QuoteName(file), HumanSize(report.repairable_bytes));
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  RepairOptions options;
  options.run = context.run();
  options.parity = Text(values, "parity");
  options.output = PathOfOutput(values);
  if (Has(values, "in-place")) {
    if (Has(values, "output")) {
      throw UsageError{
          "options '--in-place' and '--output' exclude each other"};
    }
    options.in_place = Overwrite::kYes;
  }
  if (Has(values, "force")) options.overwrite = Overwrite::kYes;
  const std::string file = Text(values, "file");
  RefuseRepository(file);
  const auto report = Repair(file, options);
  if (!report) {
    const int code = Fail(io, report.error());
    const std::string output =
        options.output.empty() ? file + ".repaired" : options.output;
    for (const std::string& one : {output, ParityBeside(output)}) {
      HintAtReplacing(values, report.error(), one, io.err);
    }
    return code;
  }
  // In place, or with the parity beside it, the file is again what its parity
  // was made for.
  if (!report->output.empty() && report->parity_output.empty() &&
      report->parity != ParityBeside(report->output) &&
      options.in_place == Overwrite::kNo) {
    WarnOfOldParity(report->output, io.err);
  }
  const bool impossible = report->outcome == Outcome::kImpossible;
  if (impossible) PrintImpossible(*report, file, io.err);
  if (Has(values, "json")) {
    PrintJson(ToJson(*report), io.out);
  } else if (!impossible && !context.quiet()) {
    Print(*report, file, io.err);
  }
  return impossible ? kNo : kDone;
}

}  // namespace
}  // namespace repair_command

const Command kRepairCommand = {
    "repair",
    "Repair a damaged .zpack file with its parity",
    "[--output <path> | --in-place] [--force] [<options>] <file> [<parity>]",
    {"file", "parity"},
    1,
    LastArgument::kOnce,
    {},
    true,
    repair_command::AddOptions,
    repair_command::Run};

}  // namespace zpack::cli
