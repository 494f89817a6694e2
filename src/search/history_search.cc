// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/history_search.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/blob_search.h"
#include "search/line_history.h"
#include "search/line_texts.h"
#include "search/pathspec.h"

namespace zpack::search {
namespace {

constexpr uint64_t kMaxTexts = uint64_t{160} << 20;
constexpr uint64_t kMaxLines = uint64_t{160} << 20;

// What the wanted lines of a blob hold, in the order of LinesOfBlobs.
std::vector<LineOfBlob> LinesInOrder(const FoundBlob& blob, uint32_t binary,
                                     BinaryFiles what) {
  std::vector<LineOfBlob> lines;
  if (blob.lines.empty()) return lines;
  if (blob.binary && what != BinaryFiles::kText) {
    if (what == BinaryFiles::kWhole) lines.push_back(binary);
    return lines;
  }
  lines.assign(blob.names.begin(), blob.names.end());
  std::ranges::sort(lines);
  const auto rest = std::ranges::unique(lines);
  lines.erase(rest.begin(), rest.end());
  lines.shrink_to_fit();
  return lines;
}

// Finds the lines of all blobs. What stands for the match of a binary file is
// number `binary`.
Result<LinesOfBlobs> FindLines(const FileBlocks& file,
                               const SearchOptions& options, LineTexts& texts,
                               uint32_t binary) {
  LinesOfBlobs blobs(file.object_count());
  uint64_t bytes = 0;
  std::mutex mutex;  // guards both
  BlobSearch search = {
      .query = options.query, .threads = options.threads, .stop = options.stop};
  search.leaves_out_binary = options.binary == BinaryFiles::kWithout;
  search.name = [&](std::string_view line) { return texts.Number(line); };
  search.visit = [&](const FoundBlob& blob) -> Status {
    std::vector<LineOfBlob> lines = LinesInOrder(blob, binary, options.binary);
    if (lines.empty()) return {};
    const std::lock_guard<std::mutex> lock(mutex);
    bytes += lines.size() * sizeof(LineOfBlob);
    if (bytes > kMaxLines) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "the matches take more than {} bytes of memory; search "
                       "for less, or only list or count files",
                       kMaxLines);
    }
    blobs.Set(blob.number, std::move(lines));
    return {};
  };
  ZPACK_TRY(search::SearchBlobs(file, search));
  return blobs;
}

// By blob and text: the number of the first line of the blob that holds it.
using LineNumbers = std::unordered_map<uint64_t, uint64_t>;

uint64_t LineKey(ObjectNumber blob, uint32_t text) {
  return (uint64_t{blob.value()} << 32) | text;
}

// Counts the lines of `blobs` up to those that are wanted. Most blobs are not
// among them, so this is not a part of FindLines.
Result<LineNumbers> FindNumbers(const FileBlocks& file,
                                const SearchOptions& options, LineTexts& texts,
                                std::vector<ObjectNumber> blobs) {
  std::ranges::sort(blobs);
  const auto rest = std::ranges::unique(blobs);
  blobs.erase(rest.begin(), rest.end());
  LineNumbers numbers;
  std::mutex mutex;
  BlobSearch search = {.query = options.query,
                       .number_lines = true,
                       .numbers = blobs,
                       .threads = options.threads,
                       .stop = options.stop};
  search.name = [&](std::string_view line) { return texts.Number(line); };
  search.visit = [&](const FoundBlob& blob) -> Status {
    const std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < blob.lines.size(); ++i) {
      numbers.try_emplace(LineKey(blob.number, blob.names[i]),
                          blob.lines[i].number);
    }
    return {};
  };
  ZPACK_TRY(search::SearchBlobs(file, search));
  return numbers;
}

// The versions that SearchVersions visits, without ids and paths.
using Versions = std::unordered_map<ObjectNumber, MatchingBlob>;

// Finds them, or, if `one` is true, one of them.
Result<Versions> FindVersions(const FileBlocks& file,
                              const HistorySearchOptions& options, bool one) {
  Versions found;
  std::mutex mutex;
  // What asks to stop: the caller, or a blob that is enough.
  std::stop_source enough;
  const std::stop_callback forward(options.stop,
                                   [&] { enough.request_stop(); });
  BlobSearch search = {.query = options.query,
                       .threads = options.threads,
                       .stop = enough.get_token()};
  search.leaves_out_binary = options.binary == BinaryFiles::kWithout;
  search.visit = [&](const FoundBlob& blob) -> Status {
    MatchingBlob match = {.binary = blob.binary, .lines = blob.lines.size()};
    if (blob.binary && options.binary == BinaryFiles::kText) {
      match.binary = false;
    }
    // Like Git, also does not list it among those that do not match.
    if (match.binary && options.binary == BinaryFiles::kWithout) return {};
    if (match.lines == 0 && !options.all_blobs) return {};
    const std::lock_guard<std::mutex> lock(mutex);
    found.emplace(blob.number, match);
    if (one) enough.request_stop();
    return {};
  };
  const Status searched = search::SearchBlobs(file, search);
  if (!searched && !(one && !found.empty())) {
    return std::unexpected(searched.error());
  }
  return found;
}

