// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/index_lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <tuple>

#include "base/error.h"
#include "support/index_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack::testing {
namespace {

// The id with one bit changed.
ObjectId Flip(const ObjectId& id, size_t byte, uint8_t bit) {
  Bytes bytes(id.bytes().begin(), id.bytes().end());
  bytes[byte] ^= bit;
  return ObjectId(bytes);
}

// A file of which one read fails.
class FailingFile final : public RandomAccessFile {
 public:
  FailingFile(const Bytes& content, int fail_at)
      : file_(content), fail_at_(fail_at) {}

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    if (fail_at_-- == 0) return MakeError(ErrorCode::kIo, "cannot be read");
    return file_.Read(offset, out);
  }
  uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }
  bool failed() const { return fail_at_ < 0; }

 private:
  MemoryFile file_;
  mutable int fail_at_;
};

class IndexLookupTest
    : public ::testing::TestWithParam<std::tuple<uint32_t, ObjectFormat>> {
 protected:
  // About a thousand ranks, the first and last among them.
  std::vector<FileRank> Ranks() const {
    std::vector<FileRank> ranks;
    const uint32_t step = std::max(1U, ids_.size() / 1000);
    for (uint32_t rank = 0; rank < ids_.size(); rank += step) {
      ranks.push_back(FileRank(rank));
    }
    if (ids_.size() != 0) ranks.push_back(FileRank(ids_.size() - 1));
    return ranks;
  }

  ObjectFormat format_ = std::get<1>(GetParam());
  FileIds ids_ = RandomIds(format_, std::get<0>(GetParam()));
  IndexedVector<FileRank, ObjectNumber> numbers_ = SomeNumbers(ids_.size());
  IndexFile index_ = MakeIndexFile(ids_, numbers_);
  MemoryFile file_{index_.bytes};
  IndexLookup lookup_{file_, index_.chunks, format_, ids_.size()};
};

TEST_P(IndexLookupTest, FindsEveryIdAndItsNumber) {
  for (const FileRank rank : Ranks()) {
    const auto found = lookup_.Find(ids_[rank]);
    ASSERT_THAT(found, IsOk());
    EXPECT_EQ(*found, rank);
    const auto id = lookup_.Id(rank);
    ASSERT_THAT(id, IsOk());
    EXPECT_EQ(*id, ids_[rank]);
    const auto number = lookup_.Number(rank);
    ASSERT_THAT(number, IsOk());
    EXPECT_EQ(*number, numbers_[rank]);
  }
}

TEST_P(IndexLookupTest, AReadThatFailsDoesNotMeanThatAnIdIsNotThere) {
  if (ids_.size() == 0) return;
  const ObjectId& id = ids_[FileRank(ids_.size() / 2)];
  int fail_at = 0;
  for (;; ++fail_at) {
    const FailingFile file(index_.bytes, fail_at);
    const IndexLookup lookup(file, index_.chunks, format_, ids_.size());
    const auto found = lookup.Find(id);
    if (!file.failed()) break;
    EXPECT_THAT(found, HasCode(ErrorCode::kIo)) << fail_at;
  }
  EXPECT_GT(fail_at, 1);
}

TEST_P(IndexLookupTest, DoesNotFindOtherIds) {
  for (const FileRank rank : Ranks()) {
    const ObjectId id = ids_[rank];
    for (const size_t byte :
         {size_t{0}, size_t{1}, size_t{2}, ObjectIdWidth(format_) - 1}) {
      const ObjectId other = Flip(id, byte, 1);
      const auto found = lookup_.Find(other);
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(*found, ids_.Find(other));
    }
  }
  for (const uint8_t byte : {0, 0xff}) {
    const ObjectId id(Bytes(ObjectIdWidth(format_), byte));
    EXPECT_EQ(*lookup_.Find(id), std::nullopt);
  }
  const size_t other_width = format_ == ObjectFormat::kSha1 ? 32 : 20;
  EXPECT_EQ(*lookup_.Find(ObjectId(Bytes(other_width, 1))), std::nullopt);
}

TEST_P(IndexLookupTest, FindsTheIdsOfAPrefix) {
  const auto agree = [&](const std::string& prefix) {
    const auto found = lookup_.FindPrefix(prefix);
    ASSERT_THAT(found, IsOk());
    const auto expected = ids_.FindPrefix(prefix);
    EXPECT_EQ(found->second - found->first, expected.second - expected.first)
        << prefix;
    if (expected.first != expected.second) {
      EXPECT_EQ(*found, expected) << prefix;
    }
  };
  for (const FileRank rank : Ranks()) {
    const std::string hex = ids_[rank].ToHex();
    for (const size_t digits :
         {size_t{3}, size_t{4}, size_t{5}, size_t{8}, size_t{39}, hex.size()}) {
      agree(hex.substr(0, digits));
      agree(Flip(ids_[rank], (digits - 1) / 2, 16).ToHex().substr(0, digits));
    }
  }
  for (const char* prefix :
       {"0", "f", "00", "ff", "000000", "FFFF", "0000", "", "xyza", "12 4"}) {
    agree(prefix);
  }
  agree(std::string(65, '0'));
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, IndexLookupTest,
    ::testing::Combine(::testing::Values(0, 1, 2, 300, 65535, 65536, 70000),
                       ::testing::Values(ObjectFormat::kSha1,
                                         ObjectFormat::kSha256)));

