// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the lines that a LineQuery wants. Fast where lines do not match: a
// prefilter goes through the text, and only the lines of its candidates are
// compared with the expressions. Thread-compatible: each thread compiles its
// own.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/candidate_finder.h"
#include "search/line_pattern.h"
#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::search {

// Sets the numbers of lines of `text`, which ascend.
void NumberLines(std::string_view text, std::span<MatchingLine> lines);

class LineMatcher {
 public:
  // kInvalidArgument for a pattern or an expression that is not valid.
  static Result<LineMatcher> Compile(const LineQuery& query);

  // Begins with a text, which must outlive the calls of NextLine.
  void Begin(std::string_view text);
  // The next wanted line of the text. It has no number.
  Result<std::optional<MatchingLine>> NextLine();

  // Appends all wanted lines of `text`, with their numbers.
  Status AllLines(std::string_view text, std::vector<MatchingLine>& lines);

  // If plain texts find the candidates: how many bytes the longest of them has.
  // Then a line may be searched part by part, if each part begins with at least
  // so many bytes, less one, of the part before.
  std::optional<size_t> reach() const { return reach_; }
  // Whether `part`, which holds no line feed, makes its line a candidate.
  // REQUIRES: reach().
  bool HasCandidate(std::string_view part);
  // Whether each line with a candidate is wanted.
  bool candidates_match() const { return candidates_match_; }

  // False if the query wants a match of each alternative somewhere in the file,
  // and one has none in `text`.
  Result<bool> AcceptsFile(std::string_view text);

  // Where the line matches first; 0 for a line that is wanted because it does
  // not match.
  Result<size_t> Column(std::string_view line);
  // The first of the longest matches of any pattern in the line, at `from` or
  // later.
  Result<std::optional<MatchSpan>> NextSpan(std::string_view line, size_t from);

 private:
  // A node of the expression. Patterns and nodes are named by their indices.
  struct Node {
    enum class Kind : uint8_t { kPattern, kAnd, kOr, kNot };
    Kind kind = Kind::kPattern;
    std::vector<size_t> parts;  // nodes, or the pattern
  };
  class Parser;

  LineMatcher() = default;
  Status MakeFinder();
  void AddExpression(std::string_view pattern,
                     const ExpressionOptions& options);
  Result<bool> Wants(std::string_view line);
  Result<bool> Evaluate(size_t node, std::string_view line);
  // Like Evaluate, and lowers `column` to where the first match begins. Under
  // an odd number of kNot, `other` takes the place of `column`.
  Result<bool> FindColumns(size_t node, std::string_view line,
                           std::optional<size_t>& column,
                           std::optional<size_t>& other);
  bool Has(Node::Kind kind) const;

  LineQuery query_;
  std::vector<std::unique_ptr<LinePattern>> patterns_;
  std::vector<Node> nodes_;
  size_t root_ = 0;
  CandidateFinder finder_;
  std::string_view text_;
  size_t from_ = 0;                // where the next line of the text begins
  bool candidates_match_ = false;  // no candidate has to be compared
  std::optional<size_t> reach_;
};

}  // namespace zpack::search
