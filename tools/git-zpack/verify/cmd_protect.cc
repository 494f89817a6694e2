// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <ostream>

#include "common_options.h"
#include "output_file.h"
#include "verify/verify_options.h"
#include "zpack/parity.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace protect_command {
namespace {

void AddOptions(po::options_description& options) {
  AddRedundancyOption(options);
  options.add_options()("beside",
                        "write the parity to '<file>.zpar' and leave the file "
                        "as it is")(
      "output,o", po::value<std::string>()->value_name("<path>"),
      "write the protected file to this path")("force,f",
                                               "replace an existing output");
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

void PrintStats(const ProtectStats& stats, std::ostream& err) {
  err << fmt::format(
      "Protected with {} of parity in '{}': any {} of damage can be "
      "repaired.\n",
      HumanSize(stats.parity_bytes), QuoteName(stats.output),
      HumanSize(stats.repairable_bytes));
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  ProtectOptions options;
  options.run = context.run();
  options.redundancy = RedundancyOf(values).value_or(options.redundancy);
  if (Has(values, "beside")) {
    if (Has(values, "output")) {
      throw UsageError{"options '--beside' and '--output' exclude each other"};
    }
    options.place = ParityPlace::kBeside;
  }
  options.output = PathOfOutput(values);
  if (Has(values, "force")) options.overwrite = Overwrite::kYes;
  const std::string file = Text(values, "file");
  RefuseRepository(file);
  const auto stats = Protect(file, options);
  if (!stats) {
    const int code = Fail(io, stats.error());
    HintAtReplacing(
        values, stats.error(),
        options.output.empty() ? ParityBeside(file) : options.output, io.err);
    return code;
  }
  // With --beside, the parity is what was written.
  if (options.place == ParityPlace::kInside) {
    WarnOfOldParity(stats->output, io.err);
  }
  if (Has(values, "json")) {
    nlohmann::ordered_json json;
    SetBytes(json, "output", stats->output);
    json.update({{"data_bytes", stats->data_bytes},
                 {"parity_bytes", stats->parity_bytes},
                 {"data_shards", stats->data_shards},
                 {"parity_shards", stats->parity_shards},
                 {"shard_bytes", stats->shard_bytes},
                 {"codewords", stats->codewords},
                 {"repairable_bytes", stats->repairable_bytes},
                 {"phases", PhasesToJson(stats->phases)},
                 {"peak_rss_bytes", PeakResidentBytes()}});
    PrintJson(json, io.out);
  } else if (!context.quiet()) {
    PrintStats(*stats, io.err);
  }
  return kDone;
}

}  // namespace
}  // namespace protect_command

const Command kProtectCommand = {
    "protect",
    "Add parity to a .zpack file, so that damage can be repaired",
    "[--redundancy <percent>] [--beside | --output <path>] [--force] "
    "[<options>] <file>",
    {"file"},
    0,
    LastArgument::kOnce,
    {},
    true,
    protect_command::AddOptions,
    protect_command::Run};

}  // namespace zpack::cli
