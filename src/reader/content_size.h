// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How much content a file stands for, which its tables do not say.

#pragma once

#include <cstdint>
#include <vector>

#include "reader/file_blocks.h"
#include "zpack/options.h"

namespace zpack {

// Bytes of content of all objects of `file`, for the total of a phase, but of
// those in blocks that are `skipped`, by block; it may be empty. Reads every
// block, but decodes only the sizes in it: a hundredth of the time that the
// contents take. Blocks that cannot be decoded count nothing; whoever decodes
// them whole reports them. 0 at once when `run` shows no totals, and
// soon after a stop was requested.
uint64_t ContentSize(const FileBlocks& file, const std::vector<bool>& skipped,
                     const RunOptions& run);

}  // namespace zpack
