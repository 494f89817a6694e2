// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "common_options.h"
#include "convert_phases.h"
#include "zpack/convert.h"
#include "zpack/parity.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  options.add_options()(
      "profile", po::value<std::string>()->value_name("<profile>"),
      "work spent to make the file smaller: fast, balanced (default) or max")(
      "level", po::value<std::string>()->value_name("<n>"),
      "zstd compression level, 1 to 22; overrides the profile")(
      "block-size", po::value<std::string>()->value_name("<size>"),
      "bytes of data per block of blobs, 4k to 16m; overrides the profile")(
      "reachable", "store only objects reachable from refs, HEAD and reflogs")(
      "allow-promised",
      "convert a partial clone: list the missing objects that its remote "
      "promises")(
      "base", po::value<std::string>()->value_name("<file>"),
      "copy the blocks of this older file; encode only what is new")(
      "trust-base", "with --base: do not hash the objects in copied blocks")(
      "resume", "continue an interrupted conversion to this file")(
      "force,f", "replace the file if it exists")(
      "redundancy", po::value<std::string>()->value_name("<percent>"),
      "add parity, as 'git zpack protect' does, in percent of the file")(
      "no-verify", "skip reading the file back and hashing every object");
  AddWithoutOption(options);
  options.add_options()(
      "with",
      po::value<std::vector<std::string>>()->composing()->value_name("<path>"),
      "also take this file or directory of the git directory; may be repeated");
  AddDiscoveryOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

Profile ParseProfile(const std::string& text) {
  if (text == "fast") return Profile::kFast;
  if (text == "balanced") return Profile::kBalanced;
  if (text == "max") return Profile::kMax;
  throw UsageError{fmt::format("unknown profile '{}'", text)};
}

// Paths below the git directory, without a slash at the end.
std::vector<std::string> WithOf(const po::variables_map& values) {
  std::vector<std::string> paths = Texts(values, "with");
  for (std::string& path : paths) {
    while (path.ends_with('/')) path.pop_back();
  }
  return paths;
}

// All options except RunOptions.
ConvertOptions ToOptions(const po::variables_map& values) {
  ConvertOptions options;
  options.discovery = DiscoveryOf(values);
  if (Has(values, "profile")) {
    options.profile = ParseProfile(Text(values, "profile"));
  }
  if (Has(values, "level")) {
    options.level = static_cast<int>(Number(values, "level", 1, 22, 1));
  }
  if (Has(values, "block-size")) {
    options.block_size = ParseSize(Text(values, "block-size"), "block-size");
    if (*options.block_size < ConvertOptions::kMinBlockSize ||
        *options.block_size > ConvertOptions::kMaxBlockSize) {
      throw UsageError{"option '--block-size' expects 4k to 16m"};
    }
  }
  if (Has(values, "reachable")) options.objects = ObjectSet::kReachable;
  if (Has(values, "allow-promised")) options.promised = AllowPromised::kYes;
  if (Has(values, "base")) options.base = Text(values, "base");
  if (Has(values, "trust-base")) {
    if (!options.base) {
      throw UsageError{"option '--trust-base' needs '--base'"};
    }
    options.trust_base = TrustBase::kYes;
  }
  if (Has(values, "resume")) options.resume = Resume::kYes;
  if (Has(values, "force")) options.overwrite = Overwrite::kYes;
  if (Has(values, "no-verify")) options.read_back = ReadBack::kNo;
  options.without_files = WithoutOf(values);
  options.with_files = WithOf(values);
  return options;
}

// Copied blocks change the shares of the phases, so then there is no estimate.
std::vector<PhaseShare> ExpectedPhases(const ConvertOptions& options) {
  if (options.base || options.resume == Resume::kYes) return {};
  return ConvertPhases(options.profile, options.read_back);
}

// Returns null if no older archive was given.
Json BaseToJson(const ConvertStats& stats, const ConvertOptions& options) {
  if (!options.base) return nullptr;
  Json unused = nullptr;
  if (!stats.base_unused.empty()) unused = stats.base_unused;
  return {{"unused", unused},
          {"unrelated", stats.base_unrelated},
          {"copied_blocks", stats.reused.blocks},
          {"copied_bytes", stats.reused.bytes},
          {"copied_objects", stats.reused.objects},
          {"renumbered_blocks", stats.reused.renumbered_blocks}};
}

bool IsVerified(const ConvertStats& stats, const ConvertOptions& options) {
  return options.read_back == ReadBack::kYes && stats.unverified_objects == 0;
}

// Continues the summary line.
std::string Verification(const ConvertStats& stats,
                         const ConvertOptions& options) {
  if (IsVerified(stats, options)) return ", verified";
  if (options.read_back == ReadBack::kNo) return ", not verified";
  return fmt::format(", not verified: {} objects copied from '{}'",
                     stats.unverified_objects, QuoteName(*options.base));
}

// What was written: the file, and the parity in it.
struct Written {
  ConvertStats stats;
  uint64_t parity_bytes = 0;
};

