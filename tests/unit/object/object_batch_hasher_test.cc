// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_batch_hasher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "object/object_hasher.h"
#include "support/repo_builder.h"

namespace zpack {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

class ObjectBatchHasherTest : public ::testing::TestWithParam<ObjectFormat> {
 protected:
  void Add(ObjectType type, size_t size) {
    const std::string content = testing::RandomBytes(size, size);
    expected_.push_back(single_.Hash(type, AsBytes(content)));
    batch_.Add(type, AsBytes(content));
  }
  void ExpectIds() {
    EXPECT_THAT(batch_.Finish(), ElementsAreArray(expected_));
    expected_.clear();
  }

  ObjectHasher single_{GetParam()};
  ObjectBatchHasher batch_{GetParam()};
  std::vector<ObjectId> expected_;
};

TEST_P(ObjectBatchHasherTest, GivesIdsInTheOrderOfTheObjects) {
  for (size_t size = 0; size < 300; ++size) Add(ObjectType::kBlob, size);
  for (const ObjectType type :
       {ObjectType::kCommit, ObjectType::kTree, ObjectType::kTag}) {
    Add(type, 1000);
  }
  ExpectIds();
}

// The longest message that is hashed side by side with others includes the
// header.
TEST_P(ObjectBatchHasherTest, TakesObjectsOfAnySizeTogether) {
  for (size_t size = (1 << 16) - 130; size < (1 << 16) + 10; size += 3) {
    Add(ObjectType::kBlob, size);
    Add(ObjectType::kTree, size % 97);
  }
  Add(ObjectType::kBlob, 3 << 20);
  ExpectIds();
}

TEST_P(ObjectBatchHasherTest, BeginsAnewAfterFinish) {
  EXPECT_THAT(batch_.Finish(), IsEmpty());
  Add(ObjectType::kBlob, 10);
  ExpectIds();
  EXPECT_THAT(batch_.Finish(), IsEmpty()) << "they were given already";
  Add(ObjectType::kBlob, 20);
  Add(ObjectType::kBlob, 200000);
  ExpectIds();
  EXPECT_THAT(batch_.Finish(), IsEmpty());
}

TEST_P(ObjectBatchHasherTest, IsFullBeforeItTakesMuchMemory) {
  const bool waits =
      BatchHasher::Create(HashAlgorithmOf(GetParam())) != nullptr;
  for (int i = 0; i < 20; ++i) Add(ObjectType::kBlob, 50000);
  EXPECT_EQ(batch_.full(), waits);
  ExpectIds();
  EXPECT_FALSE(batch_.full());
}

INSTANTIATE_TEST_SUITE_P(Formats, ObjectBatchHasherTest,
                         ::testing::Values(ObjectFormat::kSha1,
                                           ObjectFormat::kSha256));

}  // namespace
}  // namespace zpack
