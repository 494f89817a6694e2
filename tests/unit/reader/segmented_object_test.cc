// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An object in segments, as its users read it piece by piece.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>

#include "base/error.h"
#include "reader/archive_file.h"
#include "reader/archive_source.h"
#include "reader/object_reader.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::HostileFile;
using testing::IsOk;

constexpr uint64_t kSegment = 50'000;

class SegmentedObjectTest : public ::testing::Test {
 protected:
  SegmentedObjectTest() {
    for (size_t i = 0; i < content_.size(); ++i) {
      content_[i] = static_cast<uint8_t>(i / kSegment + i % 7);
    }
    HostileFile file;
    file.AddSegments(ObjectType::kBlob, content_, kSegment);
    bytes_ = file.Build();
  }

  std::unique_ptr<ArchiveFile> Open(uint64_t cache_size) const {
    ReadOptions options;
    options.cache_size = cache_size;
    auto archive = ArchiveFile::Open(
        std::make_unique<testing::MemoryFile>(bytes_), options);
    EXPECT_THAT(archive, IsOk());
    return *std::move(archive);
  }

  // Streams the object, which has to hash to `id`, into `streamed_`.
  Status Stream(const ArchiveFile& archive, const ObjectId& id,
                HashObject hash) {
    streamed_.clear();
    ObjectReader reader(archive);
    return reader.Stream(
        ObjectNumber(0), id, [](const ObjectInfo&) { return Status(); },
        [&](ByteView piece) -> Status {
          Append(streamed_, piece);
          return {};
        },
        hash);
  }

  Bytes content_ = Bytes(210'000);
  Bytes bytes_;
  Bytes streamed_;
};

TEST_F(SegmentedObjectTest, IsHashedOnRequestAlone) {
  const ObjectId other(Bytes(20, 7));
  for (const uint64_t cache_size : {uint64_t{0}, uint64_t{1} << 20}) {
    SCOPED_TRACE(cache_size);
    const auto archive = Open(cache_size);
    const ObjectId id = archive->blocks().id(ObjectNumber(0));
    for (const HashObject hash : {HashObject::kYes, HashObject::kNo}) {
      EXPECT_THAT(Stream(*archive, id, hash), IsOk());
      EXPECT_TRUE(streamed_ == content_);
    }
    EXPECT_THAT(Stream(*archive, other, HashObject::kYes),
                HasCode(ErrorCode::kCorrupt));
    // What fits into the cache is hashed first.
    EXPECT_EQ(streamed_.empty(), cache_size != 0);
    EXPECT_THAT(Stream(*archive, other, HashObject::kNo), IsOk());
    EXPECT_TRUE(streamed_ == content_);
  }
}

TEST_F(SegmentedObjectTest, AFileIsASourceOfItsPieces) {
  const auto archive = Open(0);
  ArchiveSource source(*archive);
  const auto stream = source.Open(archive->blocks().id(ObjectNumber(0)));
  ASSERT_THAT(stream, IsOk());
  EXPECT_EQ((*stream)->info().type, ObjectType::kBlob);
  ASSERT_EQ((*stream)->info().size, content_.size());
  Bytes read(content_.size());
  const std::span<uint8_t> all(read);
  for (size_t at = 0; at < all.size(); at += 30'000) {
    ASSERT_THAT((*stream)->Read(all.subspan(at, 30'000)), IsOk());
  }
  EXPECT_TRUE(read == content_);
  uint8_t more = 0;
  EXPECT_THAT((*stream)->Read({&more, 1}), HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack
