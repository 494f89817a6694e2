// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/grep_request.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <utility>

#include "command_words.h"
#include "common_options.h"
#include "pathspec_modes.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

// Adds a pattern for each line of the file `path`; '-' is standard input.
void AddPatternsOf(const std::string& path, const Io& io,
                   std::vector<QueryToken>& tokens) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) {
      throw CommandFailure{
          {ErrorCode::kIo, fmt::format("cannot open '{}'", QuoteName(path))}};
    }
  }
  std::istream& in = path == "-" ? io.in : file;
  std::string line;
  for (uint64_t number = 1; std::getline(in, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    // Like Git; an empty pattern would match every line.
    if (line.empty()) continue;
    tokens.push_back({QueryToken::Kind::kPattern, line,
                      fmt::format("In '{}' at {}", QuoteName(path), number)});
  }
  if (in.bad()) {
    throw CommandFailure{
        {ErrorCode::kIo, fmt::format("cannot read '{}'", QuoteName(path))}};
  }
}

// The expression, and the arguments that are none of its words.
std::vector<std::string> TakeExpression(const po::variables_map& values,
                                        const Io& io,
                                        std::vector<QueryToken>& tokens) {
  using Kind = QueryToken::Kind;
  const bool has_patterns = Has(values, "regexp") || Has(values, "file");
  std::vector<std::string> arguments;
  for (const CommandWord& word : WordsInOrder(values)) {
    const bool argument = word.option.empty();
    if (word.option == "regexp") {
      tokens.push_back({Kind::kPattern, word.value, "-e option"});
    } else if (word.option == "file") {
      AddPatternsOf(word.value, io, tokens);
    } else if (word.option == "and") {
      tokens.push_back({Kind::kAnd});
    } else if (word.option == "not") {
      tokens.push_back({Kind::kNot});
    } else if (argument && has_patterns && word.value == "(") {
      tokens.push_back({Kind::kOpen});
    } else if (argument && has_patterns && word.value == ")") {
      tokens.push_back({Kind::kClose});
    } else if (argument) {
      arguments.push_back(word.value);
    }
  }
  if (tokens.empty() && !arguments.empty()) {
    tokens.push_back({Kind::kPattern, arguments.front(), "command line"});
    arguments.erase(arguments.begin());
  }
  if (tokens.empty()) {
    throw CommandFailure{{ErrorCode::kInvalidArgument, "no pattern given"}};
  }
  return arguments;
}

// Of options that exclude each other, the last one counts.
PatternSyntax SyntaxOf(const po::variables_map& values) {
  PatternSyntax syntax = PatternSyntax::kBasic;
  for (const CommandWord& word : WordsInOrder(values)) {
    if (word.option == "basic-regexp") syntax = PatternSyntax::kBasic;
    if (word.option == "extended-regexp") syntax = PatternSyntax::kExtended;
    if (word.option == "fixed-strings") syntax = PatternSyntax::kFixed;
    if (word.option == "perl-regexp") syntax = PatternSyntax::kPerl;
  }
  return syntax;
}

bool LastOf(const po::variables_map& values, std::string_view yes,
            std::string_view no, bool otherwise) {
  for (const CommandWord& word : WordsInOrder(values)) {
    if (word.option == yes) otherwise = true;
    if (word.option == no) otherwise = false;
  }
  return otherwise;
}

bool ColorsOf(const po::variables_map& values, const Io& io) {
  bool colors = false;
  for (const CommandWord& word : WordsInOrder(values)) {
    if (word.option == "no-color") colors = false;
    if (word.option != "color") continue;
    if (word.value == "always" || word.value == "never") {
      colors = word.value == "always";
    } else if (word.value == "auto") {
      colors = io.out_is_terminal;
    } else {
      throw UnknownValue("color mode", word.value, {"always", "auto", "never"});
    }
  }
  return colors;
}

// Like Git, lets a later option win over an earlier one.
void SetContext(const po::variables_map& values, GrepOutput& output) {
  for (const CommandWord& word : WordsInOrder(values)) {
    const bool both = word.option == "context";
    const bool before = both || word.option == "before-context";
    const bool after = both || word.option == "after-context";
    if (!before && !after) continue;
    const auto lines = static_cast<uint64_t>(
        NumberFrom(word.value, word.option.c_str(), 0, kMost));
    if (before) output.before = lines;
    if (after) output.after = lines;
  }
}

GrepOutput OutputOf(const po::variables_map& values, const Io& io) {
  GrepOutput output;
  // Like Git, shows lines that do not match as a whole.
  if (Has(values, "only-matching") && !Has(values, "invert-match")) {
    output.what = GrepOutput::What::kMatches;
  }
  if (Has(values, "count")) output.what = GrepOutput::What::kCounts;
  if (Has(values, "files-with-matches") || Has(values, "name-only")) {
    output.what = GrepOutput::What::kNames;
  }
  if (Has(values, "files-without-match"))
    output.what = GrepOutput::What::kNamesWithout;
  output.names = LastOf(values, "with-filename", "no-filename", true);
  output.numbers = LastOf(values, "line-number", "no-line-number", false);
  output.columns = Has(values, "column");
  output.zero_after_names = Has(values, "null");
  output.heading = Has(values, "heading");
  output.breaks = Has(values, "break");
  output.quiet = Has(values, "quiet");
  output.colors = ColorsOf(values, io);
  SetContext(values, output);
  const int64_t most = Number(values, "max-count", -kMost, kMost, -1);
  if (most >= 0) output.max_count = static_cast<uint64_t>(most);
  return output;
}

