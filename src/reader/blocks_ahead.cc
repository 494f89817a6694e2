// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/blocks_ahead.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "base/parallel.h"

namespace zpack {
namespace {

// Blocks that are decoded before the reader needs them. All of them should have
// room in the cache.
constexpr size_t kAhead = 3;

}  // namespace

size_t BlocksAhead::Add(ObjectType type, Decode decode) {
  const std::vector<bool> none(file_.block_count());
  caches_.push_back({type, std::move(decode), none, none});
  return caches_.size() - 1;
}

void BlocksAhead::Note(size_t cache, size_t block, Onwards onwards) {
  Cache& asked = caches_[cache];
  if (asked.noted[block]) return;
  asked.noted[block] = true;
  const bool goes_on =
      onwards == Onwards::kSurely || (block != 0 && asked.noted[block - 1]);
  const size_t end =
      goes_on ? std::min(block + 1 + kAhead, file_.block_count()) : 0;
  std::unique_lock lock(mutex_);
  const Place place = {cache, block};
  std::erase(queue_, place);  // the reader does it now
  for (size_t next = block + 1; next < end; ++next) {
    if (asked.noted[next] || asked.wanted[next]) continue;
    asked.wanted[next] = true;
    queue_.push_back({cache, next});
    changed_.notify_one();
  }
  // Does something useful in place of waiting.
  if (decoding_ == place && !queue_.empty()) DecodeFirst(lock);
}

void BlocksAhead::DecodeFirst(std::unique_lock<std::mutex>& lock) {
  const Place place = queue_.front();
  queue_.pop_front();
  const Cache& cache = caches_[place.cache];
  lock.unlock();
  const auto decoded = Guarded([&] { return cache.decode(place.block); });
  lock.lock();
  if (decoded && (*decoded)->objects.header.type == cache.type) return;
  // The blocks that the reader goes through end here.
  std::erase_if(queue_, [&](const Place& other) {
    return other.cache == place.cache && other.block > place.block;
  });
}

void BlocksAhead::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return finished_ || !queue_.empty(); });
    if (finished_) return;
    decoding_ = queue_.front();
    DecodeFirst(lock);
    decoding_.reset();
  }
}

Status BlocksAhead::Run(const std::function<Status()>& read) {
  if (file_.is_far_away() || ResolveThreads(threads_) == 1) return read();
  Status status;
  const bool ran = RunBeside(
      1, [&] { Work(); },
      [&] {
        status = Guarded(read);
        const std::lock_guard lock(mutex_);
        finished_ = true;
        changed_.notify_one();
      });
  return ran ? std::move(status) : Guarded(read);
}

}  // namespace zpack
