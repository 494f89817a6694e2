// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// All objects of an archive, one after the other. Another thread reads ahead.
// May be used from several threads at once.

#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "interpreter_lock.h"
#include "zpack/archive_reader.h"

namespace zpack::python {

struct ReadObject {
  ObjectId id;
  ObjectType type = ObjectType::kBlob;
  uint64_t size = 0;
  // Absent if the object is larger than BulkOptions::max_content.
  std::optional<std::vector<uint8_t>> content;
};

class ObjectIterator {
 public:
  // `users` counts the thread that reads ahead.
  ObjectIterator(std::shared_ptr<ArchiveReader> reader,
                 const BulkOptions& options, std::shared_ptr<Users> users);
  ~ObjectIterator();
  ObjectIterator(const ObjectIterator&) = delete;
  ObjectIterator& operator=(const ObjectIterator&) = delete;

  // Whether this process made it. A forked process has no thread that reads
  // ahead, and must neither use nor destroy the iterator.
  bool IsOfThisProcess() const { return process_ == getpid(); }
  // The next object, or nullopt at the end. After an error, the end follows.
  // No value at all if there is no object within `time`.
  std::optional<Result<std::optional<ReadObject>>> Next(
      std::chrono::milliseconds time);
  // The thread that reads ahead ends soon, and Next then tells the end.
  void Stop() { thread_.request_stop(); }

 private:
  void Read(const BulkOptions& options,
            std::unique_ptr<Users::Counted> counted);
  Visit Append(const ObjectView& object, const std::stop_token& stop);

  std::shared_ptr<ArchiveReader> reader_;
  std::shared_ptr<Users> users_;
  const pid_t process_ = getpid();
  std::mutex mutex_;  // guards everything below
  std::condition_variable_any changed_;
  std::deque<ReadObject> waiting_;
  uint64_t waiting_bytes_ = 0;
  bool ended_ = false;
  Status status_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace zpack::python
