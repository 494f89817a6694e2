// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <clocale>
#include <ostream>
#include <string>
#include <utility>

#include "approximate_date.h"
#include "common_options.h"
#include "huge_heaps.h"
#include "log/commit_printer.h"
#include "log/format_string.h"
#include "log/log_json.h"
#include "log/log_request.h"
#include "read/resolve_name.h"
#include "read/revision_range.h"
#include "read/unapplied_grafts.h"
#include "terminal_text.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace log_command {
namespace {

void AddRefs(const RefsSnapshot& refs, std::string_view prefix,
             WalkOptions& walk) {
  for (const Ref& ref : refs.refs) {
    if (!ref.name.starts_with(prefix)) continue;
    const ObjectId id = refs.Resolve(ref.name);
    if (!id.empty()) walk.starts.push_back(id);
  }
}

// Without a revision, log begins with HEAD.
Status AddHead(const ArchiveReader& reader, WalkOptions& walk,
               std::ostream& err) {
  WarnIfAmbiguous(reader, "HEAD", err);
  const auto head = reader.Resolve("HEAD");
  if (head) {
    walk.starts.push_back(*head);
    return {};
  }
  constexpr std::string_view kBranches = "refs/heads/";
  std::string_view branch = reader.refs().head_symref;
  if (head.error().code != ErrorCode::kNotFound || branch.empty()) {
    return std::unexpected(head.error());
  }
  if (branch.starts_with(kBranches)) branch.remove_prefix(kBranches.size());
  return std::unexpected(
      Error{ErrorCode::kNotFound,
            fmt::format("your current branch '{}' does not have any commits "
                        "yet",
                        QuoteName(branch, kMaxNameInMessage))});
}

Status AddStart(const ArchiveReader& reader, const LogRequest::Start& start,
                WalkOptions& walk, std::ostream& err) {
  if (start.refs == LogRequest::kAllRefs) {
    AddAllRefs(walk);
    return {};
  }
  if (!start.refs.empty()) {
    AddRefs(reader.refs(), start.refs, walk);
    return {};
  }
  Status added = AddRevision(reader, start.revision, walk, err);
  if (!added && added.error().code == ErrorCode::kNotFound) {
    added.error().message += "; paths come after '--'";
  }
  return added;
}

// The commits that only the left side of '<a>...<b>' reaches.
Status FindLeft(const ArchiveReader& reader, const std::string& revision,
                std::unordered_set<ObjectId>& left) {
  const size_t dots = revision.find("...");
  if (dots == std::string::npos) return {};
  WalkOptions walk;
  for (const auto& [side, ids] :
       {std::pair(revision.substr(0, dots), &walk.starts),
        std::pair(revision.substr(dots + 3), &walk.excluded)}) {
    const auto id =
        reader.Resolve(fmt::format("{}^0", side.empty() ? "HEAD" : side));
    // A path may have dots, too.
    if (!id) return {};
    ids->push_back(*id);
  }
  return reader.Walk(walk, [&](const WalkedObject& object) -> Result<Visit> {
    left.insert(object.id);
    return Visit::kContinue;
  });
}

Status ResolveStarts(const ArchiveReader& reader, LogRequest& request,
                     std::ostream& err) {
  WalkOptions walk;
  for (const LogRequest::Start& start : request.starts) {
    if (const Status added = AddStart(reader, start, walk, err); !added) {
      return added;
    }
  }
  if (request.starts.empty()) {
    if (const Status added = AddHead(reader, walk, err); !added) return added;
  }
  request.log.refs = walk.refs;
  request.log.starts_before_refs = walk.starts_before_refs;
  request.log.starts = std::move(walk.starts);
  request.log.excluded = std::move(walk.excluded);
  for (const std::string& name : request.objects) {
    // A submodule's commit, for example, is not in the file.
    if (const auto id = ObjectId::FromHex(name)) {
      request.log.objects.push_back(*id);
      continue;
    }
    WarnIfAmbiguous(reader, name, err);
    const auto id = reader.Resolve(name);
    if (!id && id.error().code == ErrorCode::kNotFound) {
      throw UsageError{fmt::format("unable to resolve '{}'", name)};
    }
    if (!id) return std::unexpected(id.error());
    request.log.objects.push_back(*id);
  }
  return {};
}

// Whether the name of some person is printed or searched.
bool UsesPersons(const LogRequest& request, bool json) {
  const LogLook& look = request.look;
  if (json || !request.messages.authors.empty() ||
      !request.messages.committers.empty()) {
    return true;
  }
  return look.style == CommitStyle::kFormat
             ? FormatUses(look.format, "ac")
             : look.style != CommitStyle::kOneline;
}

Result<LogSources> SourcesOf(const ArchiveReader& reader,
                             const LogRequest& request, bool json) {
  const LogLook& look = request.look;
  LogSources sources{.ids = ShortIds(reader, look.id_digits),
                     .now = PresentTime()};
  if (UsesPersons(request, json)) {
    auto mailmap = Mailmap::Of(reader);
    if (!mailmap) return std::unexpected(mailmap.error());
    sources.mailmap = *std::move(mailmap);
  }
  if (look.decorations) {
    sources.decorations.emplace(reader.refs(), *look.decorations);
  }
  if (look.notes && !json) {
    auto notes = CommitNotes::Of(reader);
    if (!notes) return std::unexpected(notes.error());
    sources.notes = *std::move(notes);
  }
  if (look.style == CommitStyle::kFormat && FormatUses(look.format, "m")) {
    for (const LogRequest::Start& start : request.starts) {
      const Status found = FindLeft(reader, start.revision, sources.left);
      if (!found) return std::unexpected(found.error());
    }
  }
  return sources;
}

Status PrintCommits(const ArchiveReader& reader, const LogRequest& request,
                    const LogSources& sources, MessageFilter& filter,
                    std::ostream& out) {
  CommitPrinter printer(request.look, sources, filter, out);
  return reader.Log(request.log, [&](const LoggedCommit& commit) {
    return GoOn(printer.Print(commit));
  });
}

Status PrintJsonCommits(const ArchiveReader& reader, const LogRequest& request,
                        const LogSources& sources, std::ostream& out) {
  nlohmann::ordered_json commits = nlohmann::ordered_json::array();
  const Status status =
      reader.Log(request.log, [&](const LoggedCommit& commit) -> Result<Visit> {
        auto object = CommitToJson(commit, request.look, sources);
        if (!object) return std::unexpected(object.error());
        commits.push_back(*std::move(object));
        return Visit::kContinue;
      });
  if (status) PrintJson({{"commits", std::move(commits)}}, out);
  return status;
}

Status List(const ArchiveReader& reader, LogRequest& request, const Io& io) {
  if (const Status found = ResolveStarts(reader, request, io.err); !found) {
    return found;
  }
  const auto sources = SourcesOf(reader, request, io.json);
  if (!sources) return std::unexpected(sources.error());
  auto filter = MessageFilter::Compile(
      request.messages, request.look.map_names ? &sources->mailmap : nullptr);
  if (!filter) return std::unexpected(filter.error());
  if (filter->restricts()) {
    request.log.wants = [&](std::string_view content) {
      return filter->Wants(content);
    };
  }
  return io.json ? PrintJsonCommits(reader, request, *sources, io.out)
                 : PrintCommits(reader, request, *sources, *filter, io.out);
}

int Run(const po::variables_map& values, const Io& io) {
  // As in Git, the locale says what letters are, and nothing else.
  std::setlocale(LC_CTYPE, "");
  tzset();
  LogRequest request = ParseLogRequest(values, io);
  UseHugePages();
  const ReadContext context(values, io);
  const auto reader = ArchiveReader::Open(request.file, context.options());
  if (!reader) return Fail(io, reader.error());
  WarnOfGrafts(**reader, io.err);
  const Status listed = List(**reader, request, io);
  return listed ? kDone : Fail(io, listed.error());
}

}  // namespace
}  // namespace log_command

const Command kLogCommand = {
    .name = "log",
    .summary = "Show commits, what they change, and which change a text",
    .usage = "[<options>] <file> [<rev>...] [-- <pathspec>...]",
    .arguments = {"argument"},
    .optional_arguments = 1,
    .last_argument = LastArgument::kRepeated,
    .optional_values = {{"--abbrev", "auto"},
                        {"--color", "always"},
                        {"--decorate", "short"},
                        {"--expand-tabs", "8"},
                        {"--find-copies", "0"},
                        {"--find-renames", "0"},
                        {"--pretty", "medium"},
                        {"-C", "0"},
                        {"-M", "0"}},
    .interruptible = false,
    .add_options = AddLogOptions,
    .run = log_command::Run,
    .after_dashes = "path",
    .number_option = "max-count"};

}  // namespace zpack::cli
