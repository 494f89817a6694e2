// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/commit_shares.h"

#include <algorithm>

#include "base/parallel.h"
#include "reader/decoders.h"

namespace zpack {

unsigned TreeThreads(const ArchiveFile& archive, unsigned threads) {
  constexpr unsigned kMostThreads = 4;
  return std::min({ResolveThreads(threads), kMostThreads,
                   MaxDecoders(archive.blocks().blocks_stored_size())});
}

Status ForSharesOfCommits(uint64_t count, unsigned threads,
                          const std::stop_token& stop, const ShareBody& body) {
  // Several for each thread, because some commits change much more than others.
  const uint64_t share =
      std::max<uint64_t>(1000, count / (uint64_t{4} * threads) + 1);
  return ParallelFor(threads, stop, count, share, body);
}

}  // namespace zpack
