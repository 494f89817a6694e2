// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <clocale>
#include <ostream>
#include <string>
#include <utility>

#include "common_options.h"
#include "huge_heaps.h"
#include "read/resolve_name.h"
#include "read/unapplied_grafts.h"
#include "search/grep_printer.h"
#include "search/grep_request.h"
#include "search/history_printer.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace grep_command {
namespace {

// How Git names a file of a tree that the user called `revision`.
std::string NameOf(std::string_view revision, std::string_view path,
                   bool quotes) {
  // A file that the revision itself names.
  if (path.empty()) {
    return quotes ? QuoteName(revision, kWholeName, BeyondAscii::kEscape)
                  : std::string(revision);
  }
  return fmt::format(
      "{}:{}", revision,
      quotes ? QuoteName(path, kWholeName, BeyondAscii::kEscape) : path);
}

nlohmann::ordered_json FileToJson(std::string_view revision,
                                  const SearchedFile& file) {
  nlohmann::ordered_json object;
  SetBytes(object, "revision", revision);
  SetBytes(object, "path", file.path);
  object["blob"] = file.id.ToHex();
  object["binary"] = file.binary;
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const MatchingLine& line : file.lines) {
    if (file.binary) break;
    nlohmann::ordered_json entry;
    entry["line"] = line.number;
    SetBytes(entry, "text",
             file.text.substr(line.begin, line.end - line.begin));
    lines.push_back(std::move(entry));
  }
  object["lines"] = std::move(lines);
  return object;
}

Result<ObjectId> ResolveRevision(const ArchiveReader& reader,
                                 const std::string& revision,
                                 std::ostream& err) {
  WarnIfAmbiguous(reader, revision, err);
  auto id = reader.Resolve(revision);
  if (!id && id.error().code == ErrorCode::kNotFound) {
    id.error().message += "; paths come after '--'";
  }
  return id;
}

int SearchTrees(const ArchiveReader& reader, GrepRequest& request,
                const Io& io) {
  if (request.revisions.empty()) request.revisions = {"HEAD"};
  auto search = LineSearch::Compile(request.search.query);
  if (!search) return Fail(io, search.error());
  WarnOfGrafts(reader, request.revisions, io.err);
  std::vector<ObjectId> roots;
  for (const std::string& revision : request.revisions) {
    const auto id = ResolveRevision(reader, revision, io.err);
    if (!id) return Fail(io, id.error());
    roots.push_back(*id);
  }
  // Like Git, finds nothing.
  if (request.output.max_count == 0) roots.clear();
  GrepPrinter printer(request.output, *search, io.out);
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  bool found = false;
  for (size_t i = 0; i < roots.size(); ++i) {
    const std::string& revision = request.revisions[i];
    const auto visit = [&](const SearchedFile& file) -> Result<Visit> {
      const bool without =
          request.output.what == GrepOutput::What::kNamesWithout;
      if (io.json && !request.output.quiet) {
        if (file.lines.empty() != without) return Visit::kContinue;
        files.push_back(FileToJson(revision, file));
        found = true;
        return Visit::kContinue;
      }
      const Status printed = printer.Print(
          NameOf(revision, file.path, !request.output.zero_after_names), file);
      if (!printed) return std::unexpected(printed.error());
      found = printer.found();
      return found && request.output.quiet ? Visit::kStop : Visit::kContinue;
    };
    const Status searched = reader.SearchTree(roots[i], request.search, visit);
    if (!searched) return Fail(io, searched.error());
    if (found && request.output.quiet) break;
  }
  if (io.json && !request.output.quiet) {
    PrintJson({{"files", std::move(files)}}, io.out);
  }
  return found ? kDone : kNo;
}

HistorySearchOptions HistoryOptions(const GrepRequest& request) {
  HistorySearchOptions options;
  static_cast<SearchOptions&>(options) = request.search;
  options.all_blobs = request.search.all_files;
  options.first_only = request.output.quiet && !options.all_blobs;
  return options;
}

