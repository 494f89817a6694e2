// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds out which objects of the undamaged blocks can be rebuilt, and their
// ids.

#pragma once

#include <functional>
#include <vector>

#include "format/tree_block.h"
#include "reader/file_blocks.h"
#include "salvage/salvaged_blocks.h"
#include "salvage/salvaged_ids.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// What the functions below work on. `file` is made by SalvagedBlocks::Open and
// gets its ids from `ids`.
struct Salvaging {
  const SalvagedBlocks& blocks;
  const FileBlocks& file;
  const RunOptions& run;
  SalvagedIds& ids;
  std::vector<Error>& damages;

  // Notes that a block costs its objects. Returns the error if it is fatal.
  Status Note(size_t row, const Error& error) const;
};

// Decodes and hashes the objects whose ids do not depend on those of other
// objects; with an index, all objects. Uses several threads.
//
// Errors of this function and the next one: kIo, kInterrupted, kOutOfMemory.
Status ProveWholeObjects(const Salvaging& salvaging);

// Without an index: rebuilds trees and commits, as far as the ids of all
// objects that they name can be known. Where the order of the objects is so
// unusual that blocks would be decoded too often, gives up and notes that.
Status ProveLinkedObjects(const Salvaging& salvaging);

// True for the commit of a submodule.
bool IsGitlink(const format::TreeBlock::Entry& entry);

// For each tree of the block: whether `good` is true for all its entries. The
// result depends on the child of an entry, and on whether it is a submodule.
// The entries of verbatim trees are not looked at.
std::vector<bool> TreesWithGoodChildren(
    const format::TreeBlock& trees,
    const std::function<bool(const format::TreeBlock::Entry&)>& good);

}  // namespace zpack