// Adds parity to the new file.
Status AddParity(const std::string& file, uint32_t redundancy,
                 const RunOptions& run, Written& written) {
  ProtectOptions options;
  options.run = run;
  options.redundancy = redundancy;
  const auto added = Protect(file, options);
  if (!added) return std::unexpected(added.error());
  written.parity_bytes = added->parity_bytes;
  written.stats.file_size = added->file_bytes;
  written.stats.phases.insert(written.stats.phases.end(), added->phases.begin(),
                              added->phases.end());
  return {};
}

Json ToJson(const Written& written, const ConvertOptions& options) {
  const ConvertStats& stats = written.stats;
  Json types = Json::object();
  for (const auto& type : stats.types) {
    types[std::string(ObjectTypeName(type.type))] = {
        {"count", type.count},
        {"raw_bytes", type.raw_bytes},
        {"stored_bytes", type.stored_bytes}};
  }
  Json json;
  SetBytes(json, "git_directory", stats.git_directory);
  json.update({{"objects", stats.objects()},
               {"raw_bytes", stats.raw_bytes()},
               {"types", types},
               {"index_bytes", stats.index_bytes()},
               {"file_bytes", stats.file_size},
               {"parity_bytes", written.parity_bytes},
               {"source_pack_bytes", stats.source_pack_bytes},
               {"refs", stats.refs},
               {"promised_objects", stats.promised_objects},
               {"files", stats.files},
               {"content_of_files_bytes", stats.file_bytes},
               {"base", BaseToJson(stats, options)},
               {"moved_on", MovedOnToJson(stats.moved_on)},
               {"missing_alternates",
                MissingAlternatesToJson(stats.missing_alternates)},
               {"resumed_blocks", stats.resumed_blocks},
               {"verified", IsVerified(stats, options)},
               {"unverified_objects", stats.unverified_objects},
               {"phases", PhasesToJson(stats.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  return json;
}

void PrintWarnings(const ConvertStats& stats, const ConvertOptions& options,
                   std::ostream& err) {
  if (stats.moved_on.any()) {
    err << fmt::format("warning: the source moved on: {}, not included\n",
                       Describe(stats.moved_on));
  }
  for (const std::string& what : stats.left_out) {
    err << fmt::format("warning: not included: {}\n", what);
  }
  if (!stats.resume_unused.empty()) {
    err << fmt::format(
        "warning: cannot resume, started from the beginning: {}\n",
        stats.resume_unused);
  }
  if (!stats.base_unused.empty()) {
    err << fmt::format(
        "warning: cannot use '{}' as base, converted everything: {}\n",
        QuoteName(*options.base), stats.base_unused);
  }
}

void PrintConverted(const Written& written, const ConvertOptions& options,
                    std::ostream& err) {
  const ConvertStats& stats = written.stats;
  const std::string parity =
      written.parity_bytes == 0
          ? ""
          : fmt::format(", {} of it parity", HumanSize(written.parity_bytes));
  err << fmt::format(
      "Converted {} objects{} to {}{}{}; the packs of '{}' take {}.\n",
      stats.objects(), RefsAndFiles(stats.refs, stats.files),
      HumanSize(stats.file_size), parity, Verification(stats, options),
      QuoteName(stats.git_directory), HumanSize(stats.source_pack_bytes));
  if (stats.promised_objects != 0) {
    err << PromisedText(stats.promised_objects) << ".\n";
  }
}

int Run(const po::variables_map& values, const Io& io) {
  ConvertOptions options = ToOptions(values);
  const auto redundancy = RedundancyOf(values);
  const RunContext context(values, io, ExpectedPhases(options));
  options.run = context.run();
  const std::string& file = Text(values, "file");
  auto stats = Convert(Text(values, "repository"), file, options);
  if (!stats) {
    const int code = Fail(io, stats.error());
    // With kExists, another process may be writing the temporary file.
    if (stats.error().code != ErrorCode::kExists && !context.quiet() &&
        CanResume(file)) {
      io.err << "hint: run it again with --resume to continue\n";
    }
    return code;
  }
  Written written{*std::move(stats), 0};
  WarnOfMissingAlternates(written.stats.missing_alternates, io.err);
  if (!context.quiet()) PrintWarnings(written.stats, options, io.err);
  if (redundancy) {
    const Status added = AddParity(file, *redundancy, options.run, written);
    if (!added) {
      io.err << fmt::format("error: '{}' was written without parity\n",
                            QuoteName(file));
      return Fail(io, added.error());
    }
  }
  if (Has(values, "json")) {
    PrintJson(ToJson(written, options), io.out);
  } else if (!context.quiet()) {
    PrintConverted(written, options, io.err);
  }
  return kDone;
}

}  // namespace

const Command kConvertCommand = {
    "convert",
    "Convert a Git repository into one .zpack file",
    "[<options>] <repository> <file>",
    {"repository", "file"},
    0,
    LastArgument::kOnce,
    {},
    true,
    AddOptions,
    Run};

}  // namespace zpack::cli
