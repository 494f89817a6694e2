// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The changed files of a commit that a log shows: with renames, and those that
// the pickaxe and the status letters leave. Thread-compatible.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "log/archive_texts.h"
#include "log/commit_changes.h"
#include "log/file_pair.h"
#include "log/pickaxe_search.h"
#include "log/renames.h"
#include "reader/archive_file.h"
#include "search/pathspec.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

// The letter of a pair in the raw format.
char StatusOf(const FilePair& pair);

class CommitFiles {
 public:
  // What the readers of several threads share, which must outlive them.
  struct Sources {
    const ArchiveFile& archive;
    ObjectReader& objects;
    const LogOptions& options;
    const search::Pathspec& paths;
    PickaxeSearch* pickaxe;  // may be null
    NumberedTrees::Blocks blocks;
  };

  explicit CommitFiles(const Sources& sources);

  // The path to follow, with LogOptions::follow.
  void FollowPath(std::string path) { followed_ = std::move(path); }

  // Whether LogOptions::diff_filter may leave out files.
  bool filters() const { return !kept_.empty(); }
  CommitChanges& changes() { return changes_; }
  const search::Pathspec& paths() const { return paths_; }

  // Sets `pairs` to the files that differ, of which the pickaxe may want some
  // and LogOptions::diff_filter leaves the wanted ones. With
  // LogOptions::follow, commits must come in the order of the log: the path
  // changes with each rename.
  Status Read(ObjectNumber commit, std::optional<ObjectNumber> parent,
              std::vector<FilePair>& pairs);
  // Leaves those that the pickaxe wants. For one thread at a time. REQUIRES:
  // this object has read `pairs`.
  Status Choose(std::vector<FilePair>& pairs);

 private:
  RenameOptions RenamesWith(RenameSearch search) const;
  // Looks for the earlier path of a file that was added.
  Result<bool> Follow(ObjectNumber commit, std::optional<ObjectNumber> parent,
                      std::vector<FilePair>& pairs);
  Status KeepWanted(std::vector<FilePair>& pairs);

  const LogOptions& options_;
  const std::string kept_;  // status letters
  search::Pathspec paths_;
  std::string followed_;  // LogOptions::follow: the path now
  PickaxeSearch* const pickaxe_;
  CommitChanges changes_;
  ArchiveTexts texts_;
};

}  // namespace zpack::log
