// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables that contradict the blocks they describe.

#include <gtest/gtest.h>

#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack::testing {
namespace {

// An object in two segments, whose run of rows would hold `objects` objects.
Bytes SegmentsOf(uint32_t objects) {
  HostileFile file;
  const uint32_t large =
      file.AddSegments(ObjectType::kBlob, Repeated('x', 10000), 8192);
  file.AddRef("refs/heads/main", file.ids[large]);
  for (uint32_t i = 1; i < objects; ++i) file.ids.push_back(file.MadeUpId(i));
  return file.Build();
}

TEST(HostileTable, SegmentsThatClaimMoreThanTheirObjectAreRefused) {
  const ReadOptions options;
  EXPECT_TRUE(
      ArchiveFile::Open(std::make_unique<MemoryFile>(SegmentsOf(1)), options));
  for (const uint32_t objects : {2U, 1000U}) {
    const Bytes bytes = SegmentsOf(objects);
    EXPECT_THAT(ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), options),
                HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(ArchiveFile::OpenWithoutIndex(
                    std::make_unique<MemoryFile>(bytes), options),
                HasCode(ErrorCode::kCorrupt));
  }
}

TEST(HostileTable, WholeObjectsThatShareARowAreRefused) {
  // Two rows of one object, which is in no segments.
  HostileFile file;
  file.AddObjects(ObjectType::kBlob, {Varints({1})});
  file.blocks.push_back(file.blocks.front());
  const auto archive = ArchiveFile::Open(
      std::make_unique<MemoryFile>(file.Build()), ReadOptions{});
  ASSERT_TRUE(archive) << archive.error().message;
  ObjectReader reader(**archive);
  Bytes content;
  const auto info = reader.ReadInfo({});
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().code, ErrorCode::kCorrupt);
  const auto read = reader.Read({}, file.ids[0], content);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace zpack::testing
