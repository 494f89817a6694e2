// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Zlib streams of pack entries, on disk until their order in the pack is known.
// Thread-compatible.

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
  // Writes to a temporary file in `directory`, which the destructor removes.
  static Result<std::unique_ptr<StreamSpool>> Create(
      FileSystem& file_system, const std::string& directory,
      uint32_t object_count);
  ~StreamSpool();
  StreamSpool(const StreamSpool&) = delete;
  StreamSpool& operator=(const StreamSpool&) = delete;

  Status Add(const SearchStretch& stretch);
  // Ends writing. Read may be called afterwards, Add must not.
  Status Finish();

  // What became of each rank; the base is PlannedEntry::kNoBase for those that
  // were not added, whose stored size is 0.
  const IndexedVector<ListRank, PlannedEntry>& entries() const {
    return entries_;
  }
  // Fills `stream` with that of `rank`.
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
