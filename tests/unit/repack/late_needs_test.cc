// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/late_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/matchers.h"
#include "support/memory_source.h"

namespace zpack {
namespace {

using ::testing::IsEmpty;
using testing::IsOk;
using testing::MemorySource;
using testing::SampleHistory;
using ::testing::UnorderedElementsAre;

ObjectIdTable Table(const std::vector<ObjectId>& ids) {
  Bytes bytes;
  for (const ObjectId& id : ids) Append(bytes, id.bytes());
  return *ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(bytes));
}

class LateNeedsTest : public ::testing::Test {
 protected:
  LateNeedsTest() : source_(SampleHistory(5)) {
    std::vector<ObjectId> ids;
    for (const auto& [id, object] : source_.objects()) ids.push_back(id);
    known_ = Table(ids);
    blob_ = source_.AddBlob("unreachable");
    subtree_ = source_.AddTree({{"100644", "file", blob_}});
    tree_ = source_.AddTree({{"40000", "dir", subtree_}});
    commit_ = source_.AddCommit(tree_, {}, 5, "unreachable\n");
    tag_ = source_.AddTag(commit_, ObjectType::kCommit, "unreachable");
  }

  Result<LateNeeds> Find(const std::vector<ObjectId>& doomed) {
    return FindLateNeeds(*source_.Open(), known_, Table(doomed));
  }
  void PointRefAt(const ObjectId& id) {
    source_.AddRef({"refs/heads/new", id, {}, ""});
  }
  std::vector<ObjectId> All() const {
    return {blob_, subtree_, tree_, commit_, tag_};
  }

  MemorySource source_;
  ObjectIdTable known_;
  ObjectId blob_, subtree_, tree_, commit_, tag_;
};

TEST_F(LateNeedsTest, NothingIsNeededWhenNothingChanged) {
  const auto needed = Find(All());
  ASSERT_THAT(needed, IsOk());
  EXPECT_FALSE(needed->doomed);
  EXPECT_THAT(needed->missing, IsEmpty());
}

TEST_F(LateNeedsTest, RefToADoomedObject) {
  for (const ObjectId& id : All()) {
    MemorySource before = source_;
    PointRefAt(id);
    const auto needed = Find(All());
    ASSERT_THAT(needed, IsOk());
    ASSERT_TRUE(needed->doomed);
    EXPECT_EQ(*needed->doomed, id);
    source_ = before;
  }
}

TEST_F(LateNeedsTest, DoomedObjectBehindNewOnes) {
  // The ref names a tag that is new; what it leads to is at the end only.
  PointRefAt(tag_);
  const auto needed = Find({blob_});
  ASSERT_THAT(needed, IsOk());
  ASSERT_TRUE(needed->doomed);
  EXPECT_EQ(*needed->doomed, blob_);
}

TEST_F(LateNeedsTest, ParentOfANewCommit) {
  PointRefAt(source_.AddCommit(source_.AddTree({}), {commit_}, 6, "new\n"));
  const auto needed = Find({commit_});
  ASSERT_THAT(needed, IsOk());
  ASSERT_TRUE(needed->doomed);
  EXPECT_EQ(*needed->doomed, commit_);
}

TEST_F(LateNeedsTest, ReflogOrIndexNamesADoomedObject) {
  source_.other_tips = {tree_};
  const auto needed = Find({subtree_});
  ASSERT_THAT(needed, IsOk());
  ASSERT_TRUE(needed->doomed);
  EXPECT_EQ(*needed->doomed, subtree_);
}

TEST_F(LateNeedsTest, DetachedHeadNamesADoomedObject) {
  source_.refs.head_symref = "";
  source_.refs.head_target = commit_;
  const auto needed = Find({blob_});
  ASSERT_THAT(needed, IsOk());
  EXPECT_TRUE(needed->doomed);
}

TEST_F(LateNeedsTest, NewObjectsThatNeedNothingDoomedAreFine) {
  const ObjectId old = source_.refs.refs.front().target;
  PointRefAt(source_.AddCommit(
      source_.AddTree({{"100644", "new", source_.AddBlob("new")}}), {old}, 6,
      "new\n"));
  const auto needed = Find(All());
  ASSERT_THAT(needed, IsOk());
  EXPECT_FALSE(needed->doomed);
  EXPECT_THAT(needed->missing, IsEmpty());
}

TEST_F(LateNeedsTest, SubmoduleEntriesAreNotNeeded) {
  PointRefAt(source_.AddTree({{"160000", "sub", commit_}}));
  const auto needed = Find({commit_});
  ASSERT_THAT(needed, IsOk());
  EXPECT_FALSE(needed->doomed);
  EXPECT_THAT(needed->missing, IsEmpty());
}

TEST_F(LateNeedsTest, MissingObjectsAreNamed) {
  const ObjectId gone = source_.AddBlob("gone");
  const ObjectId parent = source_.AddCommit(tree_, {}, 1, "parent\n");
  const ObjectId child = source_.AddCommit(subtree_, {parent}, 2, "child\n");
  source_.Remove(gone);
  source_.Remove(parent);
  source_.other_tips = {gone, child};
  const auto needed = Find({commit_});
  ASSERT_THAT(needed, IsOk());
  EXPECT_FALSE(needed->doomed);
  EXPECT_THAT(needed->missing, UnorderedElementsAre(gone, parent));
  // Its parents are beyond the boundary.
  source_.refs.shallow = {child};
  EXPECT_THAT(Find({commit_})->missing, UnorderedElementsAre(gone));
  EXPECT_EQ(Find({tree_, subtree_})->doomed, subtree_);
}

TEST_F(LateNeedsTest, EmptyTreeIsNeverMissing) {
  const ObjectId empty = source_.AddTree({});
  PointRefAt(source_.AddCommit(empty, {}, 6, "empty\n"));
  source_.Remove(empty);
  const auto needed = Find(All());
  ASSERT_THAT(needed, IsOk());
  EXPECT_THAT(needed->missing, IsEmpty());
}

TEST_F(LateNeedsTest, ObjectsOfAnyShapeDoNotCrash) {
  for (const ObjectType type : kAllObjectTypes) {
    for (const char* content : {"", "tree", "tree 123\n", "object \n\0", "x"}) {
      source_.other_tips.push_back(source_.Add(type, content));
    }
  }
  EXPECT_THAT(Find(All()), IsOk());
}

}  // namespace
}  // namespace zpack
