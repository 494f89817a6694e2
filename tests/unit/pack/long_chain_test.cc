// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chains of deltas that do not fit into the cache of bases: how many entries
// are read for all objects of one. Each entry that is expanded is one read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "codec/deflate.h"
#include "object/object_hasher.h"
#include "pack/pack_delta.h"
#include "pack/pack_lookup.h"
#include "pack/pack_reader.h"
#include "pack/pack_writer.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::IsOk;
using testing::TempDir;

constexpr size_t kVersions = 2'000;
constexpr size_t kSize = 1'000;
// Room for some 50 versions.
constexpr uint64_t kCache = uint64_t{64} << 10;

// Counts what is read.
class CountedFile final : public RandomAccessFile {
 public:
  CountedFile(std::unique_ptr<RandomAccessFile> file, uint64_t& reads)
      : file_(std::move(file)), reads_(reads) {}
  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    ++reads_;
    return file_->Read(offset, out);
  }
  uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }

 private:
  std::unique_ptr<RandomAccessFile> file_;
  uint64_t& reads_;
};

class LongChainTest : public ::testing::Test {
 protected:
  // Versions of one content, of which each but the first is a delta against
  // the one before it.
  void SetUp() override {
    auto writer = PackWriter::Create(ObjectFormat::kSha1, PosixFileSystem(),
                                     dir_.path(), kVersions);
    ASSERT_THAT(writer, IsOk());
    testing::Random random(1);
    Bytes content = testing::RandomText(random, kSize);
    uint64_t base_offset = 0;
    for (size_t i = 0; i < kVersions; ++i) {
      const Bytes raw = i == 0 ? content : NextVersion(i, content);
      Bytes stream;
      Deflater(6).Deflate(raw, stream);
      ids_.push_back(
          ObjectHasher(ObjectFormat::kSha1).Hash(ObjectType::kBlob, content));
      const uint64_t offset = (*writer)->offset();
      ASSERT_THAT(
          (*writer)->Add(ids_.back(),
                         {ObjectType::kBlob, raw.size(), base_offset}, stream),
          IsOk());
      base_offset = offset;
    }
    ASSERT_THAT((*writer)->Finish(), IsOk());
    ASSERT_THAT((*writer)->Publish("chain"), IsOk());
    Open();
  }

  // Changes 8 bytes of `content`, and returns the delta that does so.
  static Bytes NextVersion(size_t number, Bytes& content) {
    const auto at = static_cast<uint32_t>(number * 7 % (content.size() - 8));
    const std::string text = std::to_string(10'000'000 + number);
    std::copy_n(text.begin(), 8, content.begin() + at);
    const auto size = static_cast<uint32_t>(content.size());
    Delta delta;
    if (at != 0) delta.copies.push_back({0, at, 0});
    delta.copies.push_back({8, size - at - 8, at + 8});
    Bytes out;
    EncodePackDelta(size, content, delta, out);
    return out;
  }

  void Open() {
    auto index = ReadPackIndex(ObjectFormat::kSha1, PosixFileSystem(),
                               dir_ / "chain.idx");
    ASSERT_THAT(index, IsOk());
    auto file = PosixFileSystem().OpenForRead(dir_ / "chain.pack");
    ASSERT_THAT(file, IsOk());
    auto reader = PackReader::Create(
        *std::move(index),
        std::make_unique<CountedFile>(*std::move(file), reads_),
        std::make_shared<BaseCache>(kCache));
    ASSERT_THAT(reader, IsOk());
    reader_ = *std::move(reader);
    reads_ = 0;
  }

  void ReadVersion(size_t version) {
    Bytes content;
    ASSERT_THAT(reader_->Read(*reader_->ids().Find(ids_[version]), content),
                IsOk());
    EXPECT_EQ(
        ObjectHasher(ObjectFormat::kSha1).Hash(ObjectType::kBlob, content),
        ids_[version]);
  }

  TempDir dir_;
  std::vector<ObjectId> ids_;
  uint64_t reads_ = 0;
  std::unique_ptr<PackReader> reader_;
};

TEST_F(LongChainTest, ReadForwardExpandsEachEntryOnce) {
  for (size_t i = 0; i < kVersions; ++i) ReadVersion(i);
  EXPECT_EQ(reads_, kVersions);
}

// The newest first, as a conversion reads the versions of a path.
TEST_F(LongChainTest, ReadBackwardExpandsEachEntryAFewTimes) {
  for (size_t i = kVersions; i-- > 0;) ReadVersion(i);
  EXPECT_LE(reads_, 10 * kVersions);
}

// The first version is damaged or too large, and so are all others.
TEST_F(LongChainTest, DamageIsMetOnce) {
  const std::string sound = testing::ReadFile(dir_ / "chain.pack");
  std::string damaged = sound;
  damaged[100] ^= '\x55';
  for (const bool is_damaged : {true, false}) {
    testing::WriteFile(dir_ / "chain.pack", is_damaged ? damaged : sound);
    const uint64_t most = is_damaged ? uint64_t{1} << 20 : kSize / 2;
    for (const bool forward : {true, false}) {
      auto index = ReadPackIndex(ObjectFormat::kSha1, PosixFileSystem(),
                                 dir_ / "chain.idx");
      ASSERT_THAT(index, IsOk());
      auto file = PosixFileSystem().OpenForRead(dir_ / "chain.pack");
      ASSERT_THAT(file, IsOk());
      const auto lookup = PackLookup::Create(
          *std::move(index),
          std::make_unique<CountedFile>(*std::move(file), reads_), most);
      ASSERT_THAT(lookup, IsOk());
      reads_ = 0;
      for (size_t i = 0; i < kVersions; ++i) {
        const ObjectId& id = ids_[forward ? i : kVersions - 1 - i];
        Bytes content;
        EXPECT_THAT((*lookup)->Read(*(*lookup)->ids().Find(id), content),
                    testing::IsError(is_damaged ? ErrorCode::kCorrupt
                                                : ErrorCode::kLimitExceeded,
                                     ::testing::_));
      }
      EXPECT_LE(reads_, 10 * kVersions);
    }
  }
}

}  // namespace
}  // namespace zpack
