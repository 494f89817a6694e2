// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads pages in the background: those that a reader says it will need, and
// those after a sequence of reads. Errors are dropped, because the reader that
// needs a page tries again. Any number of threads may use one object.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>
#include <unordered_set>
#include <vector>

#include "http/page_loader.h"
#include "http/page_table.h"

namespace zpack {

class ReadAhead {
 public:
  // Both must outlive this object. No thread runs until there is work.
  ReadAhead(const PageLoader& loader, PageTable& table)
      : loader_(loader), table_(table) {}

  // The reader will need these pages soon.
  void Want(PageRun run);
  // The reader reads these pages now.
  void NoteRead(PageRun run);
  // The reader reads much at once. If such reads follow each other, the next
  // pages are loaded, the more the longer the sequence is.
  void NoteSequence(PageRun run);

 private:
  void Enqueue(PageRun run);  // REQUIRES: mutex_ is held
  // No reader will read these pages any more. REQUIRES: mutex_ is held.
  void Forget(PageRun run);
  void Work(const std::stop_token& stop);
  // Waits for claimed pages. Returns an empty run if a stop is requested.
  PageRun Next(const std::stop_token& stop);
  // Claims pages for the threads. Claiming early makes a reader wait for a
  // large request instead of sending a small one. REQUIRES: mutex_ is held.
  void Refill();
  // Claims a run of absent pages at the front of the queue.
  PageRun ClaimFront();

  const PageLoader& loader_;
  PageTable& table_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::condition_variable_any changed_;
  std::deque<PageRun> queue_;    // wanted
  PageRun asked_{0, 0};          // what Want was called for last, as one run
  std::deque<PageRun> claimed_;  // for the next free thread
  // Pages that were loaded and that no reader has read. Bounds the work.
  std::unordered_set<uint64_t> unread_;
  // The sequence of reads: its end, its length, and how far pages are wanted.
  uint64_t sequence_end_ = 0;
  uint64_t sequence_pages_ = 0;
  uint64_t wanted_end_ = 0;
  // Last, so that the threads end first.
  std::vector<std::jthread> threads_;
};

}  // namespace zpack
