// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of 'log', as its help shows them.

#include <string>
#include <vector>

#include "common_options.h"
#include "log/log_request.h"

namespace zpack::cli {
namespace {

auto LogText(const char* name) {
  return po::value<std::string>()->value_name(name);
}
auto LogTexts(const char* name) {
  return po::value<std::vector<std::string>>()->value_name(name)->composing();
}

void AddCommitChoice(po::options_description& options) {
  options.add_options()("all", "begin with all refs and HEAD")(
      "branches", "begin with all branches")("tags", "begin with all tags")(
      "remotes", "begin with all remote branches")(
      "max-count,n", LogText("<n>"), "list at most <n> commits; or -<n>")(
      "skip", LogText("<n>"), "leave out the first <n> commits")(
      "since", LogText("<date>"), "commits that are younger")(
      "after", LogText("<date>"), "the same as --since")(
      "until", LogText("<date>"), "commits that are older")(
      "before", LogText("<date>"), "the same as --until")(
      "author", LogTexts("<pattern>"), "commits of these authors")(
      "committer", LogTexts("<pattern>"), "commits of these committers")(
      "grep", LogTexts("<pattern>"), "commits with a line like this")(
      "all-match", "commits that match each --grep")(
      "invert-grep", "commits that match no --grep")(
      "regexp-ignore-case,i", "do not distinguish upper and lower case")(
      "basic-regexp", "patterns are basic POSIX expressions (default)")(
      "extended-regexp,E", "patterns are extended POSIX expressions")(
      "fixed-strings,F", "patterns are plain text")(
      "perl-regexp,P", "patterns are expressions of PCRE2")(
      "merges", "only merges")("no-merges", "no merges")(
      "min-parents", LogText("<n>"), "commits with at least <n> parents")(
      "max-parents", LogText("<n>"), "commits with at most <n> parents")(
      "no-min-parents", "without a least number")("no-max-parents",
                                                  "without a largest number")(
      "first-parent", "follow only the first parent of a merge")(
      "full-history", "do not leave out branches that end up the same")(
      "follow", "list the history of one file beyond renames")(
      "reverse", "the oldest commit first");
}

void AddFileChoice(po::options_description& options) {
  options.add_options()(",S", LogText("<string>"),
                        "commits that change how often <string> occurs")(
      ",G", LogText("<regex>"), "commits with a changed line like this")(
      "find-object", LogText("<id>"), "commits that bring or remove an object")(
      "pickaxe-regex", "the value of -S is an extended POSIX expression")(
      "pickaxe-all", "show all files of a commit that -S or -G finds")(
      "text,a", "also look for -G in binary files")(
      "raw", "show modes and ids of changed files")(
      "name-status", "show the names of changed files, and how they changed")(
      "name-only", "show the names of changed files")(
      "no-patch,s", "show no files")(",z",
                                     "a zero byte after names and commits")(
      ",r", "accepted for compatibility: all directories are entered")(
      "find-renames,M", LogText("<n>"), "how similar renamed files must be")(
      "find-copies,C", LogText("<n>"), "find copies, too")(
      "find-copies-harder", "look for copies of unchanged files, too")(
      "no-renames", "do not look for renames")(
      ",l", LogText("<n>"), "look for renames among at most <n> files")(
      "diff-filter", LogTexts("<letters>"),
      "only files that changed like this");
}

void AddLook(po::options_description& options) {
  options.add_options()("oneline", "--pretty=oneline with short ids")(
      "pretty", LogText("<format>"),
      "oneline, short, medium, full, fuller, reference, raw, or a text with "
      "placeholders")("format", LogText("<format>"), "the same as --pretty")(
      "abbrev-commit", "short ids of commits")("no-abbrev-commit",
                                               "whole ids of commits")(
      "abbrev", LogText("<n>"), "short ids have at least <n> digits")(
      "no-abbrev", "whole ids of files")(
      "date", LogText("<form>"),
      "default, iso, iso-strict, relative, rfc, short, raw, unix, human or "
      "format:<text>; -local is in local time")(
      "decorate", LogText("<how>"), "show refs: short, full, auto or no")(
      "no-decorate", "do not show refs")("notes", "show notes")(
      "no-notes", "do not show notes")("mailmap", "use .mailmap (default)")(
      "use-mailmap", "the same as --mailmap")(
      "no-mailmap", "names as they are")("no-use-mailmap",
                                         "the same as --no-mailmap")(
      "expand-tabs", LogText("<n>"), "tabs of messages take <n> columns")(
      "no-expand-tabs", "leave tabs as they are")(
      "encoding", LogText("<name>"), "UTF-8, which is the only one")(
      "color", LogText("<when>"), "always, auto or never (default)")(
      "no-color", "the same as --color=never");
}

}  // namespace

void AddLogOptions(po::options_description& options) {
  AddCommitChoice(options);
  AddFileChoice(options);
  AddLook(options);
  AddThreadsOption(options);
  AddJsonOption(options);
  AddReadingOptions(options);
}

}  // namespace zpack::cli
