// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the objects of one pack, faster than libgit2 does: each entry's place
// and base are found once, entries are inflated whole, and the bases that were
// rebuilt last are kept. It takes on what stock Git writes; everything else is
// refused and left to libgit2. May be used from several threads at once.

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
#include "codec/inflate.h"
#include "object/object_source.h"
#include "pack/base_cache.h"
#include "pack/pack_index.h"
#include "zpack/result.h"

namespace zpack {

class PackReader {
 public:
  // Opens '<base_path>.pack' and '<base_path>.idx', and reads the header of
  // each entry. kUnsupported, kCorrupt, kNotFound and kIo all mean that libgit2
  // is to read this pack. `cache` is shared with readers of other packs.
  // `threads` read side by side.
  static Result<std::unique_ptr<PackReader>> Open(
      FileSystem& file_system, const std::string& base_path,
      std::shared_ptr<BaseCache> cache = std::make_shared<BaseCache>(),
      unsigned threads = 1);
  // The same for a pack that is open already.
  static Result<std::unique_ptr<PackReader>> Create(
      PackIndex index, std::unique_ptr<RandomAccessFile> file,
      std::shared_ptr<BaseCache> cache = std::make_shared<BaseCache>(),
      unsigned threads = 1);

  const PackIds& ids() const { return ids_; }

  // REQUIRES: rank < ids().size().
  ObjectInfo Info(PackRank rank) const {
    const Entry& entry = entries_[positions_[rank]];
    return {entry.type, entry.size};
  }
  // Ask for the memory that Info and Read look at first; the second looks at
  // what the first asks for.
  void PrefetchPosition(PackRank rank) const {
    __builtin_prefetch(&positions_[rank]);
  }
  void PrefetchEntry(PackRank rank) const {
    __builtin_prefetch(&entries_[positions_[rank]]);
  }
  // Ranks in an order in which bases come shortly before what needs them, each
  // family of deltas in a row: the fast order to read everything in.
  std::vector<PackRank> DeltaOrder() const;

  // False for an object that is stored as a delta.
  bool IsWhole(PackRank rank) const {
    return entries_[positions_[rank]].base == kNoBase;
  }
  // The rank of the object that this one is a delta against.
  std::optional<PackRank> Base(PackRank rank) const {
    const PackPosition base = entries_[positions_[rank]].base;
    return base == kNoBase ? std::nullopt : std::optional(ranks_[base]);
  }
  // Bytes of the entry in the pack.
  uint64_t StoredSize(PackRank rank) const {
    return EntrySize(positions_[rank]);
  }
  // kCorrupt unless the entry is what the index was made for.
  Status Check(PackRank rank) const;
  // Whether that holds of the entry and of all that it is a delta against. Each
  // entry is checked once.
  bool IsSound(PackRank rank);
  // Passes on the entry as it is stored, once it is known to be what the index
  // was made for. kCorrupt before anything was passed on when it is not.
  Status Copy(PackRank rank, const PackedSink& sink) const;

  // kUnsupported for objects too large to be read at once; kCorrupt and kIo.
  Status Read(PackRank rank, Bytes& content);
  // Fills `content` with the object that the delta at `rank` makes of `base`.
  // Errors as Read. REQUIRES: not IsWhole(rank).
  Status ApplyDelta(PackRank rank, ByteView base, Bytes& content) const {
    return Expand(positions_[rank], base, content);
  }
  // The content in pieces, for objects of any size; kCorrupt and kIo, then and
  // when it is read. The reader outlives the stream. REQUIRES: IsWhole(rank).
  Result<std::unique_ptr<ObjectStream>> OpenStream(PackRank rank) const;

 private:
  static constexpr PackPosition kNoBase{0xffffffff};

  enum class Soundness : uint8_t { kUnknown, kSound, kDamaged };

  // Entries are numbered by their position in the pack.
  struct Entry {
    uint64_t offset = 0;
    uint64_t size = 0;  // of the object
    PackPosition base = kNoBase;
    ObjectType type = ObjectType{0};  // of the object, also for deltas
    bool is_base = false;
  };
  // What stands in front of an entry's zlib stream.
  struct EntryHeader {
    uint8_t type = 0;
    uint64_t size = 0;  // of what the stream stands for
    PackPosition base = kNoBase;
    size_t length = 0;  // of the header
  };
  PackReader(std::unique_ptr<RandomAccessFile> file, uint64_t end,
             std::shared_ptr<BaseCache> cache);

  // Fills entries_ and positions_ from the index, and checks the pack's header.
  Status PlaceEntries(const PackIndex& index);
  // Fills size and base of every entry, reading the pack once.
  Status ScanEntries(unsigned threads);
  Status ScanRange(PackPosition begin, PackPosition end);
  Status ScanEntry(PackPosition position, ByteView bytes,
                   StreamInflater& inflater);
  // Fills the type of deltas from their bases.
  Status ResolveTypes();
  Result<EntryHeader> ParseHeader(PackPosition position, ByteView bytes) const;
  // Reads the bytes of an entry from `from` on, in pieces.
  Status ReadPieces(PackPosition position, uint64_t from,
                    const std::function<Status(ByteView)>& piece) const;
  Result<EntryHeader> ReadHeader(PackPosition position) const;
  // Whether the bytes of an entry are those that the index was made for.
  Status CheckEntry(PackRank rank, const EntryHeader& header) const;
  // Inflates what `position` stands for: an object, or a delta.
  Status Inflate(PackPosition position, Bytes& raw) const;
  // Bytes of an entry in the pack.
  uint64_t EntrySize(PackPosition position) const;
  // Fills `content` with the object at `position`, whose base is `base`.
  Status Expand(PackPosition position, ByteView base, Bytes& content) const;
  // Contents that others need.
  BaseCache::Found FindBase(PackPosition position);
  void KeepBase(PackPosition position, ByteView content);

  std::unique_ptr<RandomAccessFile> file_;
  uint64_t end_;  // of the last entry
  PackIds ids_;
  IndexedVector<PackRank, PackPosition> positions_;
  IndexedVector<PackPosition, PackRank> ranks_;
  IndexedVector<PackRank, uint32_t> checksums_;  // none in an old index
  IndexedVector<PackPosition, Entry> entries_;
  // What IsSound found. Written by several threads, always the same.
  IndexedVector<PackPosition, std::atomic<Soundness>> soundness_;
  std::shared_ptr<BaseCache> cache_;
  CachedPack number_;  // of this pack in `cache_`
};

}  // namespace zpack
