// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "other_names.h"

#include <algorithm>
#include <array>
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

bool IsOptionOfGitLog(std::string_view typed) {
  return std::ranges::find(kOptionsOfGitLog, typed) != kOptionsOfGitLog.end();
}

}  // namespace zpack::cli
