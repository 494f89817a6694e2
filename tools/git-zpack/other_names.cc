// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "other_names.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace zpack::cli {
namespace {

constexpr std::array<std::string_view, 83> kOptionsOfGitLog = {
    "--ancestry-path",
    "--anchored",
    "--author-date-order",
    "--binary",
    "--boundary",
    "--break-rewrites",
    "--cc",
    "--check",
    "--cherry",
    "--cherry-mark",
    "--cherry-pick",
    "--children",
    "--clear-decorations",
    "--color-moved",
    "--color-words",
    "--combined-all-paths",
    "--compact-summary",
    "--cumulative",
    "--date-order",
    "--dd",
    "--decorate-refs",
    "--decorate-refs-exclude",
    "--dense",
    "--diff-algorithm",
    "--diff-merges",
    "--dirstat",
    "--do-walk",
    "--exclude",
    "--exclude-hidden",
    "--ext-diff",
    "--full-diff",
    "--full-index",
    "--function-context",
    "--glob",
    "--graph",
    "--grep-reflog",
    "--histogram",
    "--ignore-all-space",
    "--ignore-blank-lines",
    "--ignore-missing",
    "--ignore-space-change",
    "--left-only",
    "--left-right",
    "--line-prefix",
    "--log-size",
    "--max-age",
    "--merge",
    "--min-age",
    "--minimal",
    "--no-commit-id",
    "--no-walk",
    "--numstat",
    "--parents",
    "--patch",
    "--patch-with-stat",
    "--patience",
    "--reflog",
    "--relative",
    "--relative-date",
    "--remerge-diff",
    "--remove-empty",
    "--right-only",
    "--shortstat",
    "--show-linear-break",
    "--show-notes",
    "--show-pulls",
    "--show-signature",
    "--simplify-by-decoration",
    "--simplify-merges",
    "--since-as-filter",
    "--single-worktree",
    "--source",
    "--sparse",
    "--stat",
    "--submodule",
    "--summary",
    "--textconv",
    "--topo-order",
    "--unified",
    "--walk-reflogs",
    "--word-diff",
    "--word-diff-regex",
    "--ws-error-highlight"};

constexpr std::array<std::string_view, 10> kOptionsOfGitArchive = {
    "--add-file",
    "--add-virtual-file",
    "--exec",
    "--list",
    "--mtime",
    "--no-prefix",
    "--remote",
    "--verbose",
    "--worktree-attributes",
    "--no-output"};

constexpr std::array<std::string_view, 7> kOptionsOfGitCatFile = {
    "--allow-unknown-type",
    "--filters",
    "--follow-symlinks",
    "--mailmap",
    "--path",
    "--textconv",
    "--use-mailmap"};

constexpr std::array<std::string_view, 2> kOptionsOfGitLsTree = {
    "--no-full-name", "--no-full-tree"};

}  // namespace

std::string_view CommandsLike(std::string_view typed) {
  constexpr std::string_view kList = "'list-refs', 'ls-tree' or 'list-files'";
  constexpr std::string_view kGit = "'exec <file> git ...'";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 19>
      kNames = {{{"backup", "'convert'"},
                 {"blame", kGit},
                 {"cat", "'cat-file'"},
                 {"check", "'verify'"},
                 {"checkout", "'restore' or 'archive'"},
                 {"clone", "'restore' or 'git clone zpack::<file>'"},
                 {"create", "'convert'"},
                 {"extract", "'restore'"},
                 {"fsck", "'verify'"},
                 {"gc", "'repack'"},
                 {"info", "'show'"},
                 {"list", kList},
                 {"ls", kList},
                 {"pack", "'convert'"},
                 {"serve", "'http-backend', 'shell' or 'upload-pack'"},
                 {"stats", "'show --stats' or 'report'"},
                 {"test", "'verify'"},
                 {"unpack", "'restore'"},
                 {"update", "'convert --update'"}}};
  for (const auto& [name, commands] : kNames) {
    if (name == typed) return commands;
  }
  return "";
}

bool IsOptionOfGit(std::string_view command, std::string_view typed) {
  using Names = std::span<const std::string_view>;
  constexpr std::array<std::pair<std::string_view, Names>, 4> kOptions = {
      {{"archive", kOptionsOfGitArchive},
       {"cat-file", kOptionsOfGitCatFile},
       {"log", kOptionsOfGitLog},
       {"ls-tree", kOptionsOfGitLsTree}}};
  return std::ranges::any_of(kOptions, [&](const auto& of) {
    return of.first == command &&
           std::ranges::find(of.second, typed) != of.second.end();
  });
}

}  // namespace zpack::cli
