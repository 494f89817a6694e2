// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses the blocks that a check leaves out. Functions without state; any
// thread.

#pragma once

#include <cstdint>
#include <vector>

#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// By block: whether a check leaves the block out. All segments of an object are
// left out, or none of them.
using LeftOutBlocks = std::vector<bool>;

// Leaves out all blocks but `share` of them, in hundredths of a percent, and at
// least one. The same seed always chooses the same blocks of a file. An object
// in segments counts as one block.
LeftOutBlocks LeaveOutAllBut(const FileBlocks& file, uint32_t share,
                             uint32_t seed);

// Leaves out the blocks that `older` has as well: with the same bytes, the same
// object numbers and the same ids. The content of a block of trees or commits
// also depends on the ids that other numbers stand for, so such a block is left
// out only if all objects of `older` have the same numbers in `archive`.
//
// REQUIRES: the index of both files is loaded. Errors: kIo, kInterrupted.
Result<LeftOutBlocks> LeaveOutUnchanged(const ArchiveFile& archive,
                                        const ArchiveFile& older,
                                        const RunOptions& run);

// Objects in the blocks that are left out.
uint64_t CountObjects(const FileBlocks& file, const LeftOutBlocks& left_out);

}  // namespace zpack