// -l, -L and -c: a line for each version of a file.
int SearchVersions(const ArchiveReader& reader, const GrepRequest& request,
                   const Io& io) {
  const GrepOutput& output = request.output;
  bool found = false;
  nlohmann::ordered_json blobs = nlohmann::ordered_json::array();
  const Status searched = reader.SearchVersions(
      HistoryOptions(request), [&](const MatchingBlob& blob) -> Result<Visit> {
        if ((blob.lines == 0) !=
            (output.what == GrepOutput::What::kNamesWithout)) {
          return Visit::kContinue;
        }
        found = true;
        if (output.quiet) return Visit::kStop;
        if (io.json) {
          nlohmann::ordered_json object;
          object["blob"] = blob.id.ToHex();
          SetBytes(object, "path", blob.path);
          object["lines"] = blob.lines;
          blobs.push_back(std::move(object));
          return Visit::kContinue;
        }
        io.out << NameOf(blob.id.ToHex(), blob.path, !output.zero_after_names);
        if (output.what == GrepOutput::What::kCounts) {
          io.out << (output.zero_after_names ? '\0' : ':') << blob.lines
                 << '\n';
        } else {
          io.out << (output.zero_after_names ? '\0' : '\n');
        }
        return Visit::kContinue;
      });
  if (!searched) return Fail(io, searched.error());
  if (io.json && !output.quiet) {
    PrintJson({{"blobs", std::move(blobs)}}, io.out);
  }
  return found ? kDone : kNo;
}

nlohmann::ordered_json MatchToJson(const HistoryMatch& match) {
  nlohmann::ordered_json object;
  SetBytes(object, "path", match.path);
  object["line"] = match.line;
  SetBytes(object, "text", match.text);
  object["binary"] = match.binary;
  object["blob"] = match.blob.ToHex();
  object["brought"] = nullptr;
  object["removed"] = nullptr;
  if (match.brought) object["brought"] = match.brought->ToHex();
  if (match.removed) object["removed"] = match.removed->ToHex();
  object["present"] = match.present;
  return object;
}

int SearchHistory(const ArchiveReader& reader, const GrepRequest& request,
                  const Io& io) {
  // Which versions match is known earlier than what their history is.
  if (request.output.quiet || request.output.what != GrepOutput::What::kLines) {
    return SearchVersions(reader, request, io);
  }
  const HistoryFormat format = request.format
                                   ? HistoryFormat::Parse(*request.format)
                                   : HistoryFormat::Default();
  bool found = false;
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  const Status searched = reader.SearchHistory(
      HistoryOptions(request), [&](const HistoryMatch& match) -> Result<Visit> {
        found = true;
        if (request.output.quiet) return Visit::kStop;
        if (io.json) {
          lines.push_back(MatchToJson(match));
        } else {
          format.Print(match, io.out);
        }
        return Visit::kContinue;
      });
  if (!searched) return Fail(io, searched.error());
  if (io.json && !request.output.quiet) {
    PrintJson({{"lines", std::move(lines)}}, io.out);
  }
  return found ? kDone : kNo;
}

int Run(const po::variables_map& values, const Io& io) {
  // As in Git, the locale says what letters are, and nothing else.
  std::setlocale(LC_CTYPE, "");
  GrepRequest request = ParseGrepRequest(values, io);
  UseHugePages(request.search.threads);
  const ReadContext context(values, io);
  const auto reader = ArchiveReader::Open(request.file, context.options());
  if (!reader) return Fail(io, reader.error());
  if (!request.all_history) return SearchTrees(**reader, request, io);
  WarnOfGrafts(**reader, io.err);
  return SearchHistory(**reader, request, io);
}

}  // namespace
}  // namespace grep_command

const Command kGrepCommand = {
    .name = "grep",
    .summary = "Print lines that match a pattern, in a tree or all history",
    .usage =
        "[<options>] [-e] <pattern> <file> [<rev>...] [-- <pathspec>...]\n"
        "   or: git-zpack grep --all-history [<options>] [-e] <pattern> <file> "
        "[-- <pathspec>...]",
    .arguments = {"argument"},
    .optional_arguments = 1,
    .last_argument = LastArgument::kRepeated,
    .optional_values = {{"--color", "always"}},
    .interruptible = false,
    .add_options = AddGrepOptions,
    .run = grep_command::Run,
    .after_dashes = "path",
    .number_option = "context"};

}  // namespace zpack::cli
