// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A sorted set of object ids in one flat array: 20 (SHA-256: 32) bytes for each
// id, plus up to half a byte for a lookup table. The position of an id in the
// table is its rank; RankedIds, below, gives ranks a type. A table does not
// change after construction. Any number of threads may read it, and copies
// share the array.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

class ObjectIdTable {
 public:
  // Entry i is the number of ids whose first byte is at most i, as in Git's
  // pack index.
  using FanOut = std::array<uint32_t, 256>;

  ObjectIdTable() = default;

  // Makes a table of ids in any order, without duplicates. kLimitExceeded above
  // 2^32 - 1 ids, duplicates included: the header of a Git pack cannot count
  // more.
  static Result<ObjectIdTable> FromUnsorted(ObjectFormat format, Bytes ids);

  // The union of tables of one format. If only one table has ids, the result
  // shares its array. kLimitExceeded above 2^32 - 1 ids in all tables together,
  // unless only one table has ids.
  static Result<ObjectIdTable> Merge(ObjectFormat format,
                                     const std::vector<ObjectIdTable>& tables);

  // Makes a table of ids that are sorted already. kCorrupt if the ids are not
  // strictly ascending.
  static Result<ObjectIdTable> FromSorted(ObjectFormat format, Bytes ids);

  uint32_t size() const { return ids_->fan_out.back(); }
  ObjectFormat format() const { return format_; }
  ByteView bytes() const { return ids_->bytes; }
  const FanOut& fan_out() const { return ids_->fan_out; }

  // REQUIRES: rank < size().
  ObjectId operator[](uint32_t rank) const { return ObjectId(View(rank)); }

  std::optional<uint32_t> Find(const ObjectId& id) const;

  // Prefetch the memory that Find and operator[] will access. In a large table,
  // loading this memory takes longer than the rest of the call. PrefetchFind
  // accesses the memory that PrefetchBucket has prefetched. REQUIRES: `id` has
  // the width of an id of the table; rank < size().
  void PrefetchBucket(ByteView id) const;
  void PrefetchFind(ByteView id) const;
  void Prefetch(uint32_t rank) const { __builtin_prefetch(View(rank).data()); }

  // Ranks [first, last) of the ids whose hexadecimal form starts with
  // `hex_prefix`. The range is empty if there are no such ids or `hex_prefix`
  // is not hexadecimal.
  std::pair<uint32_t, uint32_t> FindPrefix(std::string_view hex_prefix) const;

  // Tables without ids are equal, whatever their formats.
  friend bool operator==(const ObjectIdTable& a, const ObjectIdTable& b) {
    return a.ids_->bytes == b.ids_->bytes &&
           (a.format_ == b.format_ || a.size() == 0);
  }

 private:
  struct Ids {
    Bytes bytes;
    FanOut fan_out{};
    // Like the fan-out, but by the first `bucket_bits` bits of an id, chosen so
    // that a bucket holds a few ids. Entry i is the first rank of bucket i.
    unsigned bucket_bits = 0;
    std::vector<uint32_t> buckets = {0, 0};
  };

  ObjectIdTable(ObjectFormat format, Bytes ids);

  ByteView View(uint32_t rank) const {
    return bytes().subspan(size_t{rank} * width_, width_);
  }
  // The approximate position of `key`: a rank, or size().
  uint32_t Guess(ByteView key) const;
  // The first rank whose id is not less than `key`, the bytes of an id.
  uint32_t LowerBound(ByteView key) const;

  ObjectFormat format_ = ObjectFormat::kSha1;
  size_t width_ = ObjectIdWidth(ObjectFormat::kSha1);
  std::shared_ptr<const Ids> ids_ = std::make_shared<Ids>();
};

// A table with typed ranks. A plain ObjectIdTable converts implicitly; a table
// with ranks of another type must be converted explicitly.
template <typename Rank>
class RankedIds : public ObjectIdTable {
 public:
  RankedIds() = default;
  // Implicit, so that results of the functions above can be assigned. Deleted
  // for another rank, which would otherwise convert by way of the base class.
  // NOLINTBEGIN(google-explicit-constructor)
  RankedIds(ObjectIdTable ids) : ObjectIdTable(std::move(ids)) {}
  template <typename Other>
  RankedIds(const RankedIds<Other>&) = delete;
  // NOLINTEND(google-explicit-constructor)

  IndexRange<Rank> ranks() const { return IndexRange<Rank>(size()); }
  // The same ids, for code that does not use ranks or uses ranks of another
  // type.
  const ObjectIdTable& unranked() const { return *this; }

  // As in ObjectIdTable.
  ObjectId operator[](Rank rank) const {
    return ObjectIdTable::operator[](rank.value());
  }
  std::optional<Rank> Find(const ObjectId& id) const {
    const std::optional<uint32_t> rank = ObjectIdTable::Find(id);
    return rank ? std::optional(Rank(*rank)) : std::nullopt;
  }
  void Prefetch(Rank rank) const { ObjectIdTable::Prefetch(rank.value()); }
  std::pair<Rank, Rank> FindPrefix(std::string_view hex_prefix) const {
    const auto [first, last] = ObjectIdTable::FindPrefix(hex_prefix);
    return {Rank(first), Rank(last)};
  }
};

using FileIds = RankedIds<FileRank>;
using ListIds = RankedIds<ListRank>;
using PackIds = RankedIds<PackRank>;
// One flag for each object, by rank.
using FileMarks = IndexedVector<FileRank, bool>;
using ListMarks = IndexedVector<ListRank, bool>;

// Ranks in `a` of the ids that are not in `b`, ascending.
std::vector<uint32_t> RanksOnlyIn(const ObjectIdTable& a,
                                  const ObjectIdTable& b);

}  // namespace zpack
