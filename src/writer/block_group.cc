// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_group.h"

#include <utility>

#include "base/error.h"
#include "base/guarded.h"

namespace zpack {

BlockGroup::BlockGroup(ZstdCompressor compressor, uint64_t raw_size)
    : compressor_(std::move(compressor)) {
  // Small repositories need no large window. A stream has hardly more bytes
  // than its objects.
  compressor_->BeginPieces(raw_size);
}

bool BlockGroup::Add(UncompressedBlock block) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_bytes_ += block.continued.size();
  waiting_.push_back(std::move(block));
  return compresses_ || is_left_;
}

void BlockGroup::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_closed_ = true;
  ReleaseIfDone();
}

void BlockGroup::SetLeft(bool is_left) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_left_ = is_left;
}

Status BlockGroup::Compress() {
  std::unique_lock<std::mutex> lock(mutex_);
  is_left_ = false;
  if (compresses_) return {};
  compresses_ = true;
  while (outcome_ && !waiting_.empty()) {
    UncompressedBlock next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Status status = Guarded([&] { return Complete(next); });
    lock.lock();
    waiting_bytes_ -= next.continued.size();
    outcome_ = std::move(status);
    progress_.notify_all();
  }
  compresses_ = false;
  ReleaseIfDone();
  progress_.notify_all();
  return outcome_;
}

uint64_t BlockGroup::waiting_bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_bytes_;
}

bool BlockGroup::WaitForProgress() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!compresses_) return false;
  progress_.wait(lock);
  return true;
}

Status BlockGroup::Complete(UncompressedBlock& next) {
  Bytes piece;
  ZPACK_TRY(compressor_->CompressPiece(next.continued, piece));
  next.block->expansion.decoded =
      CompleteBlock(std::move(next.partial), piece, next.block->chunk);
  return {};
}

void BlockGroup::ReleaseIfDone() {
  if (is_closed_ && !compresses_ && waiting_.empty()) compressor_.reset();
}

}  // namespace zpack
