// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes of any file. A request for a part of a large file does not read and
// hash the file again: the parts that were read last are kept. Any thread.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "recent_values.h"
#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::mount {

// Bytes of a file, in pieces that follow each other.
struct FileBytes {
  std::vector<std::span<const uint8_t>> pieces;
  std::vector<ContentPart> owners;  // of the pieces
};

class ContentReader {
 public:
  // `reader` must outlive this object.
  explicit ContentReader(const ArchiveReader& reader);

  struct Range {
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  // The bytes of `range` of the object `id`, which has `object_size` bytes;
  // fewer only at the end. Errors: those of ArchiveReader::ReadPart; kCorrupt
  // if the object has another size.
  Result<FileBytes> Read(const ObjectId& id, uint64_t object_size,
                         const Range& range);

 private:
  // The part of a large object that has the byte at `offset`.
  Result<ContentPart> LargePart(const ObjectId& id, uint64_t offset);

  const ArchiveReader& reader_;
  RecentValues<ObjectId, ContentPart> parts_;
  std::mutex mutex_;  // guards loading_
  std::condition_variable loaded_;
  std::set<ObjectId> loading_;
};

}  // namespace zpack::mount
