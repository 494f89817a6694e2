// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_id_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/error.h"
#include "base/group_sort.h"
#include "base/hex.h"
#include "base/huge_pages.h"

namespace zpack {
namespace {

// With a million objects, the bucket table fits into a processor's cache.
constexpr uint32_t kIdsPerBucket = 16;

// The first `bits` bits of an id, at most 32, as a number.
uint32_t Bucket(const uint8_t* id, unsigned bits) {
  return static_cast<uint32_t>(uint64_t{LoadBigEndian<uint32_t>(id)} >>
                               (32 - bits));
}

// Enough bits that a bucket holds a few ids.
unsigned BucketBits(size_t count) {
  return static_cast<unsigned>(std::bit_width(count / kIdsPerBucket));
}

// Like memcmp, but faster, because most ids differ in their first bytes.
int Compare(const uint8_t* a, const uint8_t* b, size_t width) {
  const auto first = LoadBigEndian<uint64_t>(a);
  const auto second = LoadBigEndian<uint64_t>(b);
  if (first != second) return first < second ? -1 : 1;
  return std::memcmp(a, b, width);
}

}  // namespace

Result<ObjectIdTable> ObjectIdTable::FromUnsorted(ObjectFormat format,
                                                  Bytes ids) {
  const size_t width = ObjectIdWidth(format);
  ZPACK_CHECK(ids.size() % width == 0);
  const size_t count = ids.size() / width;
  if (count > std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorCode::kLimitExceeded, "too many objects: {}", count);
  }
  const auto view = [&](uint32_t i) { return &ids[size_t{i} * width]; };
  // Sorts by the first bits, and then inside each bucket.
  const unsigned bits = BucketBits(count);
  std::vector<uint32_t> order = SortByGroup(
      static_cast<uint32_t>(count), size_t{1} << bits,
      [&](uint32_t i) { return Bucket(view(i), bits); },
      [](uint32_t i) { return i; },
      [&](uint32_t a, uint32_t b) {
        return Compare(view(a), view(b), width) < 0;
      });
  const auto repeated = std::ranges::unique(order, [&](uint32_t a, uint32_t b) {
    return Compare(view(a), view(b), width) == 0;
  });
  order.erase(repeated.begin(), repeated.end());
  Bytes sorted;
  ReserveTable(sorted, order.size() * width);
  for (const uint32_t i : order) Append(sorted, {view(i), width});
  return ObjectIdTable(format, std::move(sorted));
}

Result<ObjectIdTable> ObjectIdTable::Merge(
    ObjectFormat format, const std::vector<ObjectIdTable>& tables) {
  const ObjectIdTable* only = nullptr;
  size_t filled = 0;
  size_t size = 0;
  for (const ObjectIdTable& table : tables) {
    if (table.size() == 0) continue;
    only = &table;
    ++filled;
    size += table.bytes().size();
  }
  if (filled == 1) return *only;
  Bytes ids;
  ids.reserve(size);
  for (const ObjectIdTable& table : tables) Append(ids, table.bytes());
  return FromUnsorted(format, std::move(ids));
}

Result<ObjectIdTable> ObjectIdTable::FromSorted(ObjectFormat format,
                                                Bytes ids) {
  const size_t width = ObjectIdWidth(format);
  ZPACK_CHECK(ids.size() % width == 0);
  for (size_t at = width; at < ids.size(); at += width) {
    if (Compare(&ids[at - width], &ids[at], width) >= 0) {
      return MakeError(ErrorCode::kCorrupt,
                       "object ids not strictly ascending at rank {}",
                       at / width);
    }
  }
  return ObjectIdTable(format, std::move(ids));
}

