// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads single objects of a pack as Git does: by what the index says of their
// offsets, and nothing else. Opening takes less time than with PackReader, and
// damage costs only the objects that need the damaged entry; reading many
// objects takes longer. May be used from several threads at once.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "object/object_source.h"
#include "pack/pack_index.h"
#include "zpack/result.h"

namespace zpack {

class PackLookup {
 public:
  // The lookup for the pack in `file`. No object may have more than `max_size`
  // bytes, unless it is stored whole and read in pieces. Errors: those of
  // CheckPackOfIndex.
  static Result<std::unique_ptr<PackLookup>> Create(
      PackIndex index, std::unique_ptr<RandomAccessFile> file,
      uint64_t max_size);

  const PackIds& ids() const { return index_.ids; }
  // Whether the pack has several entries of an object.
  bool HasCopies(PackRank rank) const { return !Copies(rank).empty(); }

  // REQUIRES, here and below: rank < ids().size(). Errors: kCorrupt, kIo;
  // kLimitExceeded for an object that is too large.
  // Of an object with several entries, they are read until one is right.
  Result<ObjectInfo> ReadInfo(PackRank rank) const;
  // Also kCorrupt for content that has another id.
  Result<ObjectType> Read(PackRank rank, Bytes& content) const;
  // Reads the content of a base from elsewhere.
  using BaseSource =
      std::function<Result<ObjectType>(const ObjectId& base, Bytes& content)>;
  // Reads a delta whose direct or indirect base is damaged here, on the nearest
  // base that `bases` has. Errors as above.
  Result<ObjectType> ReadOnOtherBase(PackRank rank, const BaseSource& bases,
                                     Bytes& content) const;
  // Reads an object that has one entry, and is stored whole, in pieces, and
  // others at once. The lookup must outlive the stream.
  Result<std::unique_ptr<ObjectStream>> OpenStream(PackRank rank) const;

 private:
  // What comes before the zlib stream of an entry.
  struct Header {
    uint64_t offset = 0;  // of the entry
    uint8_t type = 0;
    uint64_t size = 0;                  // of the content of the stream
    uint64_t stream = 0;                // its offset
    std::optional<uint64_t> base = {};  // offset of the entry of the base
  };
  using Content = std::shared_ptr<const Bytes>;

  PackLookup(PackIndex index, std::unique_ptr<RandomAccessFile> file,
             uint64_t max_size)
      : index_(std::move(index)),
        file_(std::move(file)),
        end_(file_->size() - ObjectIdWidth(index_.ids.format())),
        max_size_(max_size),
        contents_(kContentsSize) {}

  std::unexpected<Error> Bad(uint64_t offset) const;
  // The entries of an object but the first one.
  std::span<const PackIndex::Copy> Copies(PackRank rank) const;
  Result<Header> ReadHeader(uint64_t offset) const;
  // The type of the object at `offset`. kCorrupt if a base has a bad header, or
  // if bases form a circle.
  Result<ObjectType> TypeAt(uint64_t offset) const;
  Result<ObjectInfo> InfoAt(uint64_t offset) const;
  Status InflateUpTo(const Header& entry, uint64_t end, Bytes& raw) const;
  Status Inflate(const Header& entry, Bytes& raw) const;
  // The content of the object at `offset`, which may be a base.
  Result<Content> ContentAt(uint64_t offset) const;
  Content FindContent(uint64_t offset) const;
  Result<Content> RebuildFrom(const Header& entry, const Content& base) const;
  // Notes that these entries, each but the last a delta on the next one, cannot
  // be rebuilt, unless that is only for now. Returns the error.
  std::unexpected<Error> Damaged(const std::vector<Header>& chain,
                                 const Error& error) const;
  void KeepContent(uint64_t offset, const Content& content) const;
  Status CheckId(PackRank rank, uint64_t offset, ObjectType type,
                 ByteView content) const;
  Result<ObjectType> ReadAt(PackRank rank, uint64_t offset,
                            Bytes& content) const;
  // The object whose entry begins at `offset`, by the index.
  std::optional<PackRank> EntryAt(uint64_t offset) const;
  // Sets `content` to that of the nearest base that `bases` has, and `chain` to
  // the deltas from the entry at `offset` to this base. Nothing if there is
  // none.
  Result<std::optional<ObjectType>> FindOtherBase(
      uint64_t offset, const BaseSource& bases, Bytes& content,
      std::vector<Header>& chain) const;
  Result<ObjectType> ReadOnOtherBaseAt(PackRank rank, uint64_t offset,
                                       const BaseSource& bases,
                                       Bytes& content) const;
  // Calls `read` with the offset of each entry of an object until one is right.
  template <typename ReadEntry>
  Result<ObjectType> AtOneEntry(PackRank rank, ReadEntry read) const;

  static constexpr uint64_t kContentsSize = uint64_t{32} << 20;

  PackIndex index_;
  std::unique_ptr<RandomAccessFile> file_;
  uint64_t end_;  // of the entries
  uint64_t max_size_;
  mutable std::mutex mutex_;  // guards all below
  // By offset; 0 for entries that have no type because of damage.
  mutable std::unordered_map<uint64_t, uint8_t> types_;
  mutable LruCache<uint64_t, Bytes> contents_;
  // For EntryAt, once it is needed: the entries in ascending order of offsets.
  struct Entry {
    uint64_t offset = 0;
    PackRank rank;
  };
  mutable std::vector<Entry> entries_;
  // So that damage is met once, and not by each delta that needs the entry:
  // offsets of entries that cannot be rebuilt, and of those of which neither
  // they nor their bases have a copy that ReadOnOtherBase could read.
  mutable std::unordered_set<uint64_t> damaged_;
  mutable std::unordered_set<uint64_t> without_copies_;
};

}  // namespace zpack
