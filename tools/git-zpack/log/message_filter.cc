// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/message_filter.h"

#include <utility>

#include "log/log_commit_text.h"

namespace zpack::cli {
namespace {

constexpr std::string_view kHighlight = "\033[1;31m";
constexpr std::string_view kHighlightEnd = "\033[m";

// Like Git, a pattern for each line of a pattern.
Status CompileSearches(const std::vector<std::string>& patterns,
                       const MessageQuery& query, std::string_view origin,
                       std::vector<LineSearch>& searches) {
  for (const std::string& pattern : patterns) {
    std::string_view rest = pattern;
    while (true) {
      const size_t end = rest.find('\n');
      LineQuery line;
      line.tokens = {{QueryToken::Kind::kPattern,
                      std::string(rest.substr(0, end)), std::string(origin)}};
      line.syntax = query.syntax;
      line.ignore_case = query.ignore_case;
      auto search = LineSearch::Compile(line);
      if (!search) return std::unexpected(search.error());
      searches.push_back(*std::move(search));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
  }
  return {};
}

Result<bool> MatchesAny(std::vector<LineSearch>& searches,
                        std::string_view line) {
  for (LineSearch& search : searches) {
    const auto span = search.NextSpan(line, 0);
    if (!span) return std::unexpected(span.error());
    if (*span) return true;
  }
  return false;
}

std::string_view WithoutLineFeed(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

}  // namespace

Result<MessageFilter> MessageFilter::Compile(const MessageQuery& query,
                                             const Mailmap* mailmap) {
  MessageFilter filter;
  filter.all_match_ = query.all_match;
  filter.invert_ = query.invert;
  filter.mailmap_ = mailmap;
  for (const auto& [patterns, searches] :
       {std::pair(&query.authors, &filter.authors_),
        std::pair(&query.committers, &filter.committers_)}) {
    const Status compiled =
        CompileSearches(*patterns, query, "header", *searches);
    if (!compiled) return std::unexpected(compiled.error());
  }
  const Status compiled =
      CompileSearches(query.lines, query, "command line", filter.lines_);
  if (!compiled) return std::unexpected(compiled.error());
  return filter;
}

bool MessageFilter::restricts() const {
  return !authors_.empty() || !committers_.empty() || !lines_.empty();
}

MessageFilter::Searches& MessageFilter::SearchesOf(Field field) {
  return field == Field::kAuthor      ? authors_
         : field == Field::kCommitter ? committers_
                                      : lines_;
}

Result<bool> MessageFilter::Wants(std::string_view content) {
  const CommitText commit(content);
  std::string mapped;
  std::string_view text = commit.text();
  if (mailmap_ != nullptr && !(authors_.empty() && committers_.empty())) {
    mapped = mailmap_->MapHeaders(text);
    text = mapped;
  }
  const auto headers = WantsHeaders(text);
  if (!headers || !*headers) return headers;
  return WantsLines(text);
}

// Leaves the empty line and the message in `text`.
Result<bool> MessageFilter::WantsHeaders(std::string_view& text) {
  bool author = authors_.empty();
  bool committer = committers_.empty();
  while (!text.empty() && text.front() != '\n') {
    std::string_view line = WithoutLineFeed(TakeTextLine(text));
    for (const auto& [header, searches, found] :
         {std::tuple(std::string_view("author "), &authors_, &author),
          std::tuple(std::string_view("committer "), &committers_,
                     &committer)}) {
      if (*found || !line.starts_with(header)) continue;
      std::string_view person = line.substr(header.size());
      // The date is not searched.
      if (const size_t end = person.rfind('>');
          end != std::string_view::npos && end > 0) {
        person = person.substr(0, end + 1);
      }
      const auto matches = MatchesAny(*searches, person);
      if (!matches) return matches;
      *found = *matches;
    }
  }
  return author && committer;
}

Result<bool> MessageFilter::WantsLines(std::string_view text) {
  if (lines_.empty()) return true;
  std::vector<bool> found(lines_.size());
  size_t count = 0;
  while (!text.empty()) {
    const std::string_view line = WithoutLineFeed(TakeTextLine(text));
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (found[i]) continue;
      const auto span = lines_[i].NextSpan(line, 0);
      if (!span) return std::unexpected(span.error());
      if (!*span) continue;
      if (invert_) return false;
      if (!all_match_) return true;
      found[i] = true;
      ++count;
    }
  }
  return invert_ || count == lines_.size();
}

Result<std::string> MessageFilter::Highlight(std::string_view text,
                                             Field field) {
  std::string shown;
  size_t at = 0;
  while (true) {
    std::optional<MatchSpan> best;
    for (LineSearch& search : SearchesOf(field)) {
      const auto span = search.NextSpan(text, at);
      if (!span) return std::unexpected(span.error());
      if (!*span) continue;
      if (!best || (*span)->begin < best->begin ||
          ((*span)->begin == best->begin && (*span)->end > best->end)) {
        best = **span;
      }
    }
    if (!best || best->begin == best->end) break;
    shown += text.substr(at, best->begin - at);
    shown += kHighlight;
    shown += text.substr(best->begin, best->end - best->begin);
    shown += kHighlightEnd;
    at = best->end;
  }
  return shown.append(text.substr(at));
}

}  // namespace zpack::cli