// Leaves the first event of each blob, and these from the youngest on.
void KeepFirstEvents(LineHistory& history) {
  std::vector<LineEvents>& events = history.events();
  const auto path = [&](const LineEvents& event) {
    return history.path(event.path);
  };
  std::ranges::sort(events, [&](const LineEvents& a, const LineEvents& b) {
    if (a.text != b.text) return a.text < b.text;
    if (a.brought != b.brought) return a.brought > b.brought;
    return path(a) < path(b);
  });
  const auto rest = std::ranges::unique(events, {}, &LineEvents::text);
  events.erase(rest.begin(), rest.end());
  std::ranges::sort(events, {}, [&](const LineEvents& event) {
    return std::pair(event.brought, path(event));
  });
}

}  // namespace

Status SearchHistory(const ArchiveFile& archive,
                     const HistorySearchOptions& options,
                     const Visitor<const HistoryMatch&>& visit) {
  ZPACK_ASSIGN_OR_RETURN(Pathspec paths, Pathspec::Parse(options.pathspecs));
  LineTexts texts(kMaxTexts);
  // No line has a line feed.
  ZPACK_ASSIGN_OR_RETURN(const uint32_t binary, texts.Number("\n"));
  ZPACK_ASSIGN_OR_RETURN(const LinesOfBlobs lines,
                         FindLines(archive.blocks(), options, texts, binary));
  if (lines.blobs().empty()) return {};
  LineHistory history(archive, lines, std::move(paths));
  ZPACK_TRY(history.Walk(options.threads, options.stop));
  std::vector<LineEvents>& events = history.events();
  for (const ObjectNumber blob : history.Unreached()) {
    for (const LineOfBlob text : lines.Of(blob)) {
      events.push_back({.path = LineEvents::kNone, .text = text, .blob = blob});
    }
  }
  std::vector<ObjectNumber> blobs;
  blobs.reserve(events.size());
  for (const LineEvents& event : events) blobs.push_back(event.blob);
  ZPACK_ASSIGN_OR_RETURN(
      LineNumbers numbers,
      FindNumbers(archive.blocks(), options, texts, std::move(blobs)));
  const auto path = [&](const LineEvents& event) {
    return event.path == LineEvents::kNone ? std::string_view()
                                           : history.path(event.path);
  };
  std::ranges::sort(events, {}, [&](const LineEvents& event) {
    return std::tuple(event.brought, path(event),
                      numbers[LineKey(event.blob, event.text)], event.blob);
  });
  for (const LineEvents& event : events) {
    ZPACK_TRY(CheckStop(options.stop));
    HistoryMatch match = {.path = path(event),
                          .binary = event.text == binary,
                          .line = numbers[LineKey(event.blob, event.text)],
                          .blob = archive.ids()[archive.rank(event.blob)],
                          .present = event.present};
    if (!match.binary) match.text = texts.text(event.text);
    if (event.brought != LineEvents::kNone) {
      match.brought = history.commit(event.brought);
    }
    if (!event.present && event.removed != LineEvents::kNone) {
      match.removed = history.commit(event.removed);
    }
    ZPACK_VISIT(visit(match), {});
  }
  return {};
}

Status SearchVersions(const ArchiveFile& archive,
                      const HistorySearchOptions& options,
                      const Visitor<const MatchingBlob&>& visit) {
  ZPACK_ASSIGN_OR_RETURN(Pathspec paths, Pathspec::Parse(options.pathspecs));
  const auto pass = [&](MatchingBlob match, ObjectNumber blob,
                        std::string_view at) {
    match.id = archive.ids()[archive.rank(blob)];
    match.path = at;
    return visit(match);
  };
  const bool ends_early = options.first_only && paths.empty();
  ZPACK_ASSIGN_OR_RETURN(const Versions found,
                         FindVersions(archive.blocks(), options, ends_early));
  if (found.empty()) return {};
  if (ends_early) {
    ZPACK_VISIT(pass(found.begin()->second, found.begin()->first, {}), {});
    return {};
  }
  // Each blob is the one line of itself, so its events are those of the blob.
  LinesOfBlobs blobs(archive.object_count());
  for (const auto& [blob, match] : found) blobs.Set(blob, {blob.value()});
  LineHistory history(archive, blobs, std::move(paths));
  ZPACK_TRY(history.Walk(options.threads, options.stop));
  KeepFirstEvents(history);
  for (const LineEvents& event : history.events()) {
    ZPACK_VISIT(
        pass(found.at(event.blob), event.blob, history.path(event.path)), {});
  }
  for (const ObjectNumber blob : history.Unreached()) {
    ZPACK_VISIT(pass(found.at(blob), blob, {}), {});
  }
  return {};
}

}  // namespace zpack::search
