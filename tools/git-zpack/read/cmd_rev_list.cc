// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "command_words.h"
#include "common_options.h"
#include "huge_heaps.h"
#include "named_output.h"
#include "read/revision_range.h"
#include "read/unapplied_grafts.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace rev_list_command {
namespace {

void AddOptions(po::options_description& options) {
  options.add_options()("all", "start from all refs and HEAD")(
      "objects", "also list tags, trees and blobs, with names and paths")(
      "no-objects", "list commits only, even with --objects")(
      "no-object-names", "with --objects: do not print names and paths")(
      "count", "print only the number of objects")(
      "max-count,n", po::value<std::string>()->value_name("<n>"),
      "list at most <n> commits, and with --objects what only they need");
  AddReadingOptions(options);
}

// Collects lines and writes them in large pieces.
class LineWriter {
 public:
  enum class Names : uint8_t { kNo, kYes };

  LineWriter(Names names, std::ostream& out) : names_(names), out_(out) {
    text_.reserve(kFlushSize + kRoom);
  }

  Status Write(const WalkedObject& object) {
    AppendHex(object.id.bytes());
    if (names_ == Names::kYes && object.type != ObjectType::kCommit) {
      text_ += ' ';
      // Like Git, prints names only up to the first line feed.
      text_ += object.name.substr(0, object.name.find('\n'));
    }
    text_ += '\n';
    return text_.size() < kFlushSize ? Status{} : Flush();
  }

  Status Flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    if (!out_) return std::unexpected(NamedOutput{out_}.Failure());
    return {};
  }

 private:
  static constexpr size_t kFlushSize = size_t{64} << 10;
  static constexpr size_t kRoom = 1024;  // for the line that fills the buffer

  void AppendHex(std::span<const uint8_t> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const uint8_t byte : bytes) {
      text_ += kDigits[byte >> 4];
      text_ += kDigits[byte & 15];
    }
  }

  Names names_;
  std::ostream& out_;
  std::string text_;
};

Status Count(const ArchiveReader& reader, const WalkOptions& walk,
             std::ostream& out) {
  uint64_t count = 0;
  const Status status = reader.Walk(walk, [&](const WalkedObject&) {
    ++count;
    return Visit::kContinue;
  });
  if (status) out << count << '\n';
  return status;
}

Status List(const ArchiveReader& reader, const WalkOptions& walk,
            LineWriter::Names names, std::ostream& out) {
  LineWriter writer(names, out);
  const Status status = reader.Walk(walk, [&](const WalkedObject& object) {
    return GoOn(writer.Write(object));
  });
  // Like Git, prints the objects that were found before an error.
  const Status flushed = writer.Flush();
  return status ? flushed : status;
}

// Whether a word that is no revision may be meant to be a path.
bool MayBePath(const std::string& word) {
  return word.find_first_of("^~:") == std::string::npos && !word.contains("..");
}

void HintAtLog(const po::variables_map& values, const std::string& path,
               const Io& io) {
  io.err << fmt::format(
      "hint: the commits that change a path: git zpack log --format=%H {} {} "
      "-- {}\n",
      QuoteForShell(Text(values, "file")),
      QuoteForShell(Texts(values, "rev").front()), QuoteForShell(path));
}

// A revision after the first one may be meant to be a path.
int FailToResolve(const po::variables_map& values, const std::string& revision,
                  const Error& error, const Io& io) {
  const int code = Fail(io, error);
  if (error.code == ErrorCode::kNotFound &&
      revision != Texts(values, "rev").front() && MayBePath(revision)) {
    HintAtLog(values, revision, io);
  }
  return code;
}

int Run(const po::variables_map& values, const Io& io) {
  const std::vector<std::string> revisions = Texts(values, "rev");
  if (revisions.empty() && !Has(values, "all")) {
    throw UsageError{"give a revision to start from, or --all"};
  }
  if (const auto paths = Texts(values, "path"); !paths.empty()) {
    const int code = Fail(io, {.code = ErrorCode::kUnsupported,
                               .message = "rev-list lists all commits, not "
                                          "those that change a path"});
    if (!revisions.empty()) HintAtLog(values, paths.front(), io);
    return code;
  }
  WalkOptions walk;
  constexpr auto kMax = std::numeric_limits<int32_t>::max();
  // Like Git, takes a negative number for no limit.
  const int64_t limit = Number(values, "max-count", -kMax, kMax, -1);
  if (limit >= 0) walk.max_commits = static_cast<uint64_t>(limit);
  UseHugePages();
  const auto reader = ArchiveReader::Open(FileToRead(values),
                                          ReadContext(values, io).options());
  if (!reader) return Fail(io, reader.error());
  WarnOfGrafts(**reader, io.err);
  if (Has(values, "objects") && !Has(values, "no-objects")) {
    walk.objects = WalkObjects::kAll;
  }
  bool is_file = true;  // the next argument
  for (const CommandWord& word : WordsInOrder(values)) {
    if (word.option == "all") AddAllRefs(walk);
    if (!word.option.empty() || std::exchange(is_file, false)) continue;
    const Status added = AddRevision(**reader, word.value, walk, io.err);
    if (!added) return FailToResolve(values, word.value, added.error(), io);
  }
  const auto names = Has(values, "no-object-names") ? LineWriter::Names::kNo
                                                    : LineWriter::Names::kYes;
  const Status status = Has(values, "count")
                            ? Count(**reader, walk, io.out)
                            : List(**reader, walk, names, io.out);
  return status ? kDone : Fail(io, status.error());
}

}  // namespace
}  // namespace rev_list_command

const Command kRevListCommand = {
    "rev-list",
    "List commits, and what they reach, in a .zpack file",
    "[--all] [--objects [--no-object-names]] [-n <n>] [--count] [--download] "
    "<file> "
    "[<rev>...]",
    {"file", "rev"},
    1,
    LastArgument::kRepeated,
    {},
    false,
    rev_list_command::AddOptions,
    rev_list_command::Run,
    "path",
    true,
    "max-count"};

}  // namespace zpack::cli
