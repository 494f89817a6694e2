// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Looks up single objects in the index of a file, of which it reads the few
// bytes that a binary search needs (FORMAT.md, "Object index"). Keeps nothing;
// any number of threads may use it.
//
// No checksum is looked at: of a damaged index, answers may be wrong. kCorrupt
// is for what cannot be an answer at all.

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
  // `file` outlives this; `chunks` lie in it.
  IndexLookup(const RandomAccessFile& file, const format::IndexChunks& chunks,
              ObjectFormat format, uint32_t object_count)
      : file_(file),
        chunks_(chunks),
        format_(format),
        object_count_(object_count) {}

  // These two as in ObjectIdTable.
  Result<std::optional<FileRank>> Find(const ObjectId& id) const;
  Result<std::pair<FileRank, FileRank>> FindPrefix(
      std::string_view hex_prefix) const;

  // REQUIRES, for both: rank < object count.
  Result<ObjectId> Id(FileRank rank) const;
  Result<ObjectNumber> Number(FileRank rank) const;

 private:
  // What precedes the counts and ids of the chunk.
  struct Start {
    format::ObjectIdsLayout layout;
    ObjectIdTable::FanOut fan_out;
  };
  // Ranks of the ids whose first bytes, as many as tell where to look, are
  // those of a key.
  struct Bucket {
    FileRank begin;
    FileRank end;
  };
  enum class Bound : uint8_t { kLower, kUpper };

  Result<Start> ReadStart() const;
  // The first rank of each bucket of ids that begin with `byte`, in order, and
  // the end of the last one.
  Result<std::vector<FileRank>> ReadBuckets(const Start& start,
                                            uint8_t byte) const;
  Result<Bucket> FindBucket(const Start& start, ByteView key) const;
  // The first rank in `bucket` whose id is not less than `key`, or greater.
  Result<FileRank> Search(const Start& start, Bucket bucket, ByteView key,
                          Bound bound) const;
  // What the chunk holds of the ids from `rank` on.
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
};

}  // namespace zpack
