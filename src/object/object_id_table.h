// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A sorted set of object ids in one flat array: 20 (or 32) bytes an id, and
// half a byte more to find it fast. The position of an id in it is called its
// rank; RankedIds below says in what. Immutable once built, so any number of
// threads may read it, and copies share the array.

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

  // From ids in any order; duplicates are dropped. kLimitExceeded above
  // 2^32 - 1 ids, which is what a Git pack header can count.
  static Result<ObjectIdTable> FromUnsorted(ObjectFormat format, Bytes ids);

  // All of several tables of one format, duplicates once. A single one that has
  // any is not copied. kLimitExceeded as above.
  static Result<ObjectIdTable> Merge(ObjectFormat format,
                                     const std::vector<ObjectIdTable>& tables);

  // From the bytes of ids that must be strictly ascending; kCorrupt if not.
  static Result<ObjectIdTable> FromSorted(ObjectFormat format, Bytes ids);

  uint32_t size() const { return ids_->fan_out.back(); }
  ObjectFormat format() const { return format_; }
  ByteView bytes() const { return ids_->bytes; }
  const FanOut& fan_out() const { return ids_->fan_out; }

  // REQUIRES: rank < size().
  ObjectId operator[](uint32_t rank) const { return ObjectId(View(rank)); }

  std::optional<uint32_t> Find(const ObjectId& id) const;

  // Asks for the memory that Find and operator[] are going to look at: in a
  // large table it takes longer to get than anything they do. PrefetchFind
  // itself looks at what PrefetchBucket asks for. REQUIRES: `id` has the width
  // of an id, rank < size().
  void PrefetchBucket(ByteView id) const;
  void PrefetchFind(ByteView id) const;
  void Prefetch(uint32_t rank) const { __builtin_prefetch(View(rank).data()); }

  // Ranks [first, last) of the ids whose hexadecimal form starts with
  // `hex_prefix`; an empty range when there are none or it is not hexadecimal.
  std::pair<uint32_t, uint32_t> FindPrefix(std::string_view hex_prefix) const;

  friend bool operator==(const ObjectIdTable& a, const ObjectIdTable& b) {
    return a.format_ == b.format_ && a.ids_->bytes == b.ids_->bytes;
  }

 private:
  struct Ids {
    Bytes bytes;
    FanOut fan_out{};
    // As the fan-out, but by the first `bucket_bits` bits of an id, so many
    // that a bucket holds some ids: entry i is the first rank of bucket i.
    unsigned bucket_bits = 0;
    std::vector<uint32_t> buckets = {0, 0};
  };

  ObjectIdTable(ObjectFormat format, Bytes ids);

  ByteView View(uint32_t rank) const {
    return bytes().subspan(size_t{rank} * width_, width_);
  }
  // About where `key` should be; a rank, or size().
  uint32_t Guess(ByteView key) const;
  // The first rank whose id is not less than `key`, an id's bytes.
  uint32_t LowerBound(ByteView key) const;

  ObjectFormat format_ = ObjectFormat::kSha1;
  size_t width_ = ObjectIdWidth(ObjectFormat::kSha1);
  std::shared_ptr<const Ids> ids_ = std::make_shared<Ids>();
};

// A table whose ranks have a space. One that has none yet gets one by being
// assigned to this; one that has another must be converted explicitly.
template <typename Rank>
class RankedIds : public ObjectIdTable {
 public:
  RankedIds() = default;
  // Implicit, for results of the functions above.
  RankedIds(ObjectIdTable ids) : ObjectIdTable(std::move(ids)) {}
  template <typename Other>
  RankedIds(const RankedIds<Other>&) = delete;

  IndexRange<Rank> ranks() const { return IndexRange<Rank>(size()); }
  // The same ids, for someone to whom ranks mean nothing or something else.
  const ObjectIdTable& unranked() const { return *this; }

  // As those of ObjectIdTable.
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
// By rank: whether something holds of an object.
using FileMarks = IndexedVector<FileRank, bool>;
using ListMarks = IndexedVector<ListRank, bool>;

// Ranks of the ids only in `a` and only in `b`, ascending.
struct ObjectIdDifference {
  std::vector<uint32_t> only_in_a;
  std::vector<uint32_t> only_in_b;
};
ObjectIdDifference FindDifference(const ObjectIdTable& a,
                                  const ObjectIdTable& b);

}  // namespace zpack
