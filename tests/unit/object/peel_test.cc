// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/peel.h"

#include <gtest/gtest.h>

#include <map>

#include "object/object_hasher.h"

namespace zpack {
namespace {

ObjectId Id(int number) {
  return ObjectHasher(ObjectFormat::kSha1)
      .Hash(ObjectType::kBlob, AsBytes(std::to_string(number)));
}

// Tags are those that have a target.
class TagPeelerTest : public ::testing::Test {
 protected:
  TagPeelerTest()
      : peeler_(ObjectFormat::kSha1,
                {[this](const ObjectId& id) -> std::optional<ObjectType> {
                   if (targets_.contains(id)) return ObjectType::kTag;
                   if (id == commit_) return ObjectType::kCommit;
                   return std::nullopt;
                 },
                 [this](const ObjectId& id) {
                   ++reads_;
                   return targets_.at(id);
                 }}) {}

  // Tags `first` to `last`, each of which points at the one before.
  void Chain(int first, int last, const ObjectId& end) {
    targets_[Id(first)] = end;
    for (int i = first + 1; i <= last; ++i) targets_[Id(i)] = Id(i - 1);
  }

  ObjectId commit_ = Id(-1);
  std::map<ObjectId, ObjectId> targets_;
  int reads_ = 0;
  TagPeeler peeler_;
};

TEST_F(TagPeelerTest, ChainsOfAnyLengthLeadToTheirEnd) {
  Chain(0, 20000, commit_);
  EXPECT_EQ(peeler_.Peel(Id(0)), commit_);
  EXPECT_EQ(peeler_.Peel(Id(63)), commit_);
  EXPECT_EQ(peeler_.Peel(Id(64)), commit_);
  EXPECT_EQ(peeler_.Peel(Id(20000)), commit_);
}

TEST_F(TagPeelerTest, WhatIsNoTagIsNotPeeled) {
  EXPECT_TRUE(peeler_.Peel(commit_).empty());
  EXPECT_TRUE(peeler_.Peel(Id(1)).empty());
}

TEST_F(TagPeelerTest, BrokenChainsLeadNowhere) {
  Chain(0, 9, Id(100));
  Chain(10, 19, ObjectId());
  EXPECT_TRUE(peeler_.Peel(Id(9)).empty());
  EXPECT_TRUE(peeler_.Peel(Id(19)).empty());
}

TEST_F(TagPeelerTest, CirclesLeadNowhere) {
  targets_[Id(0)] = Id(0);
  Chain(1, 9, Id(9));
  Chain(10, 19, Id(5));
  EXPECT_TRUE(peeler_.Peel(Id(0)).empty());
  EXPECT_TRUE(peeler_.Peel(Id(9)).empty());
  EXPECT_TRUE(peeler_.Peel(Id(4)).empty());
  EXPECT_TRUE(peeler_.Peel(Id(19)).empty());
}

TEST_F(TagPeelerTest, EachTagIsReadOnce) {
  Chain(0, 999, commit_);
  for (int i = 999; i >= 0; --i) EXPECT_EQ(peeler_.Peel(Id(i)), commit_);
  EXPECT_EQ(reads_, 1000);
}

TEST_F(TagPeelerTest, TheEmptyTreeNeedNotBeThere) {
  const ObjectId empty_tree =
      ObjectHasher(ObjectFormat::kSha1).Hash(ObjectType::kTree, ByteView());
  Chain(0, 1, empty_tree);
  EXPECT_EQ(peeler_.Peel(Id(1)), empty_tree);
}

}  // namespace
}  // namespace zpack
