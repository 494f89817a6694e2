// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_groups.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "format/block_form.h"
#include "format/limits.h"

namespace zpack {
// A block waits here from Add until a call of Compress completes it. One thread
// at a time compresses. Thread-safe.
class StretchGroups::Group {
 public:
  Group(const BlockEncoder& encoder, uint64_t raw_size)
      : compressor_(encoder.NewCompressor()) {
    // Small repositories need no large window. A stream has hardly more bytes
    // than its objects.
    compressor_->BeginPieces(raw_size);
  }

  // Appends `partial`, which becomes `block`, with its continued stream.
  // Returns whether somebody compresses already, or was said to.
  bool Add(PartialBlock partial, Bytes continued, EncodedBlock& block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_bytes_ += continued.size();
    waiting_.push_back({std::move(partial), std::move(continued), &block});
    return compresses_ || is_left_;
  }

  // No block comes after those that are here.
  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_closed_ = true;
    ReleaseIfDone();
  }

  // Says that another thread is to compress, or that none is.
  void SetLeft(bool is_left) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_left_ = is_left;
  }

  // Compresses what waits, unless another thread does. After an error, which is
  // returned each time, nothing else is compressed.
  Status Compress() {
    std::unique_lock<std::mutex> lock(mutex_);
    is_left_ = false;
    if (compresses_) return {};
    compresses_ = true;
    while (outcome_ && !waiting_.empty()) {
      Waiting next = std::move(waiting_.front());
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

  uint64_t waiting_bytes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return waiting_bytes_;
  }

  // Returns after another thread has compressed a stream; false at once if none
  // compresses.
  bool WaitForProgress() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!compresses_) return false;
    progress_.wait(lock);
    return true;
  }

 private:
  struct Waiting {
    PartialBlock partial;
    Bytes continued;
    EncodedBlock* block;
  };

  Status Complete(Waiting& next) {
    Bytes piece;
    ZPACK_TRY(compressor_->CompressPiece(next.continued, piece));
    next.block->expansion.decoded =
        CompleteBlock(std::move(next.partial), piece, next.block->chunk);
    return {};
  }

  // The compressor takes much memory.
  void ReleaseIfDone() {
    if (is_closed_ && !compresses_ && waiting_.empty()) compressor_.reset();
  }

  std::mutex mutex_;  // guards everything below; the compressor belongs to
                      // the thread that compresses
  std::condition_variable progress_;
  std::optional<ZstdCompressor> compressor_;
  std::deque<Waiting> waiting_;
  uint64_t waiting_bytes_ = 0;  // also of what is being compressed
  bool is_closed_ = false;
  bool is_left_ = false;  // a helper will compress, if all goes well
  bool compresses_ = false;
  Status outcome_;
};

StretchGroups::StretchGroups(uint64_t raw_size, uint64_t most_waiting,
                             BlockHelpers* helpers)
    : raw_size_(raw_size), most_waiting_(most_waiting), helpers_(helpers) {}
StretchGroups::~StretchGroups() { End(); }

Result<bool> StretchGroups::Encode(const format::BlockHeader& header,
                                   const format::BlockStreams& streams,
                                   BlockEncoder& encoder, EncodedBlock& block) {
  const auto continued = format::FindBlockForm(header.kind)->continued;
  if (!continued) return false;
  const Bytes& raw = streams[*continued];
  ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                         encoder.IsIncompressible(raw));
  if (incompressible || raw.size() > format::kMaxGroupSize) {
    End();
    return false;
  }
  format::BlockHeader placed = header;
  placed.group = Place(raw.size(), encoder);
  ZPACK_ASSIGN_OR_RETURN(
      PartialBlock partial,
      encoder.EncodeWithout(*continued, placed, streams.Views()));
  if (!groups_.back()->Add(std::move(partial), raw, block)) {
    ZPACK_TRY(Compress());
  }
  ZPACK_TRY(LimitWaiting());
  return true;
}

void StretchGroups::End() {
  if (is_open_) groups_.back()->Close();
  is_open_ = false;
}

format::GroupPlace StretchGroups::Place(uint64_t size,
                                        const BlockEncoder& encoder) {
  if (next_.blocks == format::kMaxGroupBlocks ||
      next_.raw_size + size > format::kMaxGroupSize) {
    End();
  }
  if (!is_open_) {
    std::erase_if(
        groups_, [](const auto& group) { return group->waiting_bytes() == 0; });
    groups_.push_back(std::make_shared<Group>(encoder, raw_size_));
    is_open_ = true;
    next_ = {};
  }
  const format::GroupPlace place = next_;
  ++next_.blocks;
  next_.raw_size += static_cast<uint32_t>(size);
  return place;
}

Status StretchGroups::Compress() {
  const std::shared_ptr<Group>& group = groups_.back();
  if (helpers_ == nullptr || !helpers_->IsWanted()) return group->Compress();
  group->SetLeft(true);
  try {
    helpers_->Leave([group](BlockEncoder&) { return group->Compress(); });
  } catch (...) {
    group->SetLeft(false);
    throw;
  }
  return {};
}

Status StretchGroups::LimitWaiting() {
  const auto waiting = [&] {
    uint64_t bytes = 0;
    for (const auto& group : groups_) bytes += group->waiting_bytes();
    return bytes;
  };
  while (waiting() > most_waiting_) {
    // Later groups may wait for a helper, and earlier ones for a busy one.
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      ZPACK_TRY((*group)->Compress());
    }
    // What still waits is compressed by others.
    for (const auto& group : groups_) {
      if (group->WaitForProgress()) break;
    }
  }
  return {};
}

}  // namespace zpack
