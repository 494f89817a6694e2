// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/bulk_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/object_hasher.h"
#include "reader/archive_file.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using testing::HostileFile;
using testing::IsOk;
using testing::MemoryFile;
using testing::Repeated;
using ::testing::SizeIs;
using testing::Varints;

constexpr uint64_t kLarge = 3'000'000;

HostileFile MakeManyBlocks() {
  HostileFile file;
  for (uint64_t block = 0; block < 20; ++block) {
    std::vector<Bytes> contents;
    for (uint64_t i = 0; i < 40; ++i) {
      // Some are too long to be hashed side by side.
      contents.push_back(Repeated(static_cast<uint8_t>(block),
                                  i == 7 ? 100'000 : 1 + i * 500));
    }
    file.AddObjects(ObjectType::kBlob, contents);
    if (block == 9) {
      file.AddSegments(ObjectType::kBlob, Repeated('x', kLarge), 1 << 20);
    }
  }
  return file;
}

// Blocks of small objects, with one object in segments among them. Together
// they make many chunks.
const HostileFile& ManyBlocks() {
  static const HostileFile file = MakeManyBlocks();
  return file;
}

class BulkReader : public ::testing::TestWithParam<unsigned> {
 protected:
  BulkReader() { threads_.threads = GetParam(); }

  void Open(const Bytes& bytes) {
    auto opened =
        ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
    ASSERT_THAT(opened, IsOk());
    archive_ = *std::move(opened);
  }

  // Notes each object, and the content as its hash.
  Status Read(const BulkChoice& choice = {}) {
    seen_.clear();
    errors_.clear();
    return ReadObjects(archive_->blocks(), choice, threads_,
                       [&](const BulkEntry& entry) -> Status {
                         if (entry.error != nullptr) {
                           errors_.push_back(entry.error->message);
                           return {};
                         }
                         seen_.push_back(entry.number.value());
                         if (!entry.content) {
                           ++without_content_;
                           return {};
                         }
                         EXPECT_EQ(entry.info.size, entry.content->size());
                         EXPECT_EQ(
                             ObjectHasher(archive_->header().object_format)
                                 .Hash(entry.info.type, *entry.content),
                             entry.id);
                         return {};
                       });
  }

  static std::vector<uint32_t> Numbers(uint32_t begin, uint32_t end) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = begin; i < end; ++i) numbers.push_back(i);
    return numbers;
  }

  BulkThreads threads_;
  std::unique_ptr<ArchiveFile> archive_;
  std::vector<uint32_t> seen_;
  std::vector<std::string> errors_;
  int without_content_ = 0;
};

TEST_P(BulkReader, PassesAllObjectsInTheOrderOfStorage) {
  for (const Bytes& file :
       {ManyBlocks().Build(), testing::SampleFile(), HostileFile().Build()}) {
    Open(file);
    ASSERT_THAT(Read(), IsOk());
    EXPECT_EQ(seen_, Numbers(0, archive_->object_count()));
    EXPECT_THAT(errors_, SizeIs(0));
    EXPECT_EQ(without_content_, 0);
  }
}

TEST_P(BulkReader, GetsOnHoweverLittleMayWait) {
  Open(ManyBlocks().Build());
  threads_.max_waiting = 0;
  ASSERT_THAT(Read(), IsOk());
  EXPECT_EQ(seen_, Numbers(0, archive_->object_count()));
}

TEST_P(BulkReader, PassesTheChosenObjects) {
  Open(ManyBlocks().Build());
  const std::vector<ObjectNumber> numbers = {
      ObjectNumber(0), ObjectNumber(41), ObjectNumber(400), ObjectNumber(800)};
  ASSERT_THAT(Read({.numbers = numbers}), IsOk());
  EXPECT_THAT(seen_, ElementsAre(0, 41, 400, 800));
  // The object in segments is number 400.
  const auto is_large = [](const ObjectInfo& info) {
    return info.size > 99'999;
  };
  ASSERT_THAT(Read({.wants = is_large}), IsOk());
  EXPECT_THAT(seen_, SizeIs(21));
  ASSERT_THAT(Read({.numbers = numbers, .wants = is_large}), IsOk());
  EXPECT_THAT(seen_, ElementsAre(400));
  ASSERT_THAT(Read({.numbers = std::vector<ObjectNumber>()}), IsOk());
  EXPECT_THAT(seen_, SizeIs(0));
}

