// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Hands chunks from the threads that make them to one that uses them, in the
// order of the runs that they belong to. Limits the bytes that wait.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "reader/object_chunk.h"
#include "reader/object_run.h"
#include "zpack/result.h"
#include "zpack/visit.h"

namespace zpack {

class ChunkQueue {
 public:
  // A run that a thread works on.
  struct Work {
    BlockRun run;
    std::deque<std::unique_ptr<ObjectChunk>> chunks;
    bool ended = false;
  };

  // For all runs of `file`. About `max_bytes` wait, in at most `max_runs` runs.
  ChunkQueue(const FileBlocks& file, uint64_t max_bytes, size_t max_runs)
      : file_(file), max_bytes_(max_bytes), max_runs_(max_runs) {}

  // For the threads that make chunks:

  // The next run, or null if there is none. Waits until it may be begun. The
  // caller calls Put for each chunk of it, and then End.
  Work* Begin();
  // Takes the chunk, and leaves an empty one in its place, as soon as there is
  // room. kStop after Close or Fail.
  Visit Put(Work& work, std::unique_ptr<ObjectChunk>& chunk);
  void End(Work& work);
  // Ends the work of all threads with this error.
  void Fail(Status status);

  // For the thread that uses them:

  // The next chunk, or null after the last one. Waits for it. Returns the error
  // that Fail was called with.
  Result<std::unique_ptr<ObjectChunk>> Take();
  // Gives a chunk back, for reuse.
  void Return(std::unique_ptr<ObjectChunk> chunk);
  // Ends the work of all threads.
  void Close();

 private:
  // The last chunks of a run may wait, and one more is being made.
  static constexpr size_t kChunksOfFirst = 2;

  const FileBlocks& file_;
  const uint64_t max_bytes_;
  const size_t max_runs_;
  std::mutex mutex_;              // guards everything below
  std::condition_variable made_;  // a chunk, or the end of a run
  std::condition_variable used_;  // chunks, or a run
  size_t next_block_ = 0;
  std::deque<std::unique_ptr<Work>> works_;  // in the order of the runs
  uint64_t bytes_ = 0;                       // of the chunks that wait
  std::vector<std::unique_ptr<ObjectChunk>> spare_;
  bool closed_ = false;
  Status failed_;
};

}  // namespace zpack
