// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/chunk_queue.h"

#include <utility>

namespace zpack {
namespace {

using Lock = std::unique_lock<std::mutex>;

}  // namespace

ChunkQueue::Work* ChunkQueue::Begin() {
  Lock lock(mutex_);
  used_.wait(lock, [&] {
    return closed_ || next_block_ == file_.block_count() ||
           works_.size() < max_runs_;
  });
  if (closed_ || next_block_ == file_.block_count()) return nullptr;
  auto work = std::make_unique<Work>();
  work->run = RunAt(file_, next_block_);
  works_.push_back(std::move(work));
  next_block_ = works_.back()->run.last;
  return works_.back().get();
}

Visit ChunkQueue::Put(Work& work, std::unique_ptr<ObjectChunk>& chunk) {
  Lock lock(mutex_);
  const uint64_t bytes = chunk->memory();
  // The run that is used next must always get on.
  used_.wait(lock, [&] {
    return closed_ || bytes_ + bytes <= max_bytes_ ||
           (works_.front().get() == &work &&
            work.chunks.size() < kChunksOfFirst);
  });
  if (closed_) return Visit::kStop;
  std::unique_ptr<ObjectChunk> empty;
  if (spare_.empty()) {
    empty = std::make_unique<ObjectChunk>();
  } else {
    empty = std::move(spare_.back());
    spare_.pop_back();
  }
  work.chunks.push_back(nullptr);
  work.chunks.back() = std::exchange(chunk, std::move(empty));
  bytes_ += bytes;
  made_.notify_one();
  return Visit::kContinue;
}

void ChunkQueue::End(Work& work) {
  const Lock lock(mutex_);
  work.ended = true;
  made_.notify_one();
}

void ChunkQueue::Fail(Status status) {
  const Lock lock(mutex_);
  if (!closed_) failed_ = std::move(status);
  closed_ = true;
  made_.notify_one();
  used_.notify_all();
}

Result<std::unique_ptr<ObjectChunk>> ChunkQueue::Take() {
  Lock lock(mutex_);
  while (true) {
    if (closed_ && !failed_) return std::unexpected(failed_.error());
    if (works_.empty()) {
      if (next_block_ == file_.block_count()) return nullptr;
    } else if (Work& work = *works_.front(); !work.chunks.empty()) {
      auto chunk = std::move(work.chunks.front());
      work.chunks.pop_front();
      bytes_ -= chunk->memory();
      used_.notify_all();
      return chunk;
    } else if (work.ended) {
      works_.pop_front();
      used_.notify_all();
      continue;
    }
    made_.wait(lock);
  }
}

void ChunkQueue::Return(std::unique_ptr<ObjectChunk> chunk) {
  chunk->Clear();
  const Lock lock(mutex_);
  spare_.push_back(std::move(chunk));
}

void ChunkQueue::Close() {
  const Lock lock(mutex_);
  closed_ = true;
  used_.notify_all();
}

}  // namespace zpack
