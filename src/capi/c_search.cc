// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "capi/c_archive.h"
#include "capi/c_error.h"
#include "capi/stop_question.h"
#include "zpack.h"
#include "zpack/search.h"

namespace zpack::capi {
namespace {

constexpr zpack_search_options kSearch = ZPACK_SEARCH_OPTIONS_INIT;

Status CheckRanges(const zpack_search_options& given) {
  if (given.syntax < ZPACK_SYNTAX_BASIC || given.syntax > ZPACK_SYNTAX_PERL) {
    return Invalid("no such syntax of patterns");
  }
  if (given.binary < ZPACK_BINARY_WHOLE ||
      given.binary > ZPACK_BINARY_WITHOUT) {
    return Invalid("no such treatment of binary files");
  }
  if (given.max_depth < -1) return Invalid("max_depth is less than -1");
  if (given.pattern_count == 0) return Invalid("no pattern given");
  return {};
}

// `options` without `stop`.
Result<SearchOptions> SearchOf(const zpack_search_options& given) {
  ZPACK_TRY(CheckRanges(given));
  SearchOptions search;
  search.threads = given.threads;
  LineQuery& query = search.query;
  ZPACK_ASSIGN_OR_RETURN(auto patterns,
                         PathsOf(given.patterns, given.pattern_count));
  for (std::string& pattern : patterns) {
    query.tokens.push_back(
        {QueryToken::Kind::kPattern, std::move(pattern), {}});
  }
  query.syntax = static_cast<PatternSyntax>(given.syntax);
  query.ignore_case = given.ignore_case != 0;
  query.words = given.words != 0;
  query.invert = given.invert != 0;
  query.all_match = given.all_match != 0;
  search.binary = static_cast<BinaryFiles>(given.binary);
  ZPACK_ASSIGN_OR_RETURN(search.pathspecs,
                         PathsOf(given.paths, given.path_count));
  return search;
}

// Calls `search` with the options and with the place of what the callback
// returns, for one of the searches of all history.
template <typename Callback, typename Search>
int SearchAllHistory(const zpack_archive* archive,
                     const zpack_search_options* options, Callback callback,
                     Search search) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kSearch));
    HistorySearchOptions history;
    ZPACK_ASSIGN_OR_RETURN(static_cast<SearchOptions&>(history),
                           SearchOf(given));
    history.all_blobs = given.all_files != 0;
    const StopQuestion stop(given.stop, given.stop_payload);
    history.stop = stop.token();
    int returned = 0;
    const Status searched = search(history, returned);
    return Ended(searched, returned);
  });
}

zpack_oid ToCOrNone(const std::optional<ObjectId>& id) {
  return id ? ToC(*id) : zpack_oid();
}

// The lines of a file, whose text `lines` points into.
void SetLines(const SearchedFile& file,
              std::vector<zpack_matching_line>& lines) {
  lines.clear();
  if (file.binary) return;
  for (const MatchingLine& line : file.lines) {
    const std::string_view text =
        file.text.substr(line.begin, line.end - line.begin);
    lines.push_back({line.number, text.data(), text.size()});
  }
}

}  // namespace

extern "C" {

int zpack_search_options_init(zpack_search_options* options, unsigned version) {
  return InitOptions(options, version, kSearch);
}

int zpack_search_tree(const zpack_archive* archive, const zpack_oid* root,
                      const zpack_search_options* options,
                      zpack_searched_file_cb callback, void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    ZPACK_ASSIGN_OR_RETURN(const ObjectId id, IdOf(root));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kSearch));
    TreeSearchOptions search;
    ZPACK_ASSIGN_OR_RETURN(static_cast<SearchOptions&>(search),
                           SearchOf(given));
    if (given.max_depth >= 0) {
      search.max_depth = static_cast<uint32_t>(given.max_depth);
    }
    search.all_files = given.all_files != 0;
    const StopQuestion stop(given.stop, given.stop_payload);
    search.stop = stop.token();
    int returned = 0;
    std::vector<zpack_matching_line> lines;
    const Status searched = archive->reader->SearchTree(
        id, search, [&](const SearchedFile& file) -> Result<Visit> {
          SetLines(file, lines);
          const zpack_searched_file view = {
              file.path.data(),    file.path.size(), ToC(file.id),
              file.binary ? 1 : 0, lines.data(),     lines.size()};
          returned = callback(&view, payload);
          return Next(returned);
        });
    return Ended(searched, returned);
  });
}

int zpack_search_history(const zpack_archive* archive,
                         const zpack_search_options* options,
                         zpack_history_match_cb callback, void* payload) {
  const auto search = [&](const HistorySearchOptions& history, int& returned) {
    const auto visit = [&](const HistoryMatch& match) -> Result<Visit> {
      const zpack_history_match view = {
          match.path.data(),     match.path.size(),
          match.text.data(),     match.text.size(),
          match.binary ? 1 : 0,  match.line,
          ToC(match.blob),       ToCOrNone(match.brought),
          match.present ? 1 : 0, ToCOrNone(match.removed)};
      returned = callback(&view, payload);
      return Next(returned);
    };
    return archive->reader->SearchHistory(history, visit);
  };
  return SearchAllHistory(archive, options, callback, search);
}

int zpack_search_versions(const zpack_archive* archive,
                          const zpack_search_options* options,
                          zpack_matching_blob_cb callback, void* payload) {
  const auto search = [&](const HistorySearchOptions& history, int& returned) {
    const auto visit = [&](const MatchingBlob& blob) -> Result<Visit> {
      const zpack_matching_blob view = {ToC(blob.id), blob.path.data(),
                                        blob.path.size(), blob.binary ? 1 : 0,
                                        blob.lines};
      returned = callback(&view, payload);
      return Next(returned);
    };
    return archive->reader->SearchVersions(history, visit);
  };
  return SearchAllHistory(archive, options, callback, search);
}

}  // extern "C"

}  // namespace zpack::capi
