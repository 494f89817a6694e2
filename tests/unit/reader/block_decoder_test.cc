// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/block_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "reader/archive_file.h"
#include "reader/describe_file.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;

// What is kept for an item may take more than the bytes of the item.
TEST(BlockDecoder, TheLimitOfABlockIsOneOfMemory) {
  testing::HostileFile file;
  std::vector<Bytes> contents;
  for (uint32_t i = 0; i < 5000; ++i) {
    contents.push_back({static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8)});
  }
  file.AddObjects(ObjectType::kBlob, contents);
  const Bytes bytes = file.Build();
  const auto decode = [&](const ReadOptions& options) {
    const auto archive = ArchiveFile::Open(
        std::make_unique<testing::MemoryFile>(bytes), options);
    EXPECT_THAT(archive, IsOk());
    const auto block = BlockDecoder().Decode((*archive)->blocks(), 0);
    return block ? Status() : Status(std::unexpected(block.error()));
  };
  const auto archive =
      ArchiveFile::Open(std::make_unique<testing::MemoryFile>(bytes), {});
  ASSERT_THAT(archive, IsOk());
  const auto description = DescribeFile(**archive, {});
  ASSERT_THAT(description, IsOk());
  ReadOptions options;
  options.max_block_size = 0;
  for (const auto& stream : description->blocks.at(0).streams) {
    options.max_block_size += stream.raw_size;
  }
  EXPECT_THAT(decode(options), HasCode(ErrorCode::kLimitExceeded));
  options.max_block_size *= 100;
  EXPECT_THAT(decode(options), IsOk());
}

}  // namespace
}  // namespace zpack
