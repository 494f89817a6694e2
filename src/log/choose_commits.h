// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the commits of which the pickaxe may want a file, on several threads.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "history/numbered_trees.h"
#include "log/pickaxe_search.h"
#include "reader/archive_file.h"
#include "search/pathspec.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

struct PickaxeChoice {
  const ArchiveFile& archive;
  const LogOptions& options;
  const search::Pathspec& paths;
  PickaxeSearch& pickaxe;               // searches the blobs of the commits
  const NumberedTrees::Blocks& blocks;  // of trees
  // How many files are kept, at 20 bytes. If the commits change more, their
  // trees are compared twice, the second time for so many files at once.
  size_t most_files = 4'000'000;
};

// 1 for each of the commits that may have a wanted file, and 0 for those that
// have none, whatever the names of their files were before: a rename only makes
// fewer files wanted, and a copy is wanted only if the added file would be, or
// its source if it were removed. Errors: those of CommitChanges and of the
// pickaxe.
Result<std::vector<uint8_t>> ChooseCommits(
    const PickaxeChoice& choice, const std::vector<ObjectNumber>& commits);

}  // namespace zpack::log
