// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_locator.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "convert/convert_source.h"
#include "object/object_hasher.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

class ObjectLocatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const TempDir directory;
    const std::string path = directory / "a.zpack";
    ConvertOptions options;
    options.run.threads = 1;
    ASSERT_THAT(ConvertSource([&](SourceUse) { return source_.Open(); },
                              PosixFileSystem(), path, options),
                IsOk());
    file_ = *ReadWholeFile(PosixFileSystem(), path, 1 << 20);
    whole_ = *ArchiveFile::Open(std::make_unique<MemoryFile>(file_), {});
    Open();
  }

  void Open() {
    auto archive =
        ArchiveFile::OpenWithoutIndex(std::make_unique<MemoryFile>(file_), {});
    ASSERT_THAT(archive, IsOk());
    archive_ = *std::move(archive);
    locator_.emplace(*archive_);
  }

  // Damages the payload of a chunk.
  void Damage(const format::ChunkLocation& chunk, size_t offset) {
    file_[chunk.offset + format::kChunkHeaderSize + offset] ^= 1;
    Open();
  }

  MemorySource source_ = SampleHistory(20);
  Bytes file_;
  std::unique_ptr<ArchiveFile> whole_;
  std::unique_ptr<ArchiveFile> archive_;
  std::optional<ObjectLocator> locator_;
  ObjectId absent_ = ObjectId(Bytes(20, 0x5a));
};

TEST_F(ObjectLocatorTest, FindsEveryObjectWithoutTheIndex) {
  for (const FileRank rank : whole_->ids().ranks()) {
    const ObjectId id = whole_->ids()[rank];
    EXPECT_THAT(locator_->Contains(id), IsOk());
    EXPECT_EQ(*locator_->Find(id), whole_->number(rank));
    EXPECT_EQ(*locator_->FindChecked(id), whole_->number(rank));
    const auto matches = locator_->FindPrefix(id.ToHex().substr(0, 12), 3);
    ASSERT_THAT(matches, IsOk());
    EXPECT_EQ(matches->count, 1U);
    EXPECT_EQ(matches->first, std::vector{id});
  }
  EXPECT_FALSE(archive_->index_loaded());
}

TEST_F(ObjectLocatorTest, EveryFileHasTheEmptyTree) {
  const ObjectId empty = EmptyTreeId(ObjectFormat::kSha1);
  EXPECT_EQ(empty.ToHex(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  ASSERT_FALSE(whole_->ids().Find(empty));
  EXPECT_THAT(locator_->Contains(empty), IsOk());
  EXPECT_EQ(*locator_->Find(empty), archive_->empty_tree());
  EXPECT_EQ(*locator_->FindChecked(empty), archive_->empty_tree());
  // As Git finds no abbreviation of it.
  EXPECT_EQ(locator_->FindPrefix("4b825dc642", 1)->count, 0U);
}

TEST_F(ObjectLocatorTest, NamesSoManyMatchesAndNoMore) {
  const std::string digit = whole_->ids()[FileRank(0)].ToHex().substr(0, 1);
  const auto [begin, end] = whole_->ids().FindPrefix(digit);
  ASSERT_GE(end - begin, 2U);
  const auto matches = locator_->FindPrefix(digit, 2);
  ASSERT_THAT(matches, IsOk());
  EXPECT_EQ(matches->count, end - begin);
  EXPECT_EQ(matches->first,
            (std::vector{whole_->ids()[begin], whole_->ids()[begin + 1]}));
}

TEST_F(ObjectLocatorTest, LoadsTheIndexToSayNo) {
  EXPECT_THAT(locator_->Contains(absent_), HasCode(ErrorCode::kNotFound));
  EXPECT_TRUE(archive_->index_loaded());
  // From then on answers come from there.
  EXPECT_THAT(locator_->Find(absent_), HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(locator_->FindChecked(absent_), HasCode(ErrorCode::kNotFound));
  EXPECT_EQ(locator_->FindPrefix("5a5a5a5a", 1)->count, 0U);
  for (const FileRank rank : whole_->ids().ranks()) {
    EXPECT_EQ(*locator_->FindChecked(whole_->ids()[rank]),
              whole_->number(rank));
  }
}

TEST_F(ObjectLocatorTest, LoadsTheIndexWhenThatHasBecomeCheaper) {
  const ObjectId id = whole_->ids()[FileRank(3)];
  const uint64_t max = ObjectLocator::MaxLookups(archive_->object_count());
  for (uint64_t i = 0; i < max; ++i) ASSERT_THAT(locator_->Find(id), IsOk());
  EXPECT_FALSE(archive_->index_loaded());
  EXPECT_EQ(*locator_->Find(id), whole_->number(FileRank(3)));
  EXPECT_TRUE(archive_->index_loaded());
  // A damaged one cannot be.
  Damage(archive_->top().index_chunks()->ids,
         format::kObjectIdsHeaderSize + format::kFanOutSize + 5);
  for (uint64_t i = 0; i < max + 10; ++i) {
    EXPECT_EQ(*locator_->Find(id), whole_->number(FileRank(3)));
  }
  EXPECT_FALSE(archive_->index_loaded());
}

TEST_F(ObjectLocatorTest, ADamagedIndexDoesNotSayNo) {
  Damage(archive_->top().index_chunks()->ids,
         format::kObjectIdsHeaderSize + format::kFanOutSize + 5);
  EXPECT_THAT(locator_->Contains(whole_->ids()[FileRank(0)]),
              HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(locator_->Find(absent_), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(locator_->FindChecked(absent_), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(locator_->FindPrefix("5a5a5a5a", 1),
              HasCode(ErrorCode::kCorrupt));
  // What is there is found all the same.
  EXPECT_THAT(locator_->Contains(whole_->ids()[FileRank(1)]), IsOk());
}

TEST_F(ObjectLocatorTest, DamagedNumbersAreNotPassedOnUnchecked) {
  Damage(archive_->top().index_chunks()->numbers, 0);
  const ObjectId id = whole_->ids()[FileRank(0)];
  EXPECT_THAT(locator_->FindChecked(id), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(locator_->Contains(id), IsOk());
}

TEST_F(ObjectLocatorTest, AnswersSeveralThreadsAtOnce) {
  for (int round = 0; round < 5; ++round) {
    Open();
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (const FileRank rank : whole_->ids().ranks()) {
          const ObjectId id = whole_->ids()[rank];
          EXPECT_EQ(*locator_->FindChecked(id), whole_->number(rank));
          const auto matches =
              locator_->FindPrefix(id.ToHex().substr(0, 12), 1);
          EXPECT_EQ(matches->first, std::vector{id});
          // Half of them have it loaded meanwhile.
          if (t % 2 == 0 && rank == FileRank(10)) {
            EXPECT_THAT(locator_->Contains(absent_),
                        HasCode(ErrorCode::kNotFound));
          }
        }
      });
    }
  }
}

}  // namespace
}  // namespace zpack::testing
