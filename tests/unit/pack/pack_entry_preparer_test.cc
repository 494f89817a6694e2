// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_entry_preparer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/inflate.h"
#include "pack/pack_delta.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/repo_builder.h"

namespace zpack {
namespace {

using testing::Edited;
using testing::IsOk;
using testing::Random;
using testing::RandomBytes;
using testing::RandomText;
using testing::ToBytes;

class PackEntryPreparerTest : public ::testing::Test {
 protected:
  void Begin(ObjectType type, Resemblance resemblance) {
    type_ = type;
    contents_.clear();
    depths_.clear();
    preparer_.Begin(type, resemblance);
  }

  // Prepares an object and checks that the stored form stands for it. Returns
  // how far before it the base is.
  uint32_t Add(const Bytes& content, uint32_t like = 0) {
    Bytes out = ToBytes("before");
    const auto prepared = preparer_.Prepare(content, {.distance = like}, out);
    EXPECT_THAT(prepared, IsOk());
    EXPECT_EQ(AsText(out).substr(0, 6), "before") << "appends";
    EXPECT_EQ(prepared->type, type_);
    Bytes raw(prepared->raw_size);
    EXPECT_THAT(inflater_.Inflate(ByteView(out).subspan(6), raw), IsOk());
    const uint32_t distance = prepared->base_distance;
    unsigned depth = 0;
    if (distance == 0) {
      EXPECT_EQ(raw, content);
    } else {
      EXPECT_LE(distance, contents_.size());
      Bytes result;
      EXPECT_THAT(ApplyPackDelta(contents_[contents_.size() - distance], raw,
                                 content.size(), result),
                  IsOk());
      EXPECT_EQ(result, content);
      depth = depths_[depths_.size() - distance] + 1;
    }
    contents_.push_back(content);
    depths_.push_back(depth);
    return distance;
  }

  PackEntryPreparer preparer_;
  Inflater inflater_;
  ObjectType type_ = ObjectType::kBlob;
  std::vector<Bytes> contents_;
  std::vector<unsigned> depths_;
};

TEST_F(PackEntryPreparerTest, ChainsAreAtMostFiftyDeltas) {
  for (const ObjectType type : {ObjectType::kBlob, ObjectType::kTree}) {
    Random random(1);
    Bytes text = RandomText(random, 5000);
    Begin(type, Resemblance::kSome);
    unsigned whole = 0;
    for (uint32_t i = 0; i < 300; ++i) {
      whole += Add(text, i == 0 ? 0 : 1) == 0 ? 1 : 0;
      text = Edited(random, std::move(text), 1);
    }
    EXPECT_GT(std::ranges::max(depths_), 10U);
    EXPECT_LE(std::ranges::max(depths_), 50U);
    EXPECT_LT(whole, 15U);
  }
}

TEST_F(PackEntryPreparerTest, WhatIsKnownToResembleIsTriedFirst) {
  Random random(2);
  Begin(ObjectType::kBlob, Resemblance::kSome);
  // Too little text to find it by its content.
  const Bytes text = ToBytes(RandomBytes(3, 100));
  Add(text);
  for (uint64_t i = 0; i < 30; ++i) Add(ToBytes(RandomBytes(100 + i, 100)));
  Bytes edited = text;
  edited[50] ^= 1;
  EXPECT_EQ(Add(edited), 0U) << "the test does not show anything";
  edited[20] ^= 1;
  EXPECT_EQ(Add(edited, 32), 32U);
}

TEST_F(PackEntryPreparerTest, FindsWhatItWasNotToldOf) {
  Random random(4);
  Begin(ObjectType::kBlob, Resemblance::kSome);
  const Bytes text = RandomText(random, 20000);
  Add(text);
  for (int i = 0; i < 10; ++i) Add(RandomText(random, 20000));
  EXPECT_EQ(Add(Edited(random, text, 3)), 11U);
}

TEST_F(PackEntryPreparerTest, ABadHintDoesNoHarm) {
  Random random(5);
  Begin(ObjectType::kBlob, Resemblance::kSome);
  const Bytes text = RandomText(random, 20000);
  Add(RandomText(random, 20000));
  Add(text);
  EXPECT_EQ(Add(Edited(random, text, 3), 2), 1U);
  EXPECT_EQ(Add(RandomText(random, 20000), 1), 0U);
}

TEST_F(PackEntryPreparerTest, StaysWholeWithoutResemblance) {
  Random random(6);
  Begin(ObjectType::kCommit, Resemblance::kNone);
  const Bytes text = RandomText(random, 1000);
  EXPECT_EQ(Add(text), 0U);
  EXPECT_EQ(Add(text), 0U);
}

TEST_F(PackEntryPreparerTest, SmallObjectsStayWholeAndAreNoBases) {
  Begin(ObjectType::kBlob, Resemblance::kSome);
  EXPECT_EQ(Add(Bytes()), 0U);
  EXPECT_EQ(Add(Bytes(49, 'x'), 1), 0U);
  EXPECT_EQ(Add(Bytes(49, 'x'), 1), 0U);
  const Bytes text = ToBytes(RandomBytes(7, 500));
  EXPECT_EQ(Add(text, 1), 0U);
  EXPECT_EQ(Add(Bytes(), 1), 0U);
  EXPECT_EQ(Add(text, 2), 2U) << "distances count what is not planned";
}

TEST_F(PackEntryPreparerTest, HugeObjectsStayWhole) {
  Begin(ObjectType::kBlob, Resemblance::kSome);
  const Bytes huge((size_t{64} << 20) + 1, 'x');
  EXPECT_EQ(Add(huge), 0U);
  EXPECT_EQ(Add(huge, 1), 0U);
}

TEST_F(PackEntryPreparerTest, RunsHaveNothingInCommon) {
  Random random(8);
  const Bytes text = RandomText(random, 1000);
  Begin(ObjectType::kBlob, Resemblance::kSome);
  Add(text);
  Begin(ObjectType::kBlob, Resemblance::kSome);
  EXPECT_EQ(Add(text), 0U);
  EXPECT_EQ(Add(text), 1U);
}

}  // namespace
}  // namespace zpack
