// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the objects of one pack fast: the position and base of each entry are
// found once, entries are inflated whole, and recently rebuilt bases are
// cached. Supports the packs that Git writes; any other pack is refused and
// left to PackLookup. If the pack has several entries of an object,
// the object is read from an entry that is sound with all its bases. May be
// used from several threads at once.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "base/once_status.h"
#include "base/visitor.h"
#include "codec/inflate.h"
#include "object/object_source.h"
#include "pack/base_cache.h"
#include "pack/pack_index.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

class PackReader {
 public:
  // Opens '<base_path>.pack' and '<base_path>.idx', which hold objects in
  // `format`, and reads the header of each entry on `threads` threads. `cache`
  // is shared with the readers of other packs. Errors: kUnsupported, kCorrupt,
  // kNotFound and kIo. After any of these errors, the caller should read the
  // pack with PackLookup.
  static Result<std::unique_ptr<PackReader>> Open(
      ObjectFormat format, FileSystem& file_system,
      const std::string& base_path,
      std::shared_ptr<BaseCache> cache = std::make_shared<BaseCache>(),
      unsigned threads = 1);
  // As Open, for a pack and an index that are open already.
  static Result<std::unique_ptr<PackReader>> Create(
      PackIndex index, std::unique_ptr<RandomAccessFile> file,
      std::shared_ptr<BaseCache> cache = std::make_shared<BaseCache>(),
      unsigned threads = 1);

  const PackIds& ids() const { return ids_; }
  // The objects that the pack has more than one entry of.
  const ObjectIdTable& repeated() const { return repeated_; }

  // REQUIRES: rank < ids().size().
  ObjectInfo Info(PackRank rank) const {
    const Entry& entry = entries_[positions_[rank]];
    return {entry.type(), entry.size()};
  }
  // Prefetch the memory that Info and Read access first. PrefetchEntry accesses
  // the memory that PrefetchPosition has prefetched.
  void PrefetchPosition(PackRank rank) const {
    __builtin_prefetch(&positions_[rank]);
  }
  void PrefetchEntry(PackRank rank) const {
    __builtin_prefetch(&entries_[positions_[rank]]);
  }
  // The fast order for reading all objects: each base comes shortly before its
  // deltas, and each family of deltas is contiguous.
  std::vector<PackRank> DeltaOrder() const;

  // False if the object is stored as a delta.
  bool IsWhole(PackRank rank) const {
    return entries_[positions_[rank]].base == kNoBase;
  }
  // The rank of the delta base of an object. Nothing for a whole object.
  std::optional<PackRank> Base(PackRank rank) const {
    const PackPosition base = entries_[positions_[rank]].base;
    return base == kNoBase ? std::nullopt : std::optional(Ranks()[base]);
  }
  // Bytes of the entry in the pack.
  uint64_t StoredSize(PackRank rank) const {
    return EntrySize(positions_[rank]);
  }
  // kCorrupt if the entry does not have the checksum in the index (version 1:
  // if its zlib stream is damaged); kIo.
  Status Check(PackRank rank) const { return CheckAt(positions_[rank]); }
  // True if Check succeeds for the entry and all entries of its delta chain.
  // Each entry is checked once.
  bool IsSound(PackRank rank) { return IsSoundAt(positions_[rank]); }
  // Passes on the entry in its stored form. Errors as Check, before anything is
  // passed on; errors of the sink.
  Status Copy(PackRank rank, const PackedSink& sink) const;

  // Reads an object. kUnsupported if the object or a delta of its chain is too
  // large to be read at once (512 MiB); kLimitExceeded if a delta gives such an
  // object; kCorrupt; kIo.
  Status Read(PackRank rank, Bytes& content);
  // Opens an object of any size, to read it in pieces. kCorrupt and kIo, here
  // and from the stream. REQUIRES: IsWhole(rank); the reader outlives the
  // stream.
  Result<std::unique_ptr<ObjectStream>> OpenStream(PackRank rank) const;

 private:
  static constexpr PackPosition kNoBase{0xffffffff};
  // Larger objects and deltas are left to PackLookup, or to callers that read
  // in pieces.
  static constexpr uint64_t kMaxSize = uint64_t{512} << 20;

  enum class Soundness : uint8_t { kUnknown, kSound, kDamaged };

  // Entries are numbered by their position in the pack.
  // In 16 bytes, because a pack may have tens of millions of them. No
  // bit-fields: while entries are scanned, a thread reads offsets of entries
  // whose other members another one writes.
  class Entry {
   public:
    static constexpr uint64_t kMaxOffset = (uint64_t{1} << 48) - 1;
    static constexpr uint64_t kMaxSize = (uint64_t{1} << 40) - 1;

    uint64_t offset() const { return uint64_t{offset_high_} << 32 | offset_; }
    // Of the object.
    uint64_t size() const { return uint64_t{size_high_} << 32 | size_; }
    // Of the object, also for deltas.
    ObjectType type() const {
      return ObjectType{static_cast<uint8_t>(type_ & ~kIsBase)};
    }
    bool is_base() const { return (type_ & kIsBase) != 0; }

