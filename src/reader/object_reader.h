// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads single objects by number, also ArchiveFile::empty_tree(), and caches
// recently decoded data. May be used from several threads at once, which decode
// different blocks in parallel.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "base/visitor.h"
#include "reader/archive_file.h"
#include "reader/block_cache.h"
#include "reader/block_decoder.h"
#include "reader/object_run.h"
#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack {

// Whether an object is hashed. kNo is for callers that hash objects themselves.
enum class HashObject : uint8_t { kNo, kYes };

class ObjectReader {
 public:
  // `archive` must outlive the reader.
  explicit ObjectReader(const ArchiveFile& archive);

  Result<ObjectInfo> ReadInfo(ObjectNumber number) {
    if (number == archive_.empty_tree()) return kEmptyTree;
    return blocks_.Info(number);
  }

  // The decoded block, which Read and Stream then find in the cache.
  Result<BlockCache::BlockPtr> Block(size_t block) {
    return blocks_.Block(block);
  }

  // Fills `content` with the whole object. Returns kLimitExceeded if the object
  // exceeds ReadOptions::max_object_size, and kCorrupt if it does not hash to
  // `id`.
  Result<ObjectType> Read(ObjectNumber number, const ObjectId& id,
                          Bytes& content, HashObject hash = HashObject::kYes);

  // Passes the content to `piece` in pieces, for objects of any size. Calls
  // `start` once, before the first piece. The content is hashed before the
  // first piece if the object has at most ReadOptions::cache_size bytes or is
  // not stored in segments. Otherwise kCorrupt for a content that does not hash
  // to `id` is returned only after the last piece. Visit::kStop ends the call.
  Status Stream(ObjectNumber number, const ObjectId& id,
                const std::function<Status(const ObjectInfo&)>& start,
                const Visitor<ByteView>& piece,
                HashObject hash = HashObject::kYes);

  // The part of the content that has the byte at `offset`, as
  // ArchiveReader::ReadPart returns it. Returns kCorrupt for a whole content
  // that does not hash to `id`, and for segments that do not follow each other.
  Result<ContentPart> ReadPart(ObjectNumber number, const ObjectId& id,
                               uint64_t offset, HashObject hash);

  // Reads objects as ReadObjects does, and holds their contents for Read and
  // Stream until the next call. Leaves out objects larger than
  // ReadOptions::cache_size, and objects that cannot be read. Returns
  // kOutOfMemory. REQUIRES: the index is loaded.
  Status ReadAhead(std::vector<ObjectNumber> numbers);

 private:
  using ContentPtr = std::shared_ptr<const Bytes>;

  static constexpr ObjectInfo kEmptyTree = {ObjectType::kTree, 0};

  // Stream for an object in segments, whose first segment is `first`.
  Status StreamSegmented(const BlockRun& run, const DecodedBlock& first,
                         const ObjectId& id, const Visitor<ByteView>& piece,
                         HashObject hash) const;
  // An object that is not in segments, in `block`.
  Result<ContentPart> ReadWhole(const BlockRun& run,
                                const BlockCache::BlockPtr& block,
                                ObjectNumber number, const ObjectId& id,
                                HashObject hash);
  // The segment of `run` that has the byte at `offset`.
  Result<ContentPart> ReadSegment(const BlockRun& run,
                                  const BlockCache::BlockPtr& first,
                                  uint64_t offset);
  // Returns kCorrupt, naming the block, unless `content` hashes to `id`.
  Status CheckContent(const BlockRun& run, ObjectType type, ByteView content,
                      const ObjectId& id) const;
  // Returns kCorrupt, naming the block, unless both ids are equal.
  Status CheckId(const BlockRun& run, const ObjectId& actual,
                 const ObjectId& id) const;
  // Returns the content that ReadAhead holds of an object, or null.
  ContentPtr Held(ObjectNumber number);
  // Rebuilds an object from its base. Neighbouring objects share most of their
  // chains, so the objects rebuilt last are kept. Errors are those of reading
  // a base in an earlier block.
  Result<ContentPtr> Rebuild(const DecodedBlock& block, ObjectNumber number);

  const ArchiveFile& archive_;
  BlockCache blocks_;
  std::mutex mutex_;  // guards everything below
  LruCache<ObjectNumber, Bytes> rebuilt_;
  std::unordered_map<ObjectNumber, ContentPtr> held_;
};

}  // namespace zpack
