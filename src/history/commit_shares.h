// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparing the trees of many commits on several threads. Functions without
// state.

#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "history/numbered_trees.h"
#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

// Calls `body` with the numbers from `begin` to before `end`, and with blocks
// of trees for a NumberedTrees of its own, until all numbers below `count` had
// their turn. Shares are long, since the trees of neighbours have the same
// bases. `threads` is as in LogOptions. Errors: those of `body`; kInterrupted.
using ShareBody = std::function<Status(uint64_t begin, uint64_t end,
                                       const NumberedTrees::Blocks& blocks)>;
Status ForSharesOfCommits(const ArchiveFile& archive, uint64_t count,
                          unsigned threads, const std::stop_token& stop,
                          const ShareBody& body);

}  // namespace zpack
