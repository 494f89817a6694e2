// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/object_sizes.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/matchers.h"

namespace zpack::format {
namespace {

using ::zpack::testing::HasCode;
using ::zpack::testing::IsOk;

using Sizes = std::vector<uint64_t>;

TEST(ObjectSizes, ComeBack) {
  for (const Sizes& sizes :
       {Sizes{}, Sizes{0}, Sizes{127, 128, 0, UINT64_MAX}, Sizes(1000, 300)}) {
    Bytes stream;
    EncodeObjectSizes(sizes, stream);
    const auto count = static_cast<uint32_t>(sizes.size());
    const auto decoded = DecodeObjectSizes(stream, count);
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(*decoded, sizes);
    EXPECT_THAT(DecodeObjectSizes(stream, count + 1),
                HasCode(ErrorCode::kCorrupt));
    stream.push_back(0);
    EXPECT_THAT(DecodeObjectSizes(stream, count), HasCode(ErrorCode::kCorrupt));
  }
}

TEST(ObjectSizes, RefuseACountThatTheStreamHasNoRoomFor) {
  EXPECT_THAT(DecodeObjectSizes(Bytes(3), UINT32_MAX),
              HasCode(ErrorCode::kCorrupt));
}

TEST(ObjectOffsets, AddUpToTheContents) {
  EXPECT_EQ(*ObjectOffsets(Sizes{3, 0, 2}, 5), (Sizes{0, 3, 3, 5}));
  EXPECT_EQ(*ObjectOffsets(Sizes{}, 0), Sizes{0});
  for (const uint64_t total : {0U, 4U, 6U}) {
    EXPECT_THAT(ObjectOffsets(Sizes{3, 0, 2}, total),
                HasCode(ErrorCode::kCorrupt));
  }
  EXPECT_THAT(ObjectOffsets(Sizes{UINT64_MAX, 6}, 5),
              HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack::format
