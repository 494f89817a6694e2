// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/older_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inventory/object_enumerator.h"
#include "support/matchers.h"
#include "support/memory_source.h"

namespace zpack {
namespace {

using testing::IsOk;
using testing::MemorySource;

// A source in which commits are made one after the other.
class OlderVersionsTest : public ::testing::Test {
 protected:
  ObjectId Commit(const ObjectId& tree, const std::vector<ObjectId>& parents) {
    return source_.AddCommit(tree, parents, time_++, "c\n");
  }
  // A tree with the file `a`, and a directory `d` with the file `b`.
  ObjectId Tree(const std::string& a, const std::string& b) {
    const ObjectId d = source_.AddTree({{"100644", "b", source_.AddBlob(b)}});
    return source_.AddTree(
        {{"100644", "a", source_.AddBlob(a)}, {"40000", "d", d}});
  }
  // All objects so far are known from here on.
  void Know() {
    Bytes ids;
    for (const auto& [id, object] : source_.objects()) Append(ids, id.bytes());
    known_ = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
  }

  // What stood in the place of an object; nothing if that is not known.
  std::optional<ObjectId> Older(const ObjectId& tip, const ObjectId& object) {
    source_.refs = {};
    source_.refs.head_symref = "refs/heads/main";
    source_.AddRef({"refs/heads/main", tip, {}, ""});
    const auto opened = source_.Open();
    const auto added =
        EnumerateAddedObjects(*opened, source_.refs, ObjectSet::kAll,
                              {known_, FileMarks(known_.size())}, RunOptions{});
    EXPECT_THAT(added, IsOk());
    const auto rank = added->list.ids.Find(object);
    if (!rank) return std::nullopt;
    const auto all = FindOlderVersions(*opened, added->list, known_, {});
    EXPECT_THAT(all, IsOk());
    const auto older = all->find(*rank);
    if (older == all->end()) return std::nullopt;
    EXPECT_EQ(older->second.type, added->list.types[*rank]);
    return older->second.id;
  }
  ObjectId Blob(const std::string& text) { return source_.AddBlob(text); }

  MemorySource source_;
  FileIds known_{*ObjectIdTable::FromSorted(ObjectFormat::kSha1, {})};
  uint64_t time_ = 1000;
};

TEST_F(OlderVersionsTest, AreWhatTheNearestKnownCommitHas) {
  const ObjectId old_tree = Tree("a0", "b0");
  const ObjectId old_commit = Commit(old_tree, {});
  Know();
  const ObjectId tree1 = Tree("a1", "b0");
  const ObjectId commit1 = Commit(tree1, {old_commit});
  // Only here does b change, whose old version no new tree has.
  const ObjectId tree2 = Tree("a1", "b2");
  const ObjectId tip = Commit(tree2, {commit1});
  EXPECT_EQ(Older(tip, Blob("a1")), Blob("a0"));
  EXPECT_EQ(Older(tip, Blob("b2")), Blob("b0"));
  EXPECT_EQ(Older(tip, tree1), old_tree);
  EXPECT_EQ(Older(tip, tree2), old_tree);
  EXPECT_EQ(Older(tip, commit1), std::nullopt);
}

TEST_F(OlderVersionsTest, EachBranchHasItsOwn) {
  const ObjectId root = Commit(Tree("a0", "b0"), {});
  const ObjectId other = Commit(Tree("a1", "b0"), {root});
  Know();
  const ObjectId of_root = Commit(Tree("a2", "b0"), {root});
  const ObjectId of_other = Commit(Tree("a3", "b0"), {other});
  const ObjectId tip = Commit(Tree("a4", "b0"), {of_root, of_other});
  EXPECT_EQ(Older(tip, Blob("a2")), Blob("a0"));
  EXPECT_EQ(Older(tip, Blob("a3")), Blob("a1"));
  EXPECT_EQ(Older(tip, Blob("a4")), Blob("a0"));
}

TEST_F(OlderVersionsTest, ClocksMayBeWrong) {
  const ObjectId root = Commit(Tree("a0", "b0"), {});
  Know();
  // The children seem to be older than their parents.
  std::vector<ObjectId> tip = {root};
  for (int i = 1; i < 20; ++i) {
    time_ = 900 - static_cast<uint64_t>(i);
    tip = {Commit(Tree("a" + std::to_string(i), "b0"), tip)};
  }
  for (int i = 1; i < 20; ++i) {
    EXPECT_EQ(Older(tip[0], Blob("a" + std::to_string(i))), Blob("a0")) << i;
  }
}

TEST_F(OlderVersionsTest, AreNotOfAnotherKind) {
  const ObjectId root = Commit(Tree("a0", "b0"), {});
  Know();
  // `a` becomes a directory, `d` a file, and `e` was not there.
  const ObjectId a = source_.AddTree({{"100644", "x", Blob("x1")}});
  const ObjectId tree = source_.AddTree({{"40000", "a", a},
                                         {"100644", "d", Blob("d1")},
                                         {"100644", "e", Blob("e1")},
                                         {"160000", "f", root}});
  const ObjectId tip = Commit(tree, {root});
  for (const ObjectId& id : {a, Blob("x1"), Blob("d1"), Blob("e1")}) {
    EXPECT_EQ(Older(tip, id), std::nullopt) << id.ToHex();
  }
}

TEST_F(OlderVersionsTest, AHistoryWithoutKnownCommitsHasNone) {
  Know();
  const ObjectId tip = Commit(Tree("a1", "b1"), {Commit(Tree("a0", "b0"), {})});
  EXPECT_EQ(Older(tip, Blob("a1")), std::nullopt);
}

}  // namespace
}  // namespace zpack
