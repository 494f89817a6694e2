// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/commit_changes.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "object/object_links.h"
#include "zpack/tree_path.h"

namespace zpack::log {
namespace {

bool IsModule(const TreeSide& side) {
  return side.exists() && IsGitlinkMode(side.mode);
}

// The order of trees: that of the bytes of whole paths, where that of a
// directory ends with a slash.
bool ComesBefore(const FilePair& a, const FilePair& b) {
  const auto is_tree = [](const FilePair& pair) {
    return IsTreeMode(pair.before.mode) || IsTreeMode(pair.after.mode);
  };
  const int order =
      CompareTreeNames(a.old_path, is_tree(a), b.old_path, is_tree(b));
  // A directory comes before what it holds.
  return order != 0 ? order < 0 : a.old_path.size() < b.old_path.size();
}

}  // namespace

Result<ComparedWith> ParentToCompare(ObjectGraph& graph, ObjectNumber commit,
                                     bool first_parent) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                         graph.ReadCommit(commit));
  if (read.parents.empty()) return ComparedWith{.compared = true};
  if (read.parents.size() > 1 && !first_parent) return ComparedWith{};
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber parent,
                         graph.ReadParent(commit, read.parents.front()));
  return ComparedWith{true, parent};
}

CommitChanges::CommitChanges(const ArchiveFile& archive,
                             NumberedTrees::Blocks blocks)
    : graph_(archive),
      trees_(archive, std::move(blocks)),
      comparison_(trees_, [this](std::string_view directory) {
        return paths_->MayEnter(directory);
      }) {}

Result<Visit> CommitChanges::Compare(ObjectNumber commit, Parent parent,
                                     const search::Pathspec& paths,
                                     const Visitor<const TreeChange&>& visit,
                                     Directories directories) {
  paths_ = &paths;
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber tree, graph_.ReadRootTree(commit));
  TreeComparison::Tree before;
  if (parent) {
    ZPACK_ASSIGN_OR_RETURN(before, graph_.ReadRootTree(*parent));
  }
  return comparison_.Compare(
      std::span(&before, 1), tree,
      [&](const TreeChange& change) -> Result<Visit> {
        const TreeSide& before_side = change.before.front();
        const bool is_directory =
            IsTreeMode(before_side.mode) || IsTreeMode(change.after.mode);
        const bool matches = is_directory || paths.Matches(change.path);
        const auto matching = [&](const TreeSide& side) {
          const bool wanted =
              IsModule(side) && !is_directory
                  ? paths.Matches(change.path, search::Pathspec::Entry::kModule)
                  : matches;
          return wanted ? side : TreeSide();
        };
        const TreeSide old_side = matching(before_side);
        const TreeSide new_side = matching(change.after);
        // No side matches, or only an odd mode has changed.
        if (old_side == new_side) return Visit::kContinue;
        return visit({change.path, std::span(&old_side, 1), new_side});
      },
      directories);
}

Status CommitChanges::Read(ObjectNumber commit, Parent parent,
                           const search::Pathspec& paths,
                           std::vector<FilePair>& pairs,
                           Directories directories) {
  pairs.clear();
  const auto add = [&](const TreeChange& change) {
    const std::string path(change.path);
    pairs.push_back({.before = change.before.front(),
                     .after = change.after,
                     .old_path = path,
                     .new_path = path});
    return Visit::kContinue;
  };
  ZPACK_VISIT(Compare(commit, parent, paths, add, directories), {});
  return {};
}

Status CommitChanges::AddUnchanged(Parent parent, const search::Pathspec& paths,
                                   std::vector<FilePair>& pairs,
                                   Directories directories) {
  if (!parent) return {};
  const size_t changed = pairs.size();
  std::unordered_set<std::string_view> known;
  for (const FilePair& pair : pairs) known.insert(pair.old_path);
  std::vector<FilePair> others;
  const auto add = [&](const TreeChange& change) {
    if (known.contains(change.path)) return Visit::kContinue;
    const std::string path(change.path);
    others.push_back({.before = change.after,
                      .after = change.after,
                      .old_path = path,
                      .new_path = path});
    return Visit::kContinue;
  };
  ZPACK_VISIT(Compare(*parent, std::nullopt, paths, add, directories), {});
  known.clear();
  pairs.reserve(changed + others.size());
  std::ranges::move(others, std::back_inserter(pairs));
  std::ranges::inplace_merge(
      pairs, pairs.begin() + static_cast<ptrdiff_t>(changed), ComesBefore);
  return {};
}

Result<bool> CommitChanges::IsSame(ObjectNumber commit, Parent parent,
                                   const search::Pathspec& paths) {
  const auto stop = [](const TreeChange&) { return Visit::kStop; };
  ZPACK_ASSIGN_OR_RETURN(const Visit visit,
                         Compare(commit, parent, paths, stop));
  return visit == Visit::kContinue;
}

CommitChanges::Directories DirectoriesFor(const LogOptions& options) {
  using Directories = CommitChanges::Directories;
  return options.pickaxe == Pickaxe::kObject ? Directories::kVisited
                                             : Directories::kEntered;
}

}  // namespace zpack::log
