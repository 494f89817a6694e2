// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/describe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"

namespace zpack {
namespace {

using testing::IsOk;

// A reader that does not know an optional chunk skips it.
TEST(DescribeFile, SaysWhichChunksAReaderHasToKnow) {
  const auto archive = ArchiveFile::Open(
      std::make_unique<testing::MemoryFile>(testing::SampleFile()), {});
  ASSERT_THAT(archive, IsOk());
  const auto description = DescribeFile(**archive, {});
  ASSERT_THAT(description, IsOk());
  std::map<std::string, bool> required;
  for (const FileDescription::Chunk& chunk : description->chunks) {
    required[chunk.id] = chunk.required;
  }
  ASSERT_TRUE(required.contains("REFS"));
  EXPECT_TRUE(required["REFS"]);
  ASSERT_TRUE(required.contains("COPY"));
  EXPECT_FALSE(required["COPY"]);
}

}  // namespace
}  // namespace zpack
