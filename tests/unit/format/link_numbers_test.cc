// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/link_numbers.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/tree_blocks.h"

namespace zpack::format {
namespace {

using ::zpack::testing::NumberedIds;
using ::zpack::testing::Random;
using ::zpack::testing::RandomId;
using ::zpack::testing::RandomIds;

TEST(LinkNumbers, ComeBackAsIds) {
  for (const ObjectFormat object_format :
       {ObjectFormat::kSha1, ObjectFormat::kSha256}) {
    Random random(1);
    const NumberedIds ids = RandomIds(random, 50, object_format);
    std::vector<ObjectId> linked;
    for (uint32_t i = 0; i < 50; ++i) {
      linked.push_back(ids[i]);
      linked.push_back(RandomId(random, object_format));
      linked.push_back(linked[i]);  // again
    }
    ObjectNumbers numbers(ids);
    LinkEncoder encoder(numbers);
    // What an earlier block referred to has no place in this one.
    Bytes earlier;
    encoder.Encode(numbers.Number(linked[3]), earlier);
    encoder.Clear();
    Bytes outside_ids;
    std::vector<LinkNumber> links;
    for (const ObjectId& id : linked) {
      links.push_back(encoder.Encode(numbers.Number(id), outside_ids));
    }
    EXPECT_EQ(outside_ids.size(), 50 * ObjectIdWidth(object_format));

    const LinkDecoder decoder(50, object_format, outside_ids);
    ASSERT_TRUE(decoder.IsValid());
    EXPECT_EQ(decoder.end(), 100U);
    for (size_t i = 0; i < linked.size(); ++i) {
      ASSERT_LT(links[i].value(), decoder.end());
      const ObjectId id = decoder.IsOutside(links[i])
                              ? ObjectId(decoder.OutsideId(links[i]))
                              : ids.id_of()(LinkDecoder::Object(links[i]));
      EXPECT_EQ(id, linked[i]) << i;
    }
  }
}

TEST(LinkNumbers, HaveRoomForWholeIdsOnly) {
  const Bytes ids(40);
  EXPECT_TRUE(LinkDecoder(0, ObjectFormat::kSha1, ids).IsValid());
  EXPECT_FALSE(LinkDecoder(0, ObjectFormat::kSha256, ids).IsValid());
  EXPECT_TRUE(LinkDecoder(UINT32_MAX - 2, ObjectFormat::kSha1, ids).IsValid());
  EXPECT_FALSE(LinkDecoder(UINT32_MAX - 1, ObjectFormat::kSha1, ids).IsValid());
}

}  // namespace
}  // namespace zpack::format
