// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads single objects by number, and keeps what was decoded recently. May be
// used from several threads at once, which decode different blocks at the same
// time.

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
#include "reader/block_cache.h"
#include "reader/block_decoder.h"
#include "reader/object_run.h"
#include "zpack/result.h"

namespace zpack {

class ObjectReader {
 public:
  // `archive` outlives the reader.
  explicit ObjectReader(const ArchiveFile& archive);

  Result<ObjectInfo> ReadInfo(ObjectNumber number) {
    return blocks_.Info(number);
  }

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
  using ContentPtr = std::shared_ptr<const Bytes>;

  // Stream, for an object in segments, the first of which is `first`.
  Status StreamSegmented(const BlockRun& run, const DecodedBlock& first,
                         const ObjectId& id,
                         const std::function<Status(ByteView)>& piece) const;
  // kCorrupt, saying where, unless both ids are equal.
  Status CheckId(const BlockRun& run, const ObjectId& actual,
                 const ObjectId& id) const;
  // What ReadAhead holds of an object, or nothing.
  ContentPtr Held(ObjectNumber number);
  // The content of an object that is stored against others. Objects near each
  // other share most of their chains, so the last ones are kept.
  ContentPtr Rebuild(const DecodedBlock& block, ObjectNumber number);

  const ArchiveFile& archive_;
  BlockCache blocks_;
  std::mutex mutex_;  // guards everything below
  LruCache<ObjectNumber, Bytes> rebuilt_;
  std::unordered_map<ObjectNumber, ContentPtr> held_;
};

}  // namespace zpack
