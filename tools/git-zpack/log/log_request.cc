// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/log_request.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "approximate_date.h"
#include "command_words.h"
#include "common_options.h"
#include "log/file_options.h"
#include "log/look_options.h"
#include "pathspec_modes.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr int64_t kMostCommits = std::numeric_limits<int32_t>::max();
constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// Like Git, takes a negative number for no limit.
uint64_t CountOf(const CommandWord& word, uint64_t otherwise) {
  const int64_t count = NumberFrom(word.value, word.option.c_str(),
                                   -kMostCommits - 1, kMostCommits);
  return count < 0 ? otherwise : static_cast<uint64_t>(count);
}

uint64_t DateOf(const CommandWord& word) {
  const auto date = ParseApproximateDate(word.value, PresentTime());
  if (!date) {
    throw UsageError{fmt::format(
        "unknown date '{}'; known are forms like '2024-05-01', '2024-05-01 "
        "12:30:00 +0200', '3 days ago', 'yesterday' and '@1714521600'",
        QuoteName(word.value, kMaxNameInMessage))};
  }
  if (*date < 0) {
    throw UsageError{fmt::format("date '{}' is before 1970",
                                 QuoteName(word.value, kMaxNameInMessage))};
  }
  return static_cast<uint64_t>(*date);
}

bool TakeStart(const CommandWord& word, LogRequest& request) {
  if (word.option.empty()) {
    request.starts.push_back({.revision = word.value});
  } else if (word.option == "branches") {
    request.starts.push_back({.refs = "refs/heads/"});
  } else if (word.option == "tags") {
    request.starts.push_back({.refs = "refs/tags/"});
  } else if (word.option == "remotes") {
    request.starts.push_back({.refs = "refs/remotes/"});
  } else if (word.option == "all") {
    request.starts.push_back({.refs = std::string(LogRequest::kAllRefs)});
  } else {
    return false;
  }
  return true;
}

bool TakeParents(const CommandWord& word, LogOptions& log) {
  if (word.option == "merges") {
    log.min_parents = 2;
  } else if (word.option == "no-merges") {
    log.max_parents = 1;
  } else if (word.option == "min-parents") {
    log.min_parents = CountOf(word, 0);
  } else if (word.option == "max-parents") {
    log.max_parents = CountOf(word, kUnlimited);
  } else if (word.option == "no-min-parents") {
    log.min_parents = 0;
  } else if (word.option == "no-max-parents") {
    log.max_parents = kUnlimited;
  } else {
    return false;
  }
  return true;
}

bool TakeLimit(const CommandWord& word, LogOptions& log) {
  if (word.option == "max-count") {
    log.max_commits = CountOf(word, kUnlimited);
  } else if (word.option == "skip") {
    log.skip = CountOf(word, 0);
  } else if (word.option == "since" || word.option == "after") {
    log.since = DateOf(word);
  } else if (word.option == "until" || word.option == "before") {
    log.until = DateOf(word);
  } else if (word.option == "first-parent") {
    log.first_parent = true;
  } else if (word.option == "full-history") {
    log.full_history = true;
  } else if (word.option == "follow") {
    log.follow = true;
  } else if (word.option == "reverse") {
    // As in Git, the second one takes back the first one.
    log.reverse = !log.reverse;
  } else {
    return TakeParents(word, log);
  }
  return true;
}

bool TakeMessageOption(const CommandWord& word, MessageQuery& messages) {
  if (word.option == "author") {
    messages.authors.push_back(word.value);
  } else if (word.option == "committer") {
    messages.committers.push_back(word.value);
  } else if (word.option == "grep") {
    messages.lines.push_back(word.value);
  } else if (word.option == "all-match") {
    messages.all_match = true;
  } else if (word.option == "invert-grep") {
    messages.invert = true;
  } else if (word.option == "regexp-ignore-case") {
    messages.ignore_case = true;
  } else if (word.option == "basic-regexp") {
    messages.syntax = PatternSyntax::kBasic;
  } else if (word.option == "extended-regexp") {
    messages.syntax = PatternSyntax::kExtended;
  } else if (word.option == "fixed-strings") {
    messages.syntax = PatternSyntax::kFixed;
  } else if (word.option == "perl-regexp") {
    messages.syntax = PatternSyntax::kPerl;
  } else {
    return false;
  }
  return true;
}

}  // namespace

LogRequest ParseLogRequest(const po::variables_map& values, const Io& io) {
  LogRequest request;
  FileOptions files;
  LookOptions look(io);
  for (const CommandWord& word : WordsInOrder(values)) {
    TakeStart(word, request) || TakeLimit(word, request.log) ||
        TakeMessageOption(word, request.messages) || files.Take(word) ||
        look.Take(word);
  }
  if (request.starts.empty() || request.starts.front().refs.size() > 0) {
    // The file is the first argument.
    const auto file = std::ranges::find_if(
        request.starts,
        [](const LogRequest::Start& start) { return start.refs.empty(); });
    if (file == request.starts.end()) throw UsageError{"missing <file>"};
    std::rotate(request.starts.begin(), file, file + 1);
  }
  request.file = FilesToRead({request.starts.front().revision}).front().path;
  request.starts.erase(request.starts.begin());
  request.look = look.Finish();
  request.objects = files.Finish(request.log, request.look);
  request.log.ignore_case = request.messages.ignore_case;
  request.log.pathspecs = WithPathspecModes(Texts(values, "path"));
  if (request.log.follow && request.log.pathspecs.size() != 1) {
    throw CommandFailure{{ErrorCode::kInvalidArgument,
                          "--follow requires exactly one pathspec"}};
  }
  request.log.threads = ResourcesOf(values).threads;
  request.log.stop = io.stop;
  return request;
}

}  // namespace zpack::cli