TEST(IndexLookup, FindsIdsThatBeginAlike) {
  // All in one bucket, whose count takes four bytes.
  constexpr uint32_t kCount = 66000;
  Bytes bytes(size_t{kCount} * 20, 0);
  for (uint32_t i = 0; i < kCount; ++i) {
    bytes[size_t{i} * 20 + 2] = static_cast<uint8_t>(i >> 16);
    bytes[size_t{i} * 20 + 3] = static_cast<uint8_t>(i >> 8);
    bytes[size_t{i} * 20 + 4] = static_cast<uint8_t>(i);
  }
  const FileIds ids = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, bytes);
  const IndexFile index = MakeIndexFile(ids, SomeNumbers(kCount));
  const MemoryFile file(index.bytes);
  const IndexLookup lookup(file, index.chunks, ObjectFormat::kSha1, kCount);
  for (uint32_t i = 0; i < kCount; i += 101) {
    const FileRank rank(i);
    EXPECT_EQ(*lookup.Find(ids[rank]), rank);
    EXPECT_EQ(*lookup.Id(rank), ids[rank]);
  }
  EXPECT_EQ(*lookup.FindPrefix("0000"),
            std::pair(FileRank(0), FileRank(kCount)));
  EXPECT_EQ(*lookup.FindPrefix("000001"),
            std::pair(FileRank(65536), FileRank(kCount)));
}

// Uses the index in `file`, which is a damaged `index`.
void ExpectNoWrongRank(const FileIds& ids, const IndexFile& index,
                       const MemoryFile& file, FileRank rank) {
  const IndexLookup lookup(file, index.chunks, ids.format(), ids.size());
  const ObjectId id = ids[rank];
  const auto found = lookup.Find(id);
  if (!found) {
    EXPECT_EQ(found.error().code, ErrorCode::kCorrupt);
  } else if (*found) {
    EXPECT_EQ(**found, rank);
  }
  const auto prefix = lookup.FindPrefix(id.ToHex().substr(0, 6));
  if (prefix) {
    EXPECT_LE(prefix->first, prefix->second);
    EXPECT_LE(prefix->second.value(), ids.size());
  } else {
    EXPECT_EQ(prefix.error().code, ErrorCode::kCorrupt);
  }
  const auto number = lookup.Number(rank);
  if (number) {
    EXPECT_LT(number->value(), ids.size());
  } else {
    EXPECT_EQ(number.error().code, ErrorCode::kCorrupt);
  }
  const auto name = lookup.Id(rank);
  EXPECT_TRUE(name || name.error().code == ErrorCode::kCorrupt);
}

TEST(IndexLookup, TakesNoCountForGranted) {
  std::mt19937_64 random(7);
  for (const uint32_t count : {1U, 300U, 65536U}) {
    const FileIds ids = RandomIds(ObjectFormat::kSha1, count);
    const IndexFile index = MakeIndexFile(ids, SomeNumbers(count));
    MemoryFile file(index.bytes);
    Bytes& bytes = file.content();
    const int rounds = count < 1000 ? 3000 : 300;
    for (int i = 0; i < rounds; ++i) {
      // The bytes that tell where this id is, and any.
      const FileRank rank(static_cast<uint32_t>(random() % count));
      const size_t first = ids[rank].bytes()[0];
      const size_t second = ids[rank].bytes()[1];
      const size_t start = format::kChunkHeaderSize;
      const size_t offset =
          std::array{start + random() % 2, start + 2 + first * 4 + random() % 4,
                     start + 1026 + first * 256 + second,
                     static_cast<size_t>(random())}[random() % 4] %
          bytes.size();
      const auto mask = static_cast<uint8_t>(1 + random() % 255);
      bytes[offset] ^= mask;
      ExpectNoWrongRank(ids, index, file, rank);
      bytes[offset] ^= mask;
    }
    EXPECT_EQ(bytes, index.bytes);
  }
}

TEST(IndexLookup, RefusesChunksOfAnotherSize) {
  const FileIds ids = RandomIds(ObjectFormat::kSha1, 10);
  const IndexFile index = MakeIndexFile(ids, SomeNumbers(10));
  const MemoryFile file(index.bytes);
  const IndexLookup lookup(file, index.chunks, ObjectFormat::kSha1, 9);
  EXPECT_THAT(lookup.Find(ids[FileRank(0)]), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(lookup.FindPrefix("0000"), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(lookup.Id(FileRank(0)), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(lookup.Number(FileRank(0)), HasCode(ErrorCode::kCorrupt));
  format::IndexChunks cut = index.chunks;
  cut.ids.payload_size = 1;
  EXPECT_THAT(
      IndexLookup(file, cut, ObjectFormat::kSha1, 10).Find(ids[FileRank(0)]),
      HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack::testing
