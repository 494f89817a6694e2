// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <ostream>
#include <string>

#include "chain_parts.h"
#include "common_options.h"
#include "convert/convert_output.h"
#include "convert/profile_names.h"
#include "counted.h"
#include "zpack/consolidate.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace consolidate_command {
namespace {

constexpr int64_t kMaxFiles = 255;
constexpr int64_t kMaxFactor = 1000;

void AddOptions(po::options_description& options) {
  options.add_options()(
      "profile", po::value<std::string>()->value_name("<profile>"),
      "encode every object again: fast, balanced, max or cold; without it, "
      "blocks are copied")(
      "from", po::value<std::string>()->value_name("<n>"),
      "join the <n>th file and those after it, as 'show' counts them")(
      "geometric", po::value<std::string>()->value_name("<factor>"),
      "join only so many that each file is <factor> times as large as all "
      "newer "
      "ones together");
  AddForceOption(options,
                 "replace an existing output; twice, also if other files "
                 "depend on it");
  options.add_options()("no-verify",
                        "skip reading the file back and hashing every object");
  AddBackingOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

ConsolidateOptions ToOptions(const po::variables_map& values) {
  ConsolidateOptions options;
  options.read.backing = BackingOf(values);
  if (Has(values, "profile")) {
    options.profile =
        NamedValue("profile", Text(values, "profile"), kProfileNames);
  }
  RefuseBeside(values, "from", {"geometric"});
  options.from = static_cast<uint32_t>(Number(values, "from", 1, kMaxFiles, 1));
  if (Has(values, "geometric")) {
    options.geometric =
        static_cast<uint32_t>(Number(values, "geometric", 2, kMaxFactor, 2));
  }
  if (Has(values, "force")) options.overwrite = Overwrite::kYes;
  options.dependents = DependentsOf(values);
  if (Has(values, "no-verify")) options.read_back = ReadBack::kNo;
  return options;
}

void PrintStats(const ConsolidateStats& stats, const std::string& output,
                std::ostream& err) {
  if (stats.files == 0) {
    err << fmt::format("Nothing to join: {} in geometric progression.\n",
                       Counted(stats.files_below, "file"));
    return;
  }
  err << fmt::format(
      "Joined {} ({}) in '{}': {}, {}{}.\n", Counted(stats.files, "file"),
      HumanSize(stats.bytes_before), QuoteName(output),
      Counted(stats.objects, "object"), HumanSize(stats.bytes),
      stats.files_below == 0 ? ""
                             : fmt::format("; it depends on {}",
                                           Counted(stats.files_below, "file")));
}

void PrintStatsAsJson(const ConsolidateStats& stats, const std::string& output,
                      std::ostream& out) {
  nlohmann::ordered_json json;
  SetBytes(json, "output", output);
  json.update({{"files", stats.files},
               {"files_below", stats.files_below},
               {"objects", stats.objects},
               {"bytes_before", stats.bytes_before},
               {"file_bytes", stats.bytes},
               {"phases", PhasesToJson(stats.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  PrintJson(json, out);
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  ConsolidateOptions options = ToOptions(values);
  options.run = context.run();
  const std::string file = Text(values, "file");
  RefuseRepository(file);
  // With --geometric, there may be nothing to write.
  RefuseWithStream(values, "output", {"geometric", "json"});
  auto output = ConvertOutput::Open(Text(values, "output"), io);
  if (!output) return Fail(io, output.error());
  const auto stats = Consolidate(file, output->path(), options);
  if (!stats) {
    const int code = Fail(io, stats.error());
    HintAtForce(values, stats.error(), output->path(), io.err);
    return code;
  }
  const Status sent = output->Send(io);
  if (!sent) return Fail(io, sent.error());
  if (stats->files != 0 && !output->is_stream()) {
    WarnOfOldParity(output->path(), io.err);
    if (stats->files_below != 0) {
      WarnOfPlace(file, output->path(), options.read.backing, io.err);
    }
  }
  if (Has(values, "json")) {
    PrintStatsAsJson(*stats, output->name(), io.out);
  } else if (!context.quiet()) {
    PrintStats(*stats, output->name(), io.err);
  }
  return kDone;
}

}  // namespace
}  // namespace consolidate_command

const Command kConsolidateCommand = {
    "consolidate",
    "Make one file of several that depend on each other",
    "[--profile <profile>] [--from <n> | --geometric <factor>] [--force] "
    "[<options>] <file> (<output> | -)",
    {"file", "output"},
    0,
    LastArgument::kOnce,
    {},
    true,
    consolidate_command::AddOptions,
    consolidate_command::Run};

}  // namespace zpack::cli