TEST_P(BulkReader, LargeObjectsComeWithoutContents) {
  Open(ManyBlocks().Build());
  ASSERT_THAT(Read({.max_content = 99'999}), IsOk());
  EXPECT_EQ(seen_, Numbers(0, archive_->object_count()));
  EXPECT_EQ(without_content_, 21);
}

TEST_P(BulkReader, AnObjectAsLargeAsAllowedComesWithItsContent) {
  Open(ManyBlocks().Build());
  ASSERT_THAT(Read({.max_content = kLarge}), IsOk());
  EXPECT_EQ(without_content_, 0);
  ASSERT_THAT(Read({.max_content = kLarge - 1}), IsOk());
  EXPECT_EQ(without_content_, 1);
}

TEST_P(BulkReader, ObjectsOfADamagedBlockAreNamedAndTheOthersRead) {
  HostileFile file = ManyBlocks();
  file.blocks[1].chunk[file.blocks[1].chunk.size() / 2] ^= 1;
  Open(file.Build());
  ASSERT_THAT(Read(), IsOk());
  std::vector<uint32_t> others = Numbers(0, 40);
  const std::vector<uint32_t> behind = Numbers(80, archive_->object_count());
  others.insert(others.end(), behind.begin(), behind.end());
  EXPECT_EQ(seen_, others);
  ASSERT_THAT(errors_, SizeIs(40));
  EXPECT_THAT(errors_[0], HasSubstr("object " + file.ids[40].ToHex()));
  EXPECT_THAT(errors_[0], HasSubstr("at offset"));
}

TEST_P(BulkReader, ObjectsThatDoNotHashToTheirIdsAreNamed) {
  HostileFile file = ManyBlocks();
  file.ids[3] = file.MadeUpId(3);
  file.ids[7] = file.MadeUpId(7);
  file.ids[400] = file.MadeUpId(400);
  Open(file.Build());
  ASSERT_THAT(Read(), IsOk());
  EXPECT_THAT(seen_, SizeIs(archive_->object_count() - 3));
  ASSERT_THAT(errors_, SizeIs(3));
  EXPECT_THAT(errors_[1],
              HasSubstr("object " + file.ids[7].ToHex() + " hashes to"));
}

TEST_P(BulkReader, SegmentsThatDoNotFitAreAnError) {
  HostileFile file;
  file.AddObjects(ObjectType::kBlob, {Varints({1})});
  file.AddSegments(ObjectType::kBlob, Repeated('x', 10'000), 4096);
  std::swap(file.blocks[2].chunk, file.blocks[3].chunk);
  Open(file.Build());
  ASSERT_THAT(Read(), IsOk());
  EXPECT_THAT(seen_, ElementsAre(0));
  EXPECT_THAT(errors_, SizeIs(1));
}

TEST_P(BulkReader, ErrorsOfTheVisitorEndIt) {
  Open(ManyBlocks().Build());
  int visits = 0;
  const Status failed = ReadObjects(
      archive_->blocks(), {}, threads_, [&](const BulkEntry&) -> Status {
        if (++visits == 100) return MakeError(ErrorCode::kIo, "full");
        return {};
      });
  EXPECT_THAT(failed, HasCode(ErrorCode::kIo));
  EXPECT_EQ(visits, 100);
}

TEST_P(BulkReader, EndsWhenTheVisitorHasEnough) {
  Open(ManyBlocks().Build());
  int visits = 0;
  const Status read = ReadObjects(
      archive_->blocks(), {}, threads_, [&](const BulkEntry&) -> Result<Visit> {
        return ++visits == 100 ? Visit::kStop : Visit::kContinue;
      });
  EXPECT_THAT(read, IsOk());
  EXPECT_EQ(visits, 100);
}

TEST_P(BulkReader, EndsWhenStopped) {
  Open(ManyBlocks().Build());
  std::stop_source stop;
  threads_.stop = stop.get_token();
  const Status stopped = ReadObjects(archive_->blocks(), {}, threads_,
                                     [&](const BulkEntry&) -> Status {
                                       stop.request_stop();
                                       return {};
                                     });
  EXPECT_THAT(stopped, HasCode(ErrorCode::kInterrupted));
}

INSTANTIATE_TEST_SUITE_P(Threads, BulkReader, ::testing::Values(1U, 2U, 5U));

}  // namespace
}  // namespace zpack
