// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/content_size.h"

#include <atomic>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "reader/block_decoder.h"

namespace zpack {
namespace {

// Blocks read at a time by one thread.
constexpr uint64_t kBlocksAtOnce = 8;

}  // namespace

uint64_t ContentSize(const FileBlocks& file, const std::vector<bool>& skipped,
                     const RunOptions& run) {
  if (run.progress == nullptr || !run.progress->wants_totals()) return 0;
  std::atomic<uint64_t> sum = 0;
  const Status summed =
      ParallelFor(ResolveThreads(run.threads), run.stop, file.block_count(),
                  kBlocksAtOnce, [&](uint64_t begin, uint64_t end) -> Status {
                    BlockDecoder decoder;
                    for (uint64_t block = begin; block < end; ++block) {
                      ZPACK_TRY(CheckStop(run.stop));
                      // The first segment names the size of the whole object.
                      if (file.continues_previous(block)) continue;
                      if (block < skipped.size() && skipped[block]) continue;
                      const auto objects = decoder.DecodeObjects(file, block);
                      if (!objects) continue;
                      sum += std::reduce(objects->sizes.begin(),
                                         objects->sizes.end(), uint64_t{0});
                    }
                    return {};
                  });
  return summed ? sum.load() : 0;
}

}  // namespace zpack
