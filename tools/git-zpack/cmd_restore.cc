// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <ostream>

#include "common_options.h"
#include "restore_options.h"
#include "salvage_report.h"
#include "zpack/quote.h"
#include "zpack/restore.h"

namespace zpack::cli {
namespace restore_command {
namespace {

void AddOptions(po::options_description& options) {
  AddRestoreOptions(options);
  options.add_options()("keep-going",
                        "leave out damaged objects instead of giving up");
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
        QuoteName(remote.url.empty() ? remote.name : remote.url));
  }
  return text + '\n';
}

void PrintHints(const RestoreStats& stats, const std::string& directory,
                std::ostream& err) {
  if (stats.promised_objects != 0) err << PromisedHint(stats);
  if (stats.inactive_files != 0) {
    err << fmt::format(
        "hint: {} hooks and settings end in '.archived', so that Git does not "
        "use them; read them before you rename them, or use --trust\n",
        stats.inactive_files);
  }
  if (stats.names_alternates) {
    err << "hint: 'objects/info/alternates.archived' names the repositories "
           "that this one shared objects with; nothing is missing without "
           "them\n";
  }
  err << fmt::format("hint: to read it: git --git-dir={} log --all\n",
                     QuoteForShell(directory));
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  const RestoreOptions options =
      RestoreOptionsOf(values, context.run(), read.options());
  if (Has(values, "keep-going")) {
    return RunSalvage(values, context,
                      {.restore = options, .required = SoundParts::kStructure},
                      io);
  }
  const std::string directory = Text(values, "directory");
  const auto stats = Restore(FileToRead(values), directory, options);
  if (!stats) return Fail(io, stats.error());
  if (Has(values, "json")) {
    PrintJson(
        {{"objects", stats->objects},
         {"raw_bytes", stats->raw_bytes},
         {"pack_bytes", stats->pack_bytes},
         {"refs", stats->refs},
         {"promised_objects", stats->promised_objects},
         {"promisor_remotes", PromisorRemotesToJson(stats->promisor_remotes)},
         {"files", stats->files},
         {"inactive_files", stats->inactive_files},
         {"phases", PhasesToJson(stats->phases)},
         {"peak_rss_bytes", PeakResidentBytes()}},
        io.out);
  } else if (!context.quiet()) {
    io.err << fmt::format("Restored {} objects{} to '{}'.\n", stats->objects,
                          RefsAndFiles(stats->refs, stats->files),
                          QuoteName(directory));
    PrintHints(*stats, directory, io.err);
  }
  return kDone;
}

}  // namespace
}  // namespace restore_command

const Command kRestoreCommand = {
    "restore",
    "Bring a repository back from a .zpack file, as a bare one",
    "[--force] [--trust] [--ref-format <format>] [--keep-going] [--download] "
    "[<options>] <file> <directory>",
    {"file", "directory"},
    0,
    LastArgument::kOnce,
    {},
    true,
    restore_command::AddOptions,
    restore_command::Run};

}  // namespace zpack::cli
