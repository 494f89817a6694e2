// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which commits '--author', '--committer' and '--grep' want, and where their
// patterns match. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "log/mailmap.h"
#include "zpack/line_query.h"
#include "zpack/line_search.h"
#include "zpack/result.h"

namespace zpack::cli {

struct MessageQuery {
  std::vector<std::string> authors = {};
  std::vector<std::string> committers = {};
  std::vector<std::string> lines = {};
  PatternSyntax syntax = PatternSyntax::kBasic;
  bool ignore_case = false;
  bool all_match = false;  // each pattern of `lines` in some line
  bool invert = false;     // none of them in any line
};

class MessageFilter {
 public:
  enum class Field : uint8_t { kAuthor, kCommitter, kMessage };

  // `mailmap` may be null, and must outlive the filter. Errors:
  // kInvalidArgument for a pattern that is not valid.
  static Result<MessageFilter> Compile(const MessageQuery& query,
                                       const Mailmap* mailmap);

  // False if all commits are wanted.
  bool restricts() const;
  // Whether the commit with this content is wanted.
  Result<bool> Wants(std::string_view content);

  // `text`, a part of that field, with colors for what matches.
  Result<std::string> Highlight(std::string_view text, Field field);

 private:
  using Searches = std::vector<LineSearch>;

  Result<bool> WantsHeaders(std::string_view& text);
  Result<bool> WantsLines(std::string_view text);
  Searches& SearchesOf(Field field);

  Searches authors_;
  Searches committers_;
  Searches lines_;
  bool all_match_ = false;
  bool invert_ = false;
  const Mailmap* mailmap_ = nullptr;
};

}  // namespace zpack::cli