    // REQUIRES: offset <= kMaxOffset; size <= kMaxSize.
    void SetOffset(uint64_t offset) {
      offset_ = static_cast<uint32_t>(offset);
      offset_high_ = static_cast<uint16_t>(offset >> 32);
    }
    void SetSize(uint64_t size) {
      size_ = static_cast<uint32_t>(size);
      size_high_ = static_cast<uint8_t>(size >> 32);
    }
    void SetType(ObjectType type) {
      type_ = static_cast<uint8_t>(type) | (type_ & kIsBase);
    }
    void SetIsBase() { type_ |= kIsBase; }

    PackPosition base = kNoBase;

   private:
    static constexpr uint8_t kIsBase = 0x80;

    uint32_t offset_ = 0;  // the lower bits
    uint32_t size_ = 0;
    uint16_t offset_high_ = 0;
    uint8_t size_high_ = 0;
    uint8_t type_ = 0;
  };
  static_assert(sizeof(Entry) == 16);
  // An entry that is not in positions_: another one of its object is.
  struct SpareEntry {
    PackPosition position;
    PackRank rank;
  };
  // The part of an entry before its zlib stream.
  struct EntryHeader {
    uint8_t type = 0;
    uint64_t size = 0;  // uncompressed size of the stream
    PackPosition base = kNoBase;
    size_t length = 0;  // bytes of the header
  };
  PackReader(std::unique_ptr<RandomAccessFile> file, uint64_t end,
             std::shared_ptr<BaseCache> cache);

  // Fills entries_, positions_ and copies_ from the index.
  Status PlaceEntries(const PackIndex& index);
  // Chooses a whole entry, where there is one, for each object with several
  // entries, so that bases that are named by id form no circle.
  void PreferWholeCopies();
  // Then chooses one that is sound with all its bases. Fills repeated_.
  Status PreferSoundCopies();
  // Fills size and base of every entry. Reads the pack once.
  Status ScanEntries(unsigned threads);
  Status ScanRange(PackPosition begin, PackPosition end);
  Status ScanEntry(PackPosition position, ByteView bytes,
                   StreamInflater& inflater);
  // Fills the type of deltas from their bases.
  Status ResolveTypes();
  Result<EntryHeader> ParseHeader(PackPosition position, ByteView bytes) const;
  // Reads the bytes of an entry from `from` on, in pieces.
  Status ReadPieces(PackPosition position, uint64_t from,
                    const Visitor<ByteView>& piece) const;
  Result<EntryHeader> ReadHeader(PackPosition position) const;
  // kCorrupt unless the entry is the one for which the index was made.
  Status CheckEntry(PackPosition position, const EntryHeader& header) const;
  // As Check and IsSound, for any entry.
  Status CheckAt(PackPosition position) const;
  bool IsSoundAt(PackPosition position);
  // Inflates the object or delta at `position`. kUnsupported if it has more
  // than `max_size` bytes.
  Status Inflate(PackPosition position, uint64_t max_size, Bytes& raw) const;
  // The rank of each entry. Only some of those who read packs need it.
  const IndexedVector<PackPosition, PackRank>& Ranks() const;
  // Bytes of an entry in the pack.
  uint64_t EntrySize(PackPosition position) const;
  // Fills `content` with the object at `position`. `base` is the content of its
  // base, if it is a delta. No object or delta may have more than `max_size`
  // bytes.
  Status Expand(PackPosition position, ByteView base, uint64_t max_size,
                Bytes& content) const;
  // Fills `content` with the object of chain[0], without making those between
  // it and the last entry of the chain, whose base is `found`, if it is a
  // delta.
  Status ReadStacked(std::vector<PackPosition>& chain, BaseCache::Found& found,
                     Bytes& content);
  // Access to the cache, for contents that are delta bases.
  BaseCache::Found FindBase(PackPosition position);
  void KeepBase(PackPosition position, ByteView content);

  std::unique_ptr<RandomAccessFile> file_;
  uint64_t end_;  // end of the last entry
  PackIds ids_;
  IndexedVector<PackRank, PackPosition> positions_;
  IndexedVector<PackPosition, uint32_t>
      checksums_;  // empty for index version 1
  std::vector<SpareEntry> copies_;
  ObjectIdTable repeated_;
  IndexedVector<PackPosition, Entry> entries_;
  // Filled by Ranks.
  mutable OnceStatus ranks_filled_;
  mutable IndexedVector<PackPosition, PackRank> ranks_;
  // Results of IsSound. Several threads may write the same result.
  IndexedVector<PackPosition, std::atomic<Soundness>> soundness_;
  std::shared_ptr<BaseCache> cache_;
  CachedPack number_;  // number of this pack in `cache_`
};

// The number of threads that may read any objects of `pack` at the same time.
unsigned ThreadsToRead(const PackReader& pack, const RunOptions& run);

}  // namespace zpack
