// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// All objects of an archive, one after the other. Another thread reads ahead.
// May be used from several threads at once.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

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
  ObjectIterator(std::shared_ptr<ArchiveReader> reader, BulkOptions options);
  ~ObjectIterator();
  ObjectIterator(const ObjectIterator&) = delete;
  ObjectIterator& operator=(const ObjectIterator&) = delete;

  // Waits until Next will not wait, but not longer than `time`. Returns whether
  // it will not.
  bool WaitFor(std::chrono::milliseconds time);
  // The next object; nullopt at the end. After an error, the end follows.
  Result<std::optional<ReadObject>> Next();

 private:
  void Read(BulkOptions options);
  Visit Append(const ObjectView& object, const std::stop_token& stop);

  std::shared_ptr<ArchiveReader> reader_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable_any changed_;
  std::deque<ReadObject> waiting_;
  uint64_t waiting_bytes_ = 0;
  bool ended_ = false;
  Status status_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace zpack::python
