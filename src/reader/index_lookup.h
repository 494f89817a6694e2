// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Looks up single objects in the index of a file. Reads only the few bytes that
// a binary search needs (FORMAT.md, "Object index"). Caches nothing; any number
// of threads may use it.
//
// Checksums are not checked, so a damaged index can lead to wrong results.
// kCorrupt is returned only for a result that is impossible in itself.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "format/object_index.h"
#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack {

class IndexLookup {
 public:
  // `file` must outlive this object and hold `chunks`.
  IndexLookup(const RandomAccessFile& file, const format::IndexChunks& chunks,
              ObjectFormat format, uint32_t object_count,
              format::FanOut fan_out = format::FanOut::kAlways)
      : file_(file),
        chunks_(chunks),
        format_(format),
        object_count_(object_count),
        fan_out_(fan_out) {}

  // Like the functions of ObjectIdTable.
  Result<std::optional<FileRank>> Find(const ObjectId& id) const;
  Result<std::pair<FileRank, FileRank>> FindPrefix(
      std::string_view hex_prefix) const;

  // REQUIRES for Id and Number: rank < object count.
  Result<ObjectId> Id(FileRank rank) const;
  Result<ObjectNumber> Number(FileRank rank) const;

 private:
  // The part of the chunk before its table of counts and ids.
  struct Start {
    format::ObjectIdsLayout layout;
    ObjectIdTable::FanOut fan_out;
  };
  // The ranks of the ids whose first bytes equal those of a key.
  struct Bucket {
    FileRank begin;
    FileRank end;
  };
  enum class Bound : uint8_t { kLower, kUpper };

  Result<Start> ReadStart() const;
  // Returns the first rank of each bucket of ids that begin with `byte`, in
  // order, and the end of the last bucket.
  Result<std::vector<FileRank>> ReadBuckets(const Start& start,
                                            uint8_t byte) const;
  Result<Bucket> FindBucket(const Start& start, ByteView key) const;
  // Returns the first rank in `bucket` whose id is not less than `key`
  // (kLower), or greater than `key` (kUpper).
  Result<FileRank> Search(const Start& start, Bucket bucket, ByteView key,
                          Bound bound) const;
  // Reads what the chunk stores of the ids from `rank` on.
  Status ReadSuffixes(const Start& start, FileRank rank,
                      std::span<uint8_t> out) const;

  Status Read(const format::ChunkLocation& chunk, uint64_t offset,
              std::span<uint8_t> out) const;
  std::unexpected<Error> Bad(const format::ChunkLocation& chunk,
                             std::string_view what) const;

  const RandomAccessFile& file_;
  format::IndexChunks chunks_;
  ObjectFormat format_;
  uint32_t object_count_;
  format::FanOut fan_out_;
};

}  // namespace zpack
