// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/bulk_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/parallel.h"
#include "reader/chunk_queue.h"
#include "reader/decoders.h"

namespace zpack {
namespace {

// Runs that are begun for each thread. Small blocks need more than one.
constexpr size_t kRunsPerThread = 4;

using VisitEntry = Visitor<const BulkEntry&>;

Result<Visit> VisitAll(const FileBlocks& file, const ObjectChunk& chunk,
                       const VisitEntry& visit) {
  for (const ObjectChunk::Entry& from : chunk.entries()) {
    BulkEntry entry{from.number, file.ids()[file.rank(from.number)], from.info};
    if (from.state == ObjectChunk::State::kWhole) {
      entry.content = chunk.content(from);
    } else if (from.state == ObjectChunk::State::kLost) {
      entry.error = from.error.get();
    }
    ZPACK_VISIT(visit(entry), Visit::kStop);
  }
  return Visit::kContinue;
}

Status ReadSerially(const FileBlocks& file, const BulkChoice& choice,
                    const std::stop_token& stop, const VisitEntry& visit) {
  RunReader reader(file, choice, stop);
  for (size_t block = 0; block < file.block_count();) {
    ZPACK_TRY(CheckStop(stop));
    const BlockRun run = RunAt(file, block);
    const auto take = [&](std::unique_ptr<ObjectChunk>& chunk) {
      return VisitAll(file, *chunk, visit);
    };
    ZPACK_VISIT(reader.Read(run, take), {});
    block = run.last;
  }
  return {};
}

// What each thread does.
Status MakeChunks(const FileBlocks& file, const BulkChoice& choice,
                  const std::stop_token& stop, ChunkQueue& queue) {
  RunReader reader(file, choice, stop);
  while (ChunkQueue::Work* const work = queue.Begin()) {
    ZPACK_TRY(CheckStop(stop));
    const auto take = [&](std::unique_ptr<ObjectChunk>& chunk) {
      return Result<Visit>(queue.Put(*work, chunk));
    };
    ZPACK_VISIT(reader.Read(work->run, take), {});
    queue.End(*work);
  }
  return {};
}

Status UseChunks(const FileBlocks& file, const std::stop_token& stop,
                 ChunkQueue& queue, const VisitEntry& visit) {
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(auto chunk, queue.Take());
    if (chunk == nullptr) return {};
    // The threads that made the chunk may have ended since.
    ZPACK_TRY(CheckStop(stop));
    ZPACK_VISIT(VisitAll(file, *chunk, visit), {});
    queue.Return(std::move(chunk));
  }
}

}  // namespace

Status ReadObjects(const FileBlocks& file, const BulkChoice& choice,
                   const BulkThreads& threads, const VisitEntry& visit) {
  const auto count = static_cast<unsigned>(std::min<uint64_t>(
      {ResolveThreads(threads.threads), MaxDecoders(file.blocks_stored_size()),
       file.block_count()}));
  if (!choice.numbers) file.Prefetch(0, file.block_count());
  ChunkQueue queue(file, threads.max_waiting, kRunsPerThread * count);
  Status used;
  const bool parallel =
      count > 1 && RunBeside(
                       count,
                       [&] {
                         Status made = Guarded([&] {
                           return MakeChunks(file, choice, threads.stop, queue);
                         });
                         if (!made) queue.Fail(std::move(made));
                       },
                       [&] {
                         used = Guarded([&] {
                           return UseChunks(file, threads.stop, queue, visit);
                         });
                         queue.Close();
                       });
  return parallel ? used : ReadSerially(file, choice, threads.stop, visit);
}

}  // namespace zpack
