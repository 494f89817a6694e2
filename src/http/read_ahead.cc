// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/read_ahead.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/guarded.h"

namespace zpack {
namespace {

// Connections in the background.
constexpr size_t kMaxThreads = 2;
// Pages of one request.
constexpr uint64_t kMaxRun = (uint64_t{4} << 20) / kPageSize;
// Pages that are loaded and wait for their reader.
constexpr uint64_t kMaxUnread = (uint64_t{16} << 20) / kPageSize;
// The window after a sequence of reads. Readers of whole files say so, so this
// serves readers that may stop anywhere.
constexpr uint64_t kMaxWindow = (uint64_t{2} << 20) / kPageSize;
// The length from which reads are a sequence.
constexpr uint64_t kLeastSequence = (uint64_t{512} << 10) / kPageSize;
// Reads of several threads are a sequence if they lie this close together.
constexpr uint64_t kSlack = (uint64_t{2} << 20) / kPageSize;

}  // namespace

void ReadAhead::Want(PageRun run) {
  const std::lock_guard lock(mutex_);
  if (run.first <= asked_.end && run.end >= asked_.first) {
    asked_ = {std::min(run.first, asked_.first), std::max(run.end, asked_.end)};
  } else {
    asked_ = run;
  }
  Enqueue(run);
}

void ReadAhead::Forget(PageRun run) {
  for (uint64_t number = run.first; number < run.end; ++number) {
    unread_.erase(number);
  }
}

void ReadAhead::Enqueue(PageRun run) {
  run.end = std::min(run.end, loader_.page_count());
  if (run.first >= run.end) return;
  queue_.push_back(run);
  if (threads_.size() < std::min(kMaxThreads, queue_.size())) {
    try {
      threads_.emplace_back([this](const std::stop_token& stop) {
        CleanUp([&] { Work(stop); });
      });
    } catch (const std::system_error&) {
      // Without threads, pages are loaded when they are read.
      if (threads_.empty()) queue_.clear();
    }
  }
  Refill();
}

void ReadAhead::Refill() {
  while (claimed_.size() < kMaxThreads && unread_.size() < kMaxUnread) {
    const PageRun run = ClaimFront();
    if (run.size() == 0) break;
    claimed_.push_back(run);
  }
  if (!claimed_.empty()) changed_.notify_all();
}

void ReadAhead::NoteRead(PageRun run) {
  const std::lock_guard lock(mutex_);
  bool freed = false;
  for (uint64_t number = run.first; number < run.end; ++number) {
    freed = unread_.erase(number) != 0 || freed;
  }
  if (freed) Refill();
}

void ReadAhead::NoteSequence(PageRun run) {
  const std::lock_guard lock(mutex_);
  const bool follows = run.first + kSlack >= sequence_end_ &&
                       run.first <= sequence_end_ + kSlack;
  if (!follows) {
    Forget({sequence_end_, wanted_end_});
    sequence_end_ = run.end;
    sequence_pages_ = 0;
    wanted_end_ = run.end;
    return;
  }
  if (run.end <= sequence_end_) return;
  sequence_pages_ += run.end - sequence_end_;
  sequence_end_ = run.end;
  wanted_end_ = std::max(wanted_end_, run.end);
  if (sequence_pages_ < kLeastSequence) return;
  const uint64_t window = std::min(sequence_pages_, kMaxWindow);
  const uint64_t target = run.end + window;
  // Few large requests are better than many small ones.
  if (wanted_end_ >= target || target - wanted_end_ < (window + 1) / 2) return;
  // What was asked for is on its way, or was read and dropped.
  const bool asked = asked_.first <= wanted_end_ && target <= asked_.end;
  if (!asked) Enqueue({wanted_end_, target});
  wanted_end_ = target;
}

PageRun ReadAhead::ClaimFront() {
  while (!queue_.empty()) {
    PageRun& front = queue_.front();
    while (front.first < front.end && !table_.Claim(front.first)) ++front.first;
    PageRun run{front.first, front.first};
    while (run.end < front.end && run.size() < kMaxRun &&
           (run.size() == 0 || table_.Claim(run.end))) {
      ++run.end;
    }
    front.first = run.end;
    if (front.first == front.end) queue_.pop_front();
    if (run.size() == 0) continue;
    for (uint64_t number = run.first; number < run.end; ++number) {
      unread_.insert(number);
    }
    return run;
  }
  return {};
}

PageRun ReadAhead::Next(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [&] { return !claimed_.empty(); });
  if (stop.stop_requested()) return {};
  const PageRun run = claimed_.front();
  claimed_.pop_front();
  Refill();
  return run;
}

void ReadAhead::Work(const std::stop_token& stop) {
  while (true) {
    const PageRun run = Next(stop);
    if (run.size() == 0) return;
    const Status loaded = Guarded([&] {
      return loader_.Load(run, stop,
                          [&](uint64_t number, PageTable::Page page) {
                            table_.Put(number, std::move(page));
                          });
    });
    // A reader that needs a page which did not arrive tries again itself.
    for (uint64_t number = run.first; number < run.end; ++number) {
      table_.Release(number);
    }
    if (loaded) continue;
    const std::lock_guard lock(mutex_);
    Forget(run);
  }
}

}  // namespace zpack
