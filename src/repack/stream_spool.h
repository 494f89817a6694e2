// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Stores the zlib streams of pack entries on disk until the order of the pack
// is known. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "repack/delta_search.h"
#include "zpack/result.h"

namespace zpack {

class StreamSpool {
 public:
  // Creates a temporary file in `directory`. The destructor removes it.
  static Result<std::unique_ptr<StreamSpool>> Create(
      FileSystem& file_system, const std::string& directory,
      uint32_t object_count);
  ~StreamSpool();
  StreamSpool(const StreamSpool&) = delete;
  StreamSpool& operator=(const StreamSpool&) = delete;

  Status Add(const SearchStretch& stretch);
  // Ends writing. After Finish, Read may be called and Add must not.
  Status Finish();

  // By rank. An object that was not added has the base PlannedEntry::kNoBase
  // and a stored size of 0.
  const IndexedVector<ListRank, PlannedEntry>& entries() const {
    return entries_;
  }
  // Fills `stream` with the zlib stream of `rank`.
  Status Read(ListRank rank, Bytes& stream) const;

 private:
  StreamSpool(FileSystem& file_system, std::string path,
              std::unique_ptr<WritableFile> file, uint32_t object_count)
      : file_system_(file_system),
        path_(std::move(path)),
        file_(std::move(file)),
        entries_(object_count),
        offsets_(object_count) {}

  FileSystem& file_system_;
  std::string path_;
  std::unique_ptr<WritableFile> file_;
  std::unique_ptr<RandomAccessFile> reader_;
  IndexedVector<ListRank, PlannedEntry> entries_;
  IndexedVector<ListRank, uint64_t> offsets_;
  uint64_t size_ = 0;
};

}  // namespace zpack
