// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Comparing the trees of many commits on several threads. Functions without
// state.

#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

// How many threads compare trees at once, which may share blocks that
// NumberedTrees::MakeBlocks makes for so many. `threads` is as in LogOptions.
unsigned TreeThreads(const ArchiveFile& archive, unsigned threads);

// Calls `body` with the numbers from `begin` to before `end`, on so many
// threads, until all numbers below `count` had their turn. Shares are long,
// since the trees of neighbours have the same bases. Errors: those of `body`;
// kInterrupted.
using ShareBody = std::function<Status(uint64_t begin, uint64_t end)>;
Status ForSharesOfCommits(uint64_t count, unsigned threads,
                          const std::stop_token& stop, const ShareBody& body);

}  // namespace zpack
