// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "common_options.h"
#include "counted.h"
#include "output_file.h"
#include "restore/bundle_writer.h"
#include "restore/restore_options.h"
#include "restore/salvage_report.h"
#include "run_git.h"
#include "verify/damage_hints.h"
#include "zpack/quote.h"
#include "zpack/restore.h"

namespace zpack::cli {
namespace restore_command {
namespace {

void AddOptions(po::options_description& options) {
  AddRestoreOptions(options);
  options.add_options()("keep-going",
                        "leave out damaged objects instead of giving up")(
      "checkout",
      "restore to <directory>/.git, and check out HEAD in <directory>")(
      "bundle", po::value<std::string>()->value_name("<bundle>"),
      "instead of a repository, write a bundle of all refs, for 'git clone'");
  AddJsonOption(options);
}

// Says where Git is going to look for what is missing: the file may be
// anybody's.
std::string PromisedHint(const RestoreStats& stats) {
  std::string text = fmt::format("hint: {}; Git fetches what it needs from",
                                 PromisedText(stats.promised_objects));
  for (const PromisorRemote& remote : stats.promisor_remotes) {
    text += fmt::format(
        "{} '{}'", &remote == stats.promisor_remotes.data() ? "" : " or",
        QuoteName(remote.url.empty() ? remote.name
                                     : NameWithoutSecrets(remote.url)));
  }
  return text + '\n';
}

void PrintHints(const RestoreStats& stats, const po::variables_map& values,
                std::ostream& err) {
  if (stats.promised_objects != 0) err << PromisedHint(stats);
  if (!stats.inactive_names.empty()) {
    err << InactiveHint(stats.inactive_names);
  }
  if (stats.names_alternates) {
    err << "hint: 'objects/info/alternates.archived' names the repositories "
           "that this one shared objects with; nothing is missing without "
           "them\n";
  }
  err << fmt::format("hint: to read it: git {}{} log --all\n",
                     Has(values, "checkout") ? "-C " : "--git-dir=",
                     QuoteForShell(Text(values, "directory")));
}

int FailToRead(const po::variables_map& values, const Error& error,
               const Io& io) {
  const int code = Fail(io, error);
  const std::string file = Text(values, "file");
  if (error.code == ErrorCode::kCorrupt && file != "-") {
    PrintDamageHints(file, ParityHint::kUnknown, io.err, error.path);
  }
  return code;
}

void WarnOfLost(const RestoreStats& stats, const std::string& directory,
                std::ostream& err) {
  const size_t count = stats.lost_objects.size();
  if (count == 0) return;
  const std::string_view them = count == 1 ? "it" : "them";
  err << fmt::format(
      "warning: {}, so '{}' lacks {}; 'git zpack verify' names {}\n",
      LostText(count), QuoteName(directory), them, them);
}

void PrintSummary(const po::variables_map& values, const RestoreStats& stats,
                  const std::string& directory, const Io& io) {
  if (Has(values, "json")) {
    PrintJson(
        {{"objects", stats.objects},
         {"raw_bytes", stats.raw_bytes},
         {"pack_bytes", stats.pack_bytes},
         {"refs", stats.refs},
         {"promised_objects", stats.promised_objects},
         {"promisor_remotes", PromisorRemotesToJson(stats.promisor_remotes)},
         {"lost_objects", LossesToJson(stats.lost_objects)},
         {"files", stats.files},
         {"inactive_files", stats.inactive_files},
         {"phases", PhasesToJson(stats.phases)},
         {"peak_rss_bytes", PeakResidentBytes()}},
        io.out);
  } else if (!Has(values, "quiet")) {
    io.err << fmt::format(
        "Restored {}{} to '{}'.\n", Counted(stats.objects, "object"),
        RefsAndFiles(stats.refs, stats.files), QuoteName(directory));
    PrintHints(stats, values, io.err);
  }
}

// Throws UsageError if the options exclude each other, or arguments are missing
// or too many.
void CheckArguments(const po::variables_map& values) {
  const bool bundle = Has(values, "bundle");
  if (bundle && Has(values, "directory")) {
    throw UsageError{"option '--bundle' takes the place of <directory>"};
  }
  if (!bundle && !Has(values, "directory")) {
    throw UsageError{"missing <directory>"};
  }
  if (bundle || Has(values, "checkout")) {
    const char* const what = bundle ? "bundle" : "checkout";
    for (const char* const option :
         {"checkout", "keep-going", "trust", "without", "ref-format"}) {
      const bool excluded = bundle || std::string_view(option) == "keep-going";
      if (!excluded || !Has(values, option)) continue;
      throw UsageError{fmt::format(
          "options '--{}' and '--{}' exclude each other", what, option)};
    }
  }
  RefuseBeside(values, "checkout", {"force"});
}

int RunBundle(const po::variables_map& values, const RunContext& context,
              const RestoreOptions& options, const Io& io) {
  const std::string bundle = Text(values, "bundle");
  if (bundle.empty()) throw UsageError{"option '--bundle' expects a file"};
  RefuseWithStream(values, "bundle", {"json"});
  const OutputFile output(bundle);
  if (output.is_standard_output() && io.out_is_terminal) {
    return Fail(io, {ErrorCode::kInvalidArgument,
                     "refusing to write a bundle to a terminal"});
  }
  if (!Has(values, "force") && output.exists()) {
    const Error exists = {
        .code = ErrorCode::kExists,
        .message = fmt::format("'{}' already exists",
                               QuoteName(bundle, kMaxNameInMessage)),
        .path = bundle};
    const int code = Fail(io, exists);
    HintAtReplacing(values, exists, bundle, io.err);
    return code;
  }
  const std::string file = FileToRead(values);
  const Status apart = CheckOutput(bundle, std::span(&file, 1), options.read);
  if (!apart) return Fail(io, apart.error());
  const auto reader = ArchiveReader::Open(file, options.read);
  if (!reader) return FailToRead(values, reader.error(), io);
  uint64_t objects = 0;
  const int code = output.Write(io, [&](std::ostream& out) {
    const auto written = WriteBundle(file, **reader, options,
                                     NamedOutput::ToFile(out, bundle), io.err);
    if (!written) return FailToRead(values, written.error(), io);
    objects = *written;
    return kDone;
  });
  if (code != kDone) return code;
  const uint64_t left_out = (*reader)->object_count() - objects;
  if (io.json) {
    PrintJson({{"objects", objects},
               {"unreachable_objects", left_out},
               {"refs", (*reader)->refs().refs.size()}},
              io.out);
  } else if (!context.quiet()) {
    io.err << fmt::format("Wrote {} to {}.\n", Counted(objects, "object"),
                          NamedOutput::ToFile(io.out, bundle).name);
    io.err << fmt::format(
        "hint: a bundle has no reflogs, hooks and settings{}{}\n",
        left_out == 0 ? ""
                      : fmt::format(", and not the {} that no ref reaches",
                                    Counted(left_out, "object")),
        output.is_standard_output()
            ? ""
            : "; to read it: git clone " + QuoteForShell(bundle));
  }
  return kDone;
}

// Makes the restored repository in '<directory>/.git' one with a work tree, and
// checks out HEAD, unless Git would fetch for that from who knows where.
Status CheckOut(const std::string& directory, const RestoreStats& stats,
                const Io& io) {
  const std::string git_directory = "--git-dir=" + directory + "/.git";
  Status done =
      CheckGit("git config",
               RunGit({git_directory, "config", "core.bare", "false"}, io.stop),
               io.stop);
  if (!done || stats.promised_objects != 0) return done;
  constexpr int kNoSuchRevision = 1;
  const int head = RunGit(
      {git_directory, "rev-parse", "--verify", "--quiet", "HEAD"}, io.stop);
  // An unborn HEAD has nothing to check out.
  if (head == kNoSuchRevision) return {};
  done = CheckGit("git rev-parse", head, io.stop);
  if (!done) return done;
  // Unlike 'git reset', this writes no reflog and no ORIG_HEAD.
  return CheckGit("git read-tree",
                  RunGit({"-C", directory, "--git-dir=.git", "--work-tree=.",
                          "read-tree", "-u", "--reset", "HEAD"},
                         io.stop),
                  io.stop);
}

// kExists if there is something in `directory` that a killed run did not leave.
Status CheckEmpty(const std::string& directory) {
  const auto empty = IsEmptyForRestore(directory, ".git");
  if (!empty) return std::unexpected(empty.error());
  if (*empty) return {};
  return std::unexpected(
      Error{ErrorCode::kExists,
            fmt::format("destination path '{}' already exists and is not an "
                        "empty directory",
                        QuoteName(directory, kMaxNameInMessage))});
}

// Says what is there without a work tree. `stats` is nullptr if that alone is
// known.
void HintAtRepository(const std::string& directory, const RestoreStats* stats,
                      std::ostream& err) {
  const bool lost = stats != nullptr && !stats->lost_objects.empty();
  err << fmt::format("hint: the repository in '{}/.git' is {}",
                     QuoteName(directory),
                     lost ? "there, but for the lost objects" : "complete");
  // Git would fetch promised objects, and fail for want of lost ones.
  if (stats != nullptr && !lost && stats->promised_objects == 0) {
    const std::string quoted = QuoteForShell(directory);
    err << fmt::format(
        "; to check it out: git -C {} config core.bare false && git -C {} "
        "reset --hard",
        quoted, quoted);
  }
  err << '\n';
}

int RunCheckout(const po::variables_map& values, const RestoreOptions& options,
                const Io& io) {
  namespace fs = std::filesystem;
  const std::string directory = Text(values, "directory");
  std::error_code error;
  const bool is_new = !fs::exists(fs::symlink_status(directory, error));
  if (!is_new) {
    const Status empty = CheckEmpty(directory);
    if (!empty) return Fail(io, empty.error());
  }
  const auto stats = Restore(FileToRead(values), directory + "/.git", options);
  if (!stats) {
    if (is_new) fs::remove(directory, error);
    const int code = FailToRead(values, stats.error(), io);
    // The steps after the repository has its name may fail, too. With kExists,
    // it is that of another process.
    if (stats.error().code != ErrorCode::kExists &&
        fs::exists(directory + "/.git/HEAD", error)) {
      HintAtRepository(directory, nullptr, io.err);
    }
    return code;
  }
  WarnOfLost(*stats, directory, io.err);
  if (const Status done = CheckOut(directory, *stats, io); !done) {
    const int code = Fail(io, done.error());
    HintAtRepository(directory, &*stats, io.err);
    return code;
  }
  PrintSummary(values, *stats, directory + "/.git", io);
  if (stats->promised_objects != 0 && !Has(values, "quiet")) {
    io.err << fmt::format(
        "hint: nothing is checked out, because Git would fetch for it; if you "
        "trust the remote: git -C {} reset --hard\n",
        QuoteForShell(directory));
  }
  return kDone;
}

int Run(const po::variables_map& values, const Io& io) {
  CheckArguments(values);
  const RunContext context(values, io);
  const ReadContext read(values, io);
  const RestoreOptions options =
      RestoreOptionsOf(values, context.run(), read.options());
  if (Has(values, "bundle")) return RunBundle(values, context, options, io);
  if (Has(values, "checkout")) return RunCheckout(values, options, io);
  if (Has(values, "keep-going")) {
    return RunSalvage(values, context,
                      {.restore = options, .required = SoundParts::kStructure},
                      io);
  }
  const std::string directory = Text(values, "directory");
  const auto stats = Restore(FileToRead(values), directory, options);
  if (!stats) return FailToRead(values, stats.error(), io);
  WarnOfLost(*stats, directory, io.err);
  PrintSummary(values, *stats, directory, io);
  return kDone;
}

}  // namespace
}  // namespace restore_command

const Command kRestoreCommand = {
    "restore",
    "Bring a repository back from a .zpack file",
    "[--force] [--trust] [--ref-format <format>] [--keep-going | --checkout] "
    "[--download] [<options>] <file> <directory>\n"
    "   or: git-zpack restore --bundle=<bundle> [--force] [--download] "
    "[<options>] <file>",
    {"file", "directory"},
    1,
    LastArgument::kOnce,
    {},
    true,
    restore_command::AddOptions,
    restore_command::Run};

}  // namespace zpack::cli
