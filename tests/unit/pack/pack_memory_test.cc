// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What reading the objects of a pack allocates if they are deltas against
// objects that are too large to be kept.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/deflate.h"
#include "object/object_hasher.h"
#include "pack/pack_delta.h"
#include "pack/pack_lookup.h"
#include "pack/pack_reader.h"
#include "pack/pack_writer.h"
#include "support/counting_allocator.h"
#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
// Of every second object in the chain.
constexpr uint64_t kLarge = 20 * kMebibyte;
constexpr uint64_t kSmall = 2 * kMebibyte;
constexpr size_t kObjects = 5;

class PackMemoryTest : public ::testing::Test {
 protected:
  // A chain of deltas: each object begins with the bytes of the one before it,
  // with its number in them.
  void SetUp() override {
    auto writer = PackWriter::Create(ObjectFormat::kSha1, PosixFileSystem(),
                                     dir_.path(), kObjects);
    ASSERT_THAT(writer, IsOk());
    std::string content = RandomBytes(1, kSmall);
    uint64_t base_offset = 0;
    for (size_t i = 0; i < kObjects; ++i) {
      Bytes raw(content.begin(), content.end());
      if (i > 0) raw = NextObject(i, content);
      Bytes stream;
      Deflater(1).Deflate(raw, stream);
      ids_.push_back(ObjectHasher(ObjectFormat::kSha1)
                         .Hash(ObjectType::kBlob, AsBytes(content)));
      const uint64_t offset = (*writer)->offset();
      ASSERT_THAT(
          (*writer)->Add(ids_.back(),
                         {ObjectType::kBlob, raw.size(), base_offset}, stream),
          IsOk());
      base_offset = offset;
    }
    ASSERT_THAT((*writer)->Finish(), IsOk());
    ASSERT_THAT((*writer)->Publish("pack"), IsOk());
  }

  static Bytes NextObject(size_t number, std::string& content) {
    const std::string base = std::exchange(content, std::to_string(number));
    const uint64_t size = number % 2 == 0 ? kSmall : kLarge;
    Delta delta;
    for (uint32_t literals = 1; content.size() < size; literals = 0) {
      const auto length =
          static_cast<uint32_t>(std::min(base.size(), size - content.size()));
      delta.copies.push_back({literals, length, 0});
      content.append(base, 0, length);
    }
    Bytes out;
    EncodePackDelta(base.size(), AsBytes(content), delta, out);
    return out;
  }

  // What reading the last object, which is small, takes at most.
  template <typename Read>
  void ExpectLittle(Read read) {
    ResetMemory();
    Bytes content;
    ASSERT_THAT(read(content), IsOk());
    EXPECT_EQ(
        ObjectHasher(ObjectFormat::kSha1).Hash(ObjectType::kBlob, content),
        ids_.back());
    EXPECT_LT(PeakMemory(), kLarge / 2);
  }

  PackIndex Index() {
    return *ReadPackIndex(ObjectFormat::kSha1, PosixFileSystem(),
                          dir_ / "pack.idx");
  }

  TempDir dir_;
  std::vector<ObjectId> ids_;
};

TEST_F(PackMemoryTest, AReaderDoesNotMakeContentsThatItCannotKeep) {
  const auto reader = PackReader::Create(
      Index(), *PosixFileSystem().OpenForRead(dir_ / "pack.pack"),
      std::make_shared<BaseCache>(kMebibyte));
  ASSERT_THAT(reader, IsOk());
  ExpectLittle([&](Bytes& content) {
    return (*reader)->Read(*(*reader)->ids().Find(ids_.back()), content);
  });
}

TEST_F(PackMemoryTest, ALookupDoesNotMakeContentsThatItCannotKeep) {
  const auto lookup = PackLookup::Create(
      Index(), *PosixFileSystem().OpenForRead(dir_ / "pack.pack"),
      uint64_t{1} << 30);
  ASSERT_THAT(lookup, IsOk());
  ExpectLittle([&](Bytes& content) {
    return (*lookup)->Read(*(*lookup)->ids().Find(ids_.back()), content);
  });
}

}  // namespace
}  // namespace zpack::testing
