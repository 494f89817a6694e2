// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The entries of the trees of a block, without their contents. Functions
// without state; any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "format/tree_block.h"

namespace zpack {

// True for the commit of a submodule.
bool IsGitlink(const format::TreeBlock::Entry& entry);

// Calls `visit` with the index and the entries of each tree, in order, except
// for verbatim trees.
void ForEachTree(
    const format::TreeBlock& trees,
    const std::function<void(uint32_t index,
                             const format::TreeBlock::Entries&)>& visit);

// For each tree of the block: whether `good` is true for all its entries. The
// result depends on the child of an entry, and on whether it is a submodule.
// The entries of verbatim trees are not looked at.
std::vector<bool> TreesWithGoodChildren(
    const format::TreeBlock& trees,
    const std::function<bool(const format::TreeBlock::Entry&)>& good);

}  // namespace zpack
