// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes the total content size of a file, which its tables do not state.

#pragma once

#include <cstdint>
#include <vector>

#include "reader/file_blocks.h"
#include "zpack/options.h"

namespace zpack {

// Returns the bytes of content of all objects of `file`, as the total of a
// progress phase. Leaves out blocks marked in `skipped`, by block; `skipped`
// may be empty. Reads every block but decodes only the sizes, in about 1 % of
// the time that decoding the content takes. Blocks that cannot be decoded count
// as 0; decoding them in full reports the error. Returns 0 at once if `run`
// shows no totals, and soon after a stop is requested.
uint64_t ContentSize(const FileBlocks& file, const std::vector<bool>& skipped,
                     const RunOptions& run);

}  // namespace zpack
