// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The files that a commit changes. Thread-compatible.

#pragma once

#include <optional>
#include <vector>

#include "base/index_spaces.h"
#include "base/visitor.h"
#include "history/numbered_trees.h"
#include "history/object_graph.h"
#include "history/tree_changes.h"
#include "log/file_pair.h"
#include "reader/archive_file.h"
#include "search/pathspec.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

// With which parent a commit is compared.
struct ComparedWith {
  bool compared = false;                              // false for a merge
  std::optional<ObjectNumber> parent = std::nullopt;  // nothing: empty tree
};
// A merge is compared only if `first_parent` is true. Errors are those of
// ObjectGraph.
Result<ComparedWith> ParentToCompare(ObjectGraph& graph, ObjectNumber commit,
                                     bool first_parent);

class CommitChanges {
 public:
  // A parent; nothing stands for the empty tree.
  using Parent = std::optional<ObjectNumber>;

  // `archive` must outlive this object. Objects of several threads may share
  // `blocks`. REQUIRES: the index of `archive` is loaded.
  CommitChanges(const ArchiveFile& archive, NumberedTrees::Blocks blocks);

  ObjectGraph& graph() { return graph_; }
  NumberedTrees& trees() { return trees_; }

  using Directories = TreeComparison::Directories;

  // Calls `visit` with the files in `paths` that differ, in the order of
  // git-diff-tree(1), and with the directories that lead to them, if those are
  // visited. Errors: those of ObjectGraph, TreeComparison and `visit`.
  Result<Visit> Compare(ObjectNumber commit, Parent parent,
                        const search::Pathspec& paths,
                        const Visitor<const TreeChange&>& visit,
                        Directories directories = Directories::kEntered);
  // Sets `pairs` to what Compare visits.
  Status Read(ObjectNumber commit, Parent parent, const search::Pathspec& paths,
              std::vector<FilePair>& pairs,
              Directories directories = Directories::kEntered);
  // Adds the files of the parent that are not among them, which do not differ.
  Status AddUnchanged(Parent parent, const search::Pathspec& paths,
                      std::vector<FilePair>& pairs,
                      Directories directories = Directories::kEntered);
  // Whether no file in `paths` differs.
  Result<bool> IsSame(ObjectNumber commit, Parent parent,
                      const search::Pathspec& paths);

 private:
  ObjectGraph graph_;
  NumberedTrees trees_;
  TreeComparison comparison_;
  const search::Pathspec* paths_ = nullptr;  // of the call
};

// Like Git, `--find-object` also looks for directories.
CommitChanges::Directories DirectoriesFor(const LogOptions& options);

}  // namespace zpack::log
