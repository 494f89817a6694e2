// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads single objects by number, and keeps recently decoded blocks. May be
// used from several threads at once.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "reader/object_run.h"

namespace zpack {

class ObjectReader {
 public:
  // `archive` outlives the reader.
  explicit ObjectReader(const ArchiveFile& archive);

  Result<ObjectInfo> ReadInfo(ObjectNumber number);

  // The whole content. kLimitExceeded above ReadOptions::max_object_size,
  // kCorrupt when it does not hash to `id`.
  Result<ObjectType> Read(ObjectNumber number, const ObjectId& id,
                          Bytes& content);

  // The content in pieces, for objects of any size. `start` is called once,
  // before the first piece. An object of at most ReadOptions::cache_size bytes,
  // or one that is not stored in segments, is hashed before its first piece; of
  // others it is known only at the end whether the content hashes to `id`.
  Status Stream(ObjectNumber number, const ObjectId& id,
                const std::function<Status(const ObjectInfo&)>& start,
                const std::function<Status(ByteView)>& piece);

  // Reads these objects in the order in which they are stored, so that each
  // block is decoded once, and holds their contents for Read and Stream until
  // the next call. Those larger than ReadOptions::cache_size, or that cannot be
  // read, are left out. REQUIRES: the index is loaded.
  void ReadAhead(std::vector<ObjectNumber> numbers);

 private:
  using BlockPtr = std::shared_ptr<const DecodedBlock>;
  using ContentPtr = std::shared_ptr<const Bytes>;

  // From the cache, or decoded and put there.
  Result<BlockPtr> Block(size_t block);
  // Stream, for an object in segments, the first of which is `first`.
  Status StreamSegmented(const BlockRun& run, const DecodedBlock& first,
                         const ObjectId& id,
                         const std::function<Status(ByteView)>& piece) const;
  // kCorrupt, saying where, unless both ids are equal.
  Status CheckId(const BlockRun& run, const ObjectId& actual,
                 const ObjectId& id) const;
  // `error` of decoding `block`, which is remembered unless reading the file
  // failed. REQUIRES: the lock is held.
  std::unexpected<Error> Failed(size_t block, Error error);
  // What ReadAhead holds of an object, or nothing.
  ContentPtr Held(ObjectNumber number);
  // The content of an object that is stored against others. Objects near each
  // other share most of their chains, so the last ones are kept.
  ContentPtr Rebuild(const DecodedBlock& block, ObjectNumber number);

  const ArchiveFile& archive_;
  std::mutex mutex_;  // guards everything below
  BlockDecoder decoder_;
  LruCache<size_t, DecodedBlock> blocks_;
  LruCache<ObjectNumber, Bytes> rebuilt_;
  std::unordered_map<ObjectNumber, ContentPtr> held_;
  // Types and sizes of every block that was asked for them: small, and asked
  // for in the order of ids, which is no order at all.
  std::unordered_map<size_t, BlockObjects> objects_;
  // Blocks that cannot be decoded. Finding that out for each of their objects
  // would take as long as a hostile file wants.
  std::unordered_map<size_t, Error> failed_;
};

}  // namespace zpack
