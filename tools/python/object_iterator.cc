// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object_iterator.h"

#include <utility>

namespace zpack::python {
namespace {

// Bytes of objects that wait to be taken, at most, and for one more object.
constexpr uint64_t kMaxWaiting = uint64_t{16} << 20;
// What an object takes besides its content.
constexpr uint64_t kObjectOverhead = 128;

uint64_t Weight(const ReadObject& object) {
  return kObjectOverhead + (object.content ? object.content->size() : 0);
}

}  // namespace

ObjectIterator::ObjectIterator(std::shared_ptr<ArchiveReader> reader,
                               const BulkOptions& options,
                               std::shared_ptr<Users> users)
    : reader_(std::move(reader)),
      users_(std::move(users)),
      thread_(
          [this, options, counted = std::make_unique<Users::Counted>(*users_)](
              const std::stop_token& stop) mutable {
            BulkOptions own = options;
            own.stop = stop;
            Read(own, std::move(counted));
          }) {}

ObjectIterator::~ObjectIterator() = default;

Visit ObjectIterator::Append(const ObjectView& object,
                             const std::stop_token& stop) {
  ReadObject read{object.id, object.info.type, object.info.size, std::nullopt};
  if (object.content) {
    read.content.emplace(object.content->begin(), object.content->end());
  }
  std::unique_lock<std::mutex> lock(mutex_);
  if (!changed_.wait(lock, stop,
                     [&] { return waiting_bytes_ < kMaxWaiting; })) {
    return Visit::kStop;
  }
  waiting_bytes_ += Weight(read);
  waiting_.push_back(std::move(read));
  changed_.notify_all();
  return Visit::kContinue;
}

void ObjectIterator::Read(const BulkOptions& options,
                          std::unique_ptr<Users::Counted> counted) {
  const std::stop_token stop = options.stop;
  Status status =
      reader_->ReadAll(options, [&](const ObjectView& object) -> Result<Visit> {
        return Append(object, stop);
      });
  counted.reset();
  const std::lock_guard<std::mutex> lock(mutex_);
  status_ = std::move(status);
  ended_ = true;
  changed_.notify_all();
}

std::optional<Result<std::optional<ReadObject>>> ObjectIterator::Next(
    std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!changed_.wait_for(lock, time,
                         [&] { return ended_ || !waiting_.empty(); })) {
    return std::nullopt;
  }
  if (waiting_.empty()) {
    Status status = std::exchange(status_, Status{});
    if (!status) return std::unexpected(std::move(status).error());
    return Result<std::optional<ReadObject>>(std::nullopt);
  }
  ReadObject next = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= Weight(next);
  changed_.notify_all();
  return Result<std::optional<ReadObject>>(std::move(next));
}

}  // namespace zpack::python
