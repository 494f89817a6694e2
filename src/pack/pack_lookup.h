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
  // As above, whatever the header and the last bytes of the pack are: entries
  // may be anywhere. For callers that hash every object.
  static std::unique_ptr<PackLookup> CreateUnchecked(
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
  // Content that may be shared with the lookup.
  using Content = std::shared_ptr<const Bytes>;
  // An entry that is a delta.
  struct DeltaEntry {
    uint64_t offset = 0;
    uint64_t base = 0;  // offset of the entry of the base
  };
  // Those entries of an object that are deltas, as far as their headers can be
  // read.
  Result<std::vector<DeltaEntry>> Deltas(PackRank rank) const;
  // The same for the entry at an offset, whatever its object.
  Result<std::optional<DeltaEntry>> DeltaAt(uint64_t offset) const;
  // The object whose entry begins at `offset`, by the index.
  std::optional<PackRank> RankAt(uint64_t offset) const;
  // The object of an entry that is damaged here because its base is, from the
  // `type` and content of the base. kCorrupt if that is not the object which
  // the index names.
  Result<Content> Rebuild(uint64_t offset, ObjectType type,
                          const Content& base) const;
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

  PackLookup(PackIndex index, std::unique_ptr<RandomAccessFile> file,
             uint64_t end, uint64_t max_size)
      : index_(std::move(index)),
        file_(std::move(file)),
        end_(end),
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
  // Rebuilds the last entry of a chain, and those before it as long as the
  // contents are too large to be kept; removes them from the chain. `base` is
  // the content of the last one's base, if it is a delta.
  Result<Content> RebuildEnd(std::vector<Header>& chain,
                             const Content& base) const;
  // Notes that these entries, each but the last a delta on the next one, cannot
  // be rebuilt, unless that is only for now. Returns the error.
  std::unexpected<Error> Damaged(const std::vector<Header>& chain,
                                 const Error& error) const;
  std::optional<Error> KnownDamage(uint64_t offset) const;
  void KeepContent(uint64_t offset, const Content& content) const;
  Status CheckId(PackRank rank, uint64_t offset, ObjectType type,
                 ByteView content) const;
  Result<ObjectType> ReadAt(PackRank rank, uint64_t offset,
                            Bytes& content) const;
  // Offsets of the entries of an object that are tried.
  std::vector<uint64_t> Entries(PackRank rank) const;

  static constexpr uint64_t kContentsSize = uint64_t{32} << 20;

  PackIndex index_;
  std::unique_ptr<RandomAccessFile> file_;
  uint64_t end_;  // of the entries
  uint64_t max_size_;
  mutable std::mutex mutex_;  // guards all below
  // By offset; 0 for entries that have no type because of damage.
  mutable std::unordered_map<uint64_t, uint8_t> types_;
  mutable LruCache<uint64_t, Bytes> contents_;
  // For RankAt, once it is needed: the entries in ascending order of offsets.
  struct Entry {
    uint64_t offset = 0;
    PackRank rank;
  };
  mutable std::vector<Entry> entries_;
  // Why entries cannot be rebuilt from this pack, by offset, so that damage is
  // met once, and not by each delta that needs the entry.
  mutable std::unordered_map<uint64_t, ErrorCode> damaged_;
};

}  // namespace zpack
