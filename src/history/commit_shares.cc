// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/commit_shares.h"

#include <algorithm>

#include "base/parallel.h"
#include "reader/decoders.h"

namespace zpack {

Status ForSharesOfCommits(const ArchiveFile& archive, uint64_t count,
                          unsigned threads, const std::stop_token& stop,
                          const ShareBody& body) {
  constexpr unsigned kMostThreads = 4;
  threads = std::min({ResolveThreads(threads), kMostThreads,
                      MaxDecoders(archive.blocks().blocks_stored_size())});
  const uint64_t share =
      std::max<uint64_t>(1000, (count + threads - 1) / std::max(threads, 1U));
  const auto blocks = NumberedTrees::MakeBlocks(archive, threads);
  return ParallelFor(
      threads, stop, count, share,
      [&](uint64_t begin, uint64_t end) { return body(begin, end, blocks); });
}

}  // namespace zpack
