// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <ostream>
#include <string>
#include <system_error>

#include "chain_parts.h"
#include "common_options.h"
#include "convert/convert_input.h"
#include "convert/convert_output.h"
#include "convert/convert_phases.h"
#include "convert/convert_report.h"
#include "convert/next_file.h"
#include "convert/profile_names.h"
#include "git_environment.h"
#include "zpack/archive_reader.h"
#include "zpack/convert.h"
#include "zpack/parity.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace convert_command {
namespace {

void AddOptions(po::options_description& options) {
  options.add_options()(
      "profile", po::value<std::string>()->value_name("<profile>"),
      "work spent to make the file smaller: fast, balanced (default), max or "
      "cold")(
      "level", po::value<std::string>()->value_name("<n>"),
      "zstd compression level, 1 to 22; default: 3 for fast, 12 for balanced, "
      "19 for max, 20 for cold")(
      "block-size", po::value<std::string>()->value_name("<size>"),
      "bytes of data per block of blobs, 4k to 16m; overrides the profile")(
      "reachable", "store only objects reachable from refs, HEAD and reflogs")(
      "allow-promised",
      "convert a partial clone: list the missing objects that its remote "
      "promises")(
      "keep-going",
      "if objects or files are missing or damaged, store the others, list the "
      "lost ones, and exit with 1")(
      "base", po::value<std::string>()->value_name("<file>"),
      "copy the blocks of this older file; encode only what is new")(
      "onto", po::value<std::string>()->value_name("<file>"),
      "write only what this file lacks; the new file depends on it")(
      "onto-latest", po::value<std::string>()->value_name("<directory>"),
      "name the next file in this directory, NAME.0007.zpack, and let it "
      "depend "
      "on the latest one; write none if nothing has changed")(
      "trust-base",
      "with --base or --update: do not hash the objects in copied blocks")(
      "update",
      "if the file exists, copy its blocks and replace it, or leave it as it "
      "is if nothing has changed")("no-loss",
                                   "with --update or --base: fail if the older "
                                   "file has refs or objects that "
                                   "the new file would lack")(
      "resume", "continue an interrupted conversion to this file");
  AddForceOption(options,
                 "replace the file if it exists; twice, also if other files "
                 "depend on it");
  options.add_options()(
      "redundancy", po::value<std::string>()->value_name("<percent>"),
      "add parity, as 'git zpack protect' does, in percent of the file")(
      "read-source",
      "read and hash every object of the repository, also those that the older "
      "file has")("no-verify",
                  "skip reading the file back and hashing every object")(
      "dry-run", "write and verify the file, then remove it");
  AddWithoutOption(options);
  options.add_options()(
      "with",
      po::value<std::vector<std::string>>()->composing()->value_name("<path>"),
      "also take this file or directory of the git directory; may be repeated");
  AddBackingOption(options);
  AddDiscoveryOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

// Paths below the git directory, without a slash at the end.
std::vector<std::string> WithOf(const po::variables_map& values) {
  std::vector<std::string> paths = Texts(values, "with");
  for (std::string& path : paths) {
    while (path.ends_with('/')) path.pop_back();
  }
  return paths;
}

// Sets what concerns an older file.
void SetOlderFile(const po::variables_map& values, ConvertOptions& options) {
  RefuseBeside(values, "base", {"update"});
  RefuseBeside(values, "onto", {"base", "update", "resume"});
  RefuseBeside(values, "onto-latest", {"base", "update", "resume", "onto"});
  if (Has(values, "base")) options.base = Text(values, "base");
  if (Has(values, "update")) options.update = Update::kYes;
  if (Has(values, "onto")) options.onto = Text(values, "onto");
  if (Has(values, "onto-latest")) options.if_unchanged = IfUnchanged::kSkip;
  if (Has(values, "trust-base")) {
    if (!options.base && options.update == Update::kNo) {
      throw UsageError{"option '--trust-base' needs '--base' or '--update'"};
    }
    options.trust_base = TrustBase::kYes;
  }
  if (Has(values, "no-loss")) {
    if (!options.base && !options.onto && !Has(values, "onto-latest") &&
        options.update == Update::kNo) {
      throw UsageError{
          "option '--no-loss' needs '--base', '--update' or '--onto'"};
    }
    if (options.update == Update::kYes && Has(values, "force")) {
      throw UsageError{
          "options '--no-loss' and '--update --force' exclude each other"};
    }
    options.loss = AllowLoss::kNo;
  }
  options.backing = BackingOf(values);
}

// All options except RunOptions.
ConvertOptions ToOptions(const po::variables_map& values) {
  ConvertOptions options;
  options.discovery = DiscoveryOf(values);
  if (Has(values, "profile")) {
    options.profile =
        NamedValue("profile", Text(values, "profile"), kProfileNames);
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
  if (Has(values, "keep-going")) options.keep_going = KeepGoing::kYes;
  SetOlderFile(values, options);
  if (Has(values, "resume")) options.resume = Resume::kYes;
  if (Has(values, "force")) options.overwrite = Overwrite::kYes;
  options.dependents = DependentsOf(values);
  if (Has(values, "read-source")) options.read_source = ReadSource::kYes;
  if (Has(values, "no-verify")) options.read_back = ReadBack::kNo;
  if (Has(values, "dry-run")) {
    for (const char* const option : {"resume", "redundancy"}) {
      if (!Has(values, option)) continue;
      throw UsageError{fmt::format(
          "options '--dry-run' and '--{}' cannot be used together", option)};
    }
    options.publication = Publication::kNo;
  }
  options.without_files = WithoutOf(values);
  options.with_files = WithOf(values);
  return options;
}

// Copied blocks, and reading the source first, change the shares of the phases,
// so then there is no estimate.
std::vector<PhaseShare> ExpectedPhases(const ConvertOptions& options) {
  if (options.base || options.update == Update::kYes ||
      options.resume == Resume::kYes || options.keep_going == KeepGoing::kYes) {
    return {};
  }
  return ConvertPhases(options.profile, options.read_back);
}

// The bytes of the parity in the file; 0 if it has none.
Result<uint64_t> ParityBytes(const std::string& file) {
  const auto reader = ArchiveReader::Open(file, ReadOptions{});
  if (!reader) return std::unexpected(reader.error());
  const auto description = (*reader)->Describe();
  if (!description) return std::unexpected(description.error());
  for (const auto& chunk : description->chunks) {
    if (chunk.id == "PARI") return chunk.size;
  }
  return 0;
}

// The file that is written. Sets ConvertOptions::onto for --onto-latest.
std::string DestinationOf(const po::variables_map& values,
                          ConvertOptions& options) {
  const bool is_named = values.contains("file");
  if (is_named == Has(values, "onto-latest")) {
    throw UsageError{is_named ? "option '--onto-latest' names the file itself"
                              : "missing <file>"};
  }
  if (is_named) return Text(values, "file");
  std::string repository = Text(values, "repository");
  if (options.discovery == Discovery::kUpwards) {
    // An error is that of the conversion, too.
    repository = LocateRepository(repository, options.discovery)
                     .value_or(std::move(repository));
  }
  NextFile next = NextFileIn(Text(values, "onto-latest"), repository);
  options.onto = std::move(next.onto);
  return next.path;
}

// A bundle must not be replaced by the file that is made of it.
Status CheckSeparate(const po::variables_map& values, const std::string& file) {
  std::error_code error;
  if (!std::filesystem::equivalent(Text(values, "repository"), file, error)) {
    return {};
  }
  return std::unexpected(Error{
      .code = ErrorCode::kInvalidArgument,
      .message =
          fmt::format("'{}' is both source and destination", QuoteName(file)),
      .path = file});
}

// Adds parity to the new file. Returns its bytes.
Result<uint64_t> AddParity(const std::string& file, uint32_t redundancy,
                           const RunOptions& run, ConvertStats& stats) {
  ProtectOptions options;
  options.run = run;
  options.redundancy = redundancy;
  const auto added = Protect(file, options);
  if (!added) return std::unexpected(added.error());
  stats.file_size = added->file_bytes;
  stats.phases.insert(stats.phases.end(), added->phases.begin(),
                      added->phases.end());
  return added->parity_bytes;
}

// The bytes of the parity of the new file, or of the unchanged one, which gets
// it if it has none: an earlier run may have been stopped before.
Result<uint64_t> EnsureParity(const ConvertOutput& output, uint32_t redundancy,
                              const ConvertOptions& options,
                              ConvertStats& stats, const Io& io) {
  if (stats.update == UpdateResult::kUnchanged) {
    const auto there = ParityBytes(output.path());
    if (!there || *there != 0) return there;
  }
  auto added = AddParity(output.path(), redundancy, options.run, stats);
  if (!added && !output.is_stream()) {
    io.err << fmt::format("error: '{}' was written without parity\n",
                          QuoteName(output.path()));
  }
  return added;
}

// An unchanged file of a chain is not written to, even if an earlier run was
// stopped before it got parity.
void WarnOfNoParity(const std::string& file, std::ostream& err) {
  const auto there = ParityBytes(file);
  if (there && *there == 0) {
    err << fmt::format(
        "warning: '{}' has no parity; 'git zpack protect' adds it\n",
        QuoteName(file));
  }
}

// Says what helps if the destination is there and is a .zpack file.
void HintAtExisting(const po::variables_map& values, const std::string& file,
                    std::ostream& err) {
  const auto parity = ParityBytes(file);
  if (!parity) return;
  if (Has(values, "redundancy") && *parity == 0) {
    err << "hint: it is a .zpack file without parity; 'git zpack protect "
           "--redundancy' adds parity\n";
  } else if (!Has(values, "onto") && !Has(values, "onto-latest")) {
    err << "hint: it is a .zpack file; --update copies its blocks and replaces "
           "it, or leaves it as it is if nothing has changed\n";
  }
}

// Says what helps after an error.
void PrintHints(const po::variables_map& values, const Error& error,
                const ConvertOutput& output, std::ostream& err) {
  if (error.code == ErrorCode::kCorrupt && Has(values, "update")) {
    err << "hint: with --force instead of --update, a new file replaces the "
           "damaged one\n";
  }
  if (error.code == ErrorCode::kSourceCorrupt && !error.object.empty() &&
      !Has(values, "keep-going")) {
    err << "hint: --keep-going leaves out damaged objects and lists them\n";
  }
  if (error.code == ErrorCode::kExists && !Has(values, "force") &&
      !Has(values, "update") && !Has(values, "base") && !output.is_stream()) {
    HintAtExisting(values, output.path(), err);
  }
  HintAtForce(values, error, output.path(), err);
  // With kExists, another process may be writing the temporary file.
  if (error.code != ErrorCode::kExists && !Has(values, "quiet") &&
      !output.is_stream() && CanResume(output.path())) {
    err << "hint: run it again with --resume to continue\n";
  }
}

int Run(const po::variables_map& values, const Io& io) {
  RefuseOtherRefs();
  ConvertOptions options = ToOptions(values);
  const auto redundancy = RedundancyOf(values);
  const std::string file = DestinationOf(values, options);
  RefuseWithStream(values, "file", {"update", "resume", "dry-run", "json"});
  const RunContext context(values, io, ExpectedPhases(options),
                           LeastMemoryToConvert(options));
  options.run = context.run();
  auto output = ConvertOutput::Open(file, io);
  if (!output) return Fail(io, output.error());
  const auto input =
      ConvertInput::Open(Text(values, "repository"),
                         context.quiet() ? ConvertInput::Report::kSilent
                                         : ConvertInput::Report::kPrinted,
                         io);
  if (!input) return Fail(io, input.error());
  if (input->cloned_from().empty()) {
    RefuseOtherObjects(input->path(), options.discovery);
  }
  const Status separate = CheckSeparate(values, file);
  if (!separate) return Fail(io, separate.error());
  auto stats = Convert(input->path(), output->path(), options);
  if (!stats) {
    const int code = Fail(io, stats.error());
    PrintHints(values, stats.error(), *output, io.err);
    return code;
  }
  const bool written =
      stats->update != UpdateResult::kUnchanged || !options.onto;
  uint64_t parity_bytes = 0;
  if (redundancy && written) {
    const auto added = EnsureParity(*output, *redundancy, options, *stats, io);
    if (!added) return Fail(io, added.error());
    parity_bytes = *added;
  }
  if (redundancy && !written) WarnOfNoParity(*options.onto, io.err);
  const Status sent = output->Send(io);
  if (!sent) return Fail(io, sent.error());
  const ConvertReport report(
      *stats, options, {output->name(), input->cloned_from(), parity_bytes});
  if (!context.quiet()) {
    WarnOfLittleMemory(values, stats->least_memory, io.err);
  }
  report.PrintWarnings(context.quiet(), io.err);
  if (!output->is_stream() && options.publication == Publication::kYes &&
      stats->update != UpdateResult::kUnchanged) {
    if (options.onto) {
      WarnOfPlace(*options.onto, output->path(), options.backing, io.err);
    }
    WarnOfOldParity(output->path(), io.err);
  }
  if (Has(values, "json")) {
    report.PrintAsJson(io.out);
  } else if (!context.quiet()) {
    report.PrintSummary(io.err);
  }
  return stats->lost_objects.empty() && stats->damaged_files.empty() ? kDone
                                                                     : kNo;
}

}  // namespace
}  // namespace convert_command

const Command kConvertCommand = {
    "convert",
    "Convert a Git repository into one .zpack file",
    "[--update | --base <file> | --onto <file>] [<options>] <repository> "
    "(<file> | -)\n"
    "   or: git-zpack convert --onto-latest <directory> [<options>] "
    "<repository>",
    {"repository", "file"},
    1,
    LastArgument::kOnce,
    {},
    true,
    convert_command::AddOptions,
    convert_command::Run};

}  // namespace zpack::cli