void RefuseForHistory(const po::variables_map& values) {
  for (const char* const name : {"only-matching", "column", "heading", "break",
                                 "context", "before-context", "after-context",
                                 "max-count", "max-depth", "no-recursive"}) {
    if (Has(values, name)) {
      throw UsageError{
          fmt::format("'--{}' does not go with '--all-history'", name)};
    }
  }
}

// Which files are searched: the last option of each kind decides.
void TakeFileOptions(const po::variables_map& values,
                     TreeSearchOptions& search) {
  const int64_t most = Number(values, "max-depth", -kMost, kMost, -1);
  int64_t depth = -1;
  for (const CommandWord& word : WordsInOrder(values)) {
    if (word.option == "-I") search.binary = BinaryFiles::kWithout;
    if (word.option == "text") search.binary = BinaryFiles::kText;
    if (word.option == "recursive") depth = -1;
    if (word.option == "no-recursive") depth = 0;
    if (word.option == "max-depth") depth = most;
  }
  if (depth >= 0) search.max_depth = static_cast<uint32_t>(depth);
}

}  // namespace

void AddGrepOptions(po::options_description& options) {
  const auto text = [] { return po::value<std::string>(); };
  const auto texts = [](const char* name) {
    return po::value<std::vector<std::string>>()->value_name(name)->composing();
  };
  const auto number = [] {
    return po::value<std::string>()->value_name("<n>");
  };
  options.add_options()(
      "all-history",
      "search every version of every file once; show which commits brought a "
      "line and removed it")("format", text()->value_name("<format>"),
                             "with --all-history: what to print for each line")(
      "regexp,e", texts("<pattern>"), "a pattern; may be repeated")(
      "file,f", texts("<file>"),
      "patterns, one on each line of a file; may be repeated")(
      "and", "a line must match what is on both sides")(
      "or", "a line must match one side, as without --or")(
      "not", "a line must not match what follows")(
      "all-match", "only files in which each of the patterns matches")(
      "basic-regexp,G", "patterns are basic POSIX expressions (default)")(
      "extended-regexp,E", "patterns are extended POSIX expressions")(
      "fixed-strings,F", "patterns are plain text")(
      "perl-regexp,P", "patterns are expressions of PCRE2")(
      "ignore-case,i", "do not distinguish upper and lower case")(
      "word-regexp,w", "match only at the boundaries of words")(
      "invert-match,v", "lines that do not match")(
      "text,a", "treat binary files as text")(",I", "leave out binary files")(
      "line-number,n", "show the numbers of lines")(
      "no-line-number", "do not show them")("column",
                                            "show where a line matches first")(
      "no-filename,h", "do not show names of files")("with-filename,H",
                                                     "show them (default)")(
      "full-name", "accepted for compatibility: paths are always whole")(
      "files-with-matches,l", "show only the names of files that match")(
      "name-only", "the same as --files-with-matches")(
      "files-without-match,L", "show only the names of files that do not")(
      "null,z", "a zero byte after names, which are not quoted")(
      "only-matching,o", "show only the parts of lines that match")(
      "count,c", "show the number of lines that match, for each file")(
      "heading", "show the name of a file once, above its lines")(
      "break", "an empty line between the lines of different files")(
      "quiet,q",
      "show nothing; only the exit code says whether a line matches")(
      "after-context,A", number(), "show <n> lines after each")(
      "before-context,B", number(), "show <n> lines before each")(
      "context,C", number(), "show <n> lines before and after each; or -<n>")(
      "max-count,m", number(), "show at most <n> lines of each file")(
      "max-depth", number(), "look at most <n> directories below a path")(
      "recursive,r", "look into directories (default)")(
      "no-recursive", "the same as --max-depth=0")(
      "color", text()->value_name("<when>"), "always, auto or never (default)")(
      "no-color", "the same as --color=never");
  AddThreadsOption(options);
  AddJsonOption(options);
  AddReadingOptions(options);
}

GrepRequest ParseGrepRequest(const po::variables_map& values, const Io& io) {
  GrepRequest request;
  LineQuery& query = request.search.query;
  std::vector<std::string> arguments = TakeExpression(values, io, query.tokens);
  if (arguments.empty()) throw UsageError{"missing <file>"};
  request.file = FilesToRead({arguments.front()}).front().path;
  request.revisions.assign(arguments.begin() + 1, arguments.end());
  request.search.pathspecs = WithPathspecModes(Texts(values, "path"));
  query.syntax = SyntaxOf(values);
  query.ignore_case = Has(values, "ignore-case");
  query.words = Has(values, "word-regexp");
  query.invert = Has(values, "invert-match");
  query.all_match = Has(values, "all-match");
  request.search.threads = ResourcesOf(values).threads;
  request.search.stop = io.stop;
  TakeFileOptions(values, request.search);
  request.output = OutputOf(values, io);
  request.search.all_files =
      request.output.what == GrepOutput::What::kNamesWithout;
  request.all_history = Has(values, "all-history");
  if (Has(values, "format")) request.format = Text(values, "format");
  if (!request.all_history && request.format) {
    throw UsageError{"'--format' needs '--all-history'"};
  }
  if (!request.all_history) return request;
  RefuseForHistory(values);
  if (request.format && request.output.what != GrepOutput::What::kLines) {
    throw UsageError{"'--format' is for lines, not for files or counts"};
  }
  if (!request.revisions.empty()) {
    throw UsageError{"give revisions or '--all-history', not both"};
  }
  return request;
}

}  // namespace zpack::cli
