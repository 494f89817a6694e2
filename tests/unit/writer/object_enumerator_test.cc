// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/object_enumerator.h"

#include <gtest/gtest.h>

#include "support/memory_source.h"

namespace zpack {
namespace {

using testing::MemorySource;
using testing::SampleHistory;

Result<ObjectList> Enumerate(MemorySource& source,
                             ObjectSet set = ObjectSet::kAll) {
  return EnumerateObjects(*source.Open(), source.refs, set, RunOptions{});
}

TEST(EnumerateObjects, SeesEveryObjectWithTypeAndSize) {
  MemorySource source = SampleHistory(5);
  const ObjectId stray = source.AddBlob("reached by nothing");
  const auto list = Enumerate(source);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->ids.size(), source.objects().size());
  for (uint32_t rank = 0; rank < list->ids.size(); ++rank) {
    const auto& object = source.objects().at(list->ids[rank]);
    EXPECT_EQ(list->types[rank], object.type);
    EXPECT_EQ(list->sizes[rank], object.content.size());
    EXPECT_EQ(list->reached(rank), list->ids[rank] != stray);
  }
}

TEST(EnumerateObjects, KeepsOnlyWhatIsReachableWhenAsked) {
  MemorySource source = SampleHistory(5);
  const ObjectId stray = source.AddBlob("reached by nothing");
  const ObjectId logged = source.AddBlob("reached by a reflog");
  source.other_tips = {logged};
  const auto list = Enumerate(source, ObjectSet::kReachable);
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->ids.Find(stray));
  EXPECT_TRUE(list->ids.Find(logged));
  EXPECT_EQ(list->ids.size(), source.objects().size() - 1);
}

TEST(EnumerateObjects, CountsAndNamesWhatIsMissing) {
  MemorySource source = SampleHistory(3);
  std::vector<ObjectId> removed;
  for (const auto& [id, object] : source.objects()) {
    if (object.type == ObjectType::kBlob) removed.push_back(id);
  }
  for (const ObjectId& id : removed) source.Remove(id);
  const auto list = Enumerate(source);
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::kSourceCorrupt);
  EXPECT_NE(list.error().message.find(std::to_string(removed.size()) +
                                      " objects are missing"),
            std::string::npos)
      << list.error().message;
  EXPECT_NE(list.error().message.find(removed[0].ToHex()), std::string::npos);
}

TEST(EnumerateObjects, SaysThatAPartialCloneIsOne) {
  MemorySource source = SampleHistory(3);
  source.partial_clone = true;
  source.Remove(source.refs.Resolve("HEAD"));
  const auto list = Enumerate(source);
  ASSERT_FALSE(list);
  EXPECT_NE(list.error().message.find("partial clone"), std::string::npos);
}

TEST(EnumerateObjects, ToleratesReflogsThatNameWhatIsGone) {
  MemorySource source = SampleHistory(3);
  source.other_tips = {*ObjectId::FromHex(std::string(40, '9'))};
  EXPECT_TRUE(Enumerate(source));
}

TEST(EnumerateObjects, StopsAtShallowBoundaries) {
  MemorySource source = SampleHistory(0);
  const ObjectId tree = source.AddTree({});
  const ObjectId absent = *ObjectId::FromHex(std::string(40, '9'));
  const ObjectId commit = source.AddCommit(tree, {absent}, 1, "boundary\n");
  source.AddRef({"refs/heads/main", commit, {}, ""});
  EXPECT_FALSE(Enumerate(source));
  source.refs.shallow = {commit};
  EXPECT_TRUE(Enumerate(source));
}

TEST(EnumerateObjects, KnowsTheEmptyTreeWithoutIt) {
  MemorySource source = SampleHistory(0);
  const ObjectId tree = source.AddTree({});
  const ObjectId commit = source.AddCommit(tree, {}, 1, "empty\n");
  source.AddRef({"refs/heads/main", commit, {}, ""});
  source.Remove(tree);
  EXPECT_TRUE(Enumerate(source));
}

TEST(EnumerateObjects, DoesNotFollowGitlinks) {
  MemorySource source = SampleHistory(0);
  const ObjectId elsewhere = *ObjectId::FromHex(std::string(40, '9'));
  const ObjectId tree = source.AddTree({{"160000", "module", elsewhere}});
  const ObjectId commit = source.AddCommit(tree, {}, 1, "submodule\n");
  source.AddRef({"refs/heads/main", commit, {}, ""});
  EXPECT_TRUE(Enumerate(source));
}

TEST(EnumerateObjects, FollowsChainsOfTagsAndTagsOfTreesAndBlobs) {
  MemorySource source;
  source.refs.head_symref = "refs/heads/main";
  const ObjectId blob = source.AddBlob("tagged");
  const ObjectId tree = source.AddTree({{"100644", "f", blob}});
  const ObjectId inner = source.AddTag(tree, ObjectType::kTree, "inner");
  const ObjectId outer = source.AddTag(inner, ObjectType::kTag, "outer");
  source.AddRef({"refs/tags/outer", outer, tree, ""});
  const auto list = Enumerate(source, ObjectSet::kReachable);
  ASSERT_TRUE(list);
  EXPECT_EQ(list->ids.size(), 4U);
  source.Remove(blob);
  EXPECT_FALSE(Enumerate(source));
}

}  // namespace
}  // namespace zpack