ObjectIdTable::ObjectIdTable(ObjectFormat format, Bytes ids)
    : format_(format), width_(ObjectIdWidth(format)) {
  auto table = std::make_shared<Ids>();
  table->bytes = std::move(ids);
  const Bytes& bytes = table->bytes;
  table->bucket_bits = BucketBits(bytes.size() / width_);
  std::vector<uint32_t>& buckets = table->buckets;
  buckets.clear();
  FillTable(buckets, (size_t{1} << table->bucket_bits) + 1);
  for (size_t at = 0; at < bytes.size(); at += width_) {
    ++table->fan_out[bytes[at]];
    ++buckets[Bucket(&bytes[at], table->bucket_bits) + 1];
  }
  std::partial_sum(table->fan_out.begin(), table->fan_out.end(),
                   table->fan_out.begin());
  std::partial_sum(buckets.begin(), buckets.end(), buckets.begin());
  ids_ = std::move(table);
}

uint32_t ObjectIdTable::Guess(ByteView key) const {
  const unsigned bits = ids_->bucket_bits;
  const uint32_t bucket = Bucket(key.data(), bits);
  const uint32_t begin = ids_->buckets[bucket];
  const uint32_t size = ids_->buckets[bucket + 1] - begin;
  // The bits after those that select the bucket, as a fraction of the bucket.
  const auto rest =
      static_cast<uint32_t>(LoadBigEndian<uint64_t>(key.data()) << bits >> 32);
  return begin + static_cast<uint32_t>(uint64_t{rest} * size >> 32);
}

uint32_t ObjectIdTable::LowerBound(ByteView key) const {
  const auto is_less = [&](uint32_t rank) {
    return Compare(View(rank).data(), key.data(), width_) < 0;
  };
  const uint32_t bucket = Bucket(key.data(), ids_->bucket_bits);
  uint32_t low = ids_->buckets[bucket];
  uint32_t high = ids_->buckets[bucket + 1];
  // A bucket is larger only if the ids are not hashes.
  while (high - low > 4 * kIdsPerBucket) {
    const uint32_t middle = low + (high - low) / 2;
    if (is_less(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  uint32_t rank = std::clamp(Guess(key), low, high);
  while (rank > low && !is_less(rank - 1)) --rank;
  while (rank < high && is_less(rank)) ++rank;
  return rank;
}

void ObjectIdTable::PrefetchBucket(ByteView id) const {
  __builtin_prefetch(&ids_->buckets[Bucket(id.data(), ids_->bucket_bits)]);
}

void ObjectIdTable::PrefetchFind(ByteView id) const {
  if (size() == 0) return;
  // Guess is off by a few ids.
  const uint32_t guess = Guess(id);
  Prefetch(guess - std::min(guess, 2U));
  Prefetch(std::min(guess + 2, size() - 1));
}

std::optional<uint32_t> ObjectIdTable::Find(const ObjectId& id) const {
  if (id.bytes().size() != width_) return std::nullopt;
  const uint32_t rank = LowerBound(id.bytes());
  if (rank == size() || !std::ranges::equal(View(rank), id.bytes())) {
    return std::nullopt;
  }
  return rank;
}

std::pair<uint32_t, uint32_t> ObjectIdTable::FindPrefix(
    std::string_view hex_prefix) const {
  if (hex_prefix.empty() || hex_prefix.size() > width_ * 2) return {0, 0};
  std::string low(hex_prefix);
  low.resize(width_ * 2, '0');
  const std::optional<Bytes> key = FromHex(low);
  if (!key) return {0, 0};
  const auto matches = [&](uint32_t rank) {
    const ByteView id = View(rank);
    for (size_t i = 0; i < hex_prefix.size(); ++i) {
      const int digit = i % 2 == 0 ? id[i / 2] >> 4 : id[i / 2] & 15;
      if (digit != HexDigitValue(hex_prefix[i])) return false;
    }
    return true;
  };
  const uint32_t first = LowerBound(*key);
  uint32_t last = first;
  while (last < size() && matches(last)) ++last;
  return {first, last};
}

std::vector<uint32_t> RanksOnlyIn(const ObjectIdTable& a,
                                  const ObjectIdTable& b) {
  std::vector<uint32_t> ranks;
  uint32_t j = 0;
  for (uint32_t i = 0; i < a.size(); ++i) {
    while (j < b.size() && b[j] < a[i]) ++j;
    if (j == b.size() || b[j] != a[i]) ranks.push_back(i);
  }
  return ranks;
}

}  // namespace zpack
