// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/object_enumerator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "object/object_links.h"
#include "support/memory_source.h"

namespace zpack {
namespace {

using testing::MemorySource;
using testing::SampleHistory;

Result<ObjectList> Enumerate(MemorySource& source,
                             EnumerationScope scope = ObjectSet::kAll) {
  return EnumerateObjects(*source.Open(), source.refs, scope, RunOptions{});
}

// What 'repack' asks for.
constexpr EnumerationScope kAsGitRepacks{
    ObjectSet::kReachable, AllowPromised::kNo, MissingBelow::kOfAllTips};

TEST(EnumerateObjects, SeesEveryObjectWithTypeAndSize) {
  MemorySource source = SampleHistory(5);
  const ObjectId stray = source.AddBlob("reached by nothing");
  const auto list = Enumerate(source);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->ids.size(), source.objects().size());
  for (const ListRank rank : list->ids.ranks()) {
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
  EXPECT_NE(list.error().message.find("--allow-promised"), std::string::npos);
}

constexpr EnumerationScope kWithPromised(ObjectSet::kAll, AllowPromised::kYes);

TEST(EnumerateObjects, ListsMissingObjectsThatArePromised) {
  MemorySource source = SampleHistory(5);
  source.promisor_remotes = {{"origin", "", ""}};
  std::set<ObjectId> removed;
  for (const auto& [id, object] : source.objects()) {
    if (object.type == ObjectType::kBlob) removed.insert(id);
  }
  for (const ObjectId& id : removed) source.Remove(id);
  EXPECT_FALSE(Enumerate(source));
  const auto list = Enumerate(source, kWithPromised);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->promised.size(), removed.size());
  uint32_t rank = 0;
  for (const ObjectId& id : removed) EXPECT_EQ(list->promised[rank++], id);
}

TEST(EnumerateObjects, OnlyObjectsOfAPromisorPromise) {
  MemorySource source;
  const ObjectId blob = source.AddBlob("x");
  const ObjectId tree = source.AddTree({{"100644", "f", blob}});
  const ObjectId commit = source.AddCommit(tree, {}, 1, "one\n");
  source.AddRef({"refs/heads/main", commit, {}, ""});
  source.promisor_remotes = {{"origin", "", ""}};
  source.Remove(blob);
  EXPECT_TRUE(Enumerate(source, kWithPromised));
  source.own = {tree};
  const auto list = Enumerate(source, kWithPromised);
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().code, ErrorCode::kSourceCorrupt);
  EXPECT_NE(list.error().message.find("1 object is missing and not promised"),
            std::string::npos)
      << list.error().message;
  // Another tree with the same blob promises it.
  source.AddTree({{"100644", "g", blob}});
  EXPECT_TRUE(Enumerate(source, kWithPromised));
}

TEST(EnumerateObjects, CommitsAndTagsPromiseWhatTheyNeed) {
  MemorySource source = SampleHistory(0);
  const ObjectId tree = source.AddTree({});
  const ObjectId parent = source.AddCommit(tree, {}, 1, "one\n");
  const ObjectId commit = source.AddCommit(tree, {parent}, 2, "two\n");
  const ObjectId target = source.AddBlob("tagged");
  const ObjectId tag = source.AddTag(target, ObjectType::kBlob, "t");
  source.AddRef({"refs/heads/main", commit, {}, ""});
  source.AddRef({"refs/tags/t", tag, {}, ""});
  source.promisor_remotes = {{"origin", "", ""}};
  source.Remove(parent);
  source.Remove(target);
  const auto list = Enumerate(source, kWithPromised);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->promised.size(), 2U);
}

TEST(EnumerateObjects, ReflogsMayNeedWhatIsPromised) {
  MemorySource source = SampleHistory(3);
  const ObjectId blob = source.AddBlob("x");
  const ObjectId tree = source.AddTree({{"100644", "f", blob}});
  const ObjectId lost = source.AddBlob("y");
  const ObjectId own = source.AddTree({{"100644", "f", lost}});
  source.other_tips = {source.AddCommit(tree, {}, 1, "a\n"),
                       source.AddCommit(own, {}, 1, "b\n")};
  source.promisor_remotes = {{"origin", "", ""}};
  source.own = {own};
  source.Remove(blob);
  source.Remove(lost);
  const auto list = Enumerate(source, kWithPromised);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->promised.size(), 1U);
  EXPECT_EQ(list->promised[0], blob);
}

TEST(EnumerateObjects, ToleratesReflogsThatNameWhatIsGone) {
  MemorySource source = SampleHistory(3);
  const ObjectId gone = *ObjectId::FromHex(std::string(40, '9'));
  source.other_tips = {gone};
  EXPECT_TRUE(Enumerate(source));
  const auto list = Enumerate(source, kAsGitRepacks);
  ASSERT_TRUE(list) << list.error().message;
  ASSERT_EQ(list->lost.size(), 1U);
  EXPECT_EQ(list->lost[0].id, gone);
  EXPECT_EQ(list->lost[0].root, "tips");
}

// A commit whose parent, whose tree, or which itself is missing.
TEST(EnumerateObjects, OtherTipsFollowTheRulesOfGit) {
  for (const TipRule rule :
       {TipRule::kRequired, TipRule::kLogged, TipRule::kExtra}) {
    for (int missing = 0; missing < 3; ++missing) {
      MemorySource source = SampleHistory(3);
      const ObjectId blob = source.AddBlob("kept");
      const ObjectId tree = source.AddTree({{"100644", "f", blob}});
      const ObjectId parent = source.AddCommit(tree, {}, 1, "parent\n");
      const ObjectId tip = source.AddCommit(tree, {parent}, 2, "tip\n");
      const ObjectId gone = missing == 0 ? tip : missing == 1 ? parent : tree;
      source.Remove(gone);
      source.other_tips = {tip};
      source.other_rule = rule;
      EXPECT_TRUE(Enumerate(source));
      const auto list = Enumerate(source, kAsGitRepacks);
      const bool accepts =
          rule == TipRule::kExtra || (rule == TipRule::kLogged && gone == tip);
      ASSERT_EQ(list.has_value(), accepts) << missing;
      if (list) {
        ASSERT_EQ(list->lost.size(), 1U);
        EXPECT_EQ(list->lost[0].id, gone);
        EXPECT_EQ(list->lost[0].root, "tips");
      } else {
        EXPECT_EQ(list.error().code, ErrorCode::kSourceCorrupt);
        EXPECT_NE(list.error().message.find(gone.ToHex()), std::string::npos);
        EXPECT_NE(list.error().message.find(
                      missing == 0   ? "'tips' needs"
                      : missing == 1 ? "a parent of commit " + tip.ToHex()
                                     : "the tree of commit " + tip.ToHex()),
                  std::string::npos)
            << list.error().message;
      }
    }
  }
}

// What a ref or a rule of Git requires is an error, even if others need it,
// too.
TEST(EnumerateObjects, WhatARefNeedsIsRequired) {
  MemorySource source = SampleHistory(3);
  const ObjectId gone = *ObjectId::FromHex(std::string(40, '9'));
  source.AddRef({"refs/heads/broken", gone, {}, ""});
  source.other_tips = {gone};
  source.other_rule = TipRule::kExtra;
  const auto list = Enumerate(source, kAsGitRepacks);
  ASSERT_FALSE(list);
  EXPECT_NE(list.error().message.find("; ref 'refs/heads/broken' needs "),
            std::string::npos)
      << list.error().message;
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

// The walk as it is defined: commits by time, newest first, some of them at a
// time, followed by what is new in their trees, level by level. By id, the
// position and the path.
class PlainWalk {
 public:
  explicit PlainWalk(const MemorySource& source) : source_(source) {
    constexpr int kTogether = 16;
    for (const Ref& ref : source.refs.refs) AddCommit(ref.target);
    while (!commits_.empty()) {
      std::vector<ObjectId> roots;
      for (int i = 0; i < kTogether && !commits_.empty(); ++i) {
        const auto [time, id] = *commits_.begin();
        commits_.erase(commits_.begin());
        const CommitLinks links = ParseCommitLinks(
            AsBytes(source_.objects().at(id).content), ObjectFormat::kSha1);
        roots.push_back(links.tree);
        for (const ObjectId& parent : links.parents) AddCommit(parent);
      }
      WalkTrees(roots);
    }
  }

  using Place = std::pair<size_t, std::string>;
  const std::map<ObjectId, Place>& places() const { return places_; }

 private:
  bool Visit(const ObjectId& id, const std::string& path) {
    return places_.try_emplace(id, places_.size(), path).second;
  }
  void AddCommit(const ObjectId& id) {
    const std::string& content = source_.objects().at(id).content;
    if (Visit(id, "")) {
      commits_.emplace(-int64_t(ParseCommitTime(AsBytes(content))), id);
    }
  }
  void WalkTrees(const std::vector<ObjectId>& roots) {
    std::queue<ObjectId> pending;
    for (const ObjectId& root : roots) {
      if (Visit(root, "")) pending.push(root);
    }
    for (; !pending.empty(); pending.pop()) {
      const ObjectId id = pending.front();
      const std::string directory = places_.at(id).second;
      TreeIterator entries(AsBytes(source_.objects().at(id).content),
                           ObjectFormat::kSha1);
      TreeEntry entry;
      while (entries.Next(entry)) {
        const ObjectId child(entry.id);
        const std::string name(entry.name);
        if (Visit(child, directory.empty() ? name : directory + '/' + name) &&
            entry.is_tree()) {
          pending.push(child);
        }
      }
    }
  }

  const MemorySource& source_;
  std::set<std::pair<int64_t, ObjectId>> commits_;
  std::map<ObjectId, Place> places_;
};

// The element that so many were added after, or the first.
template <typename T>
const T& LastBut(size_t age, const std::vector<T>& elements) {
  return elements[elements.size() - 1 - std::min(age, elements.size() - 1)];
}

// A history whose trees and files are found again in other places, with merges
// and with times that say little. Deterministic.
MemorySource TangledHistory(unsigned seed, int commits) {
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  MemorySource source;
  std::vector<ObjectId> known_commits;
  std::vector<ObjectId> trees;
  std::vector<int> depths;  // of `trees`
  std::vector<ObjectId> blobs;
  const auto add_tree = [&] {
    std::vector<MemorySource::Entry> entries;
    int depth = 1;
    for (const char* const name : {"a", "b", "c", "d", "e"}) {
      // Mostly one of those that were made last.
      const size_t age = below(40) == 0 ? below(500) : below(6);
      if (below(3) == 0) {
        entries.push_back({"100644", name, LastBut(age, blobs)});
      } else if (below(2) == 0 && !trees.empty() && LastBut(age, depths) < 6) {
        entries.push_back({"40000", name, LastBut(age, trees)});
        depth = std::max(depth, 1 + LastBut(age, depths));
      }
    }
    trees.push_back(source.AddTree(entries));
    depths.push_back(depth);
  };
  for (int i = 0; i < commits; ++i) {
    blobs.push_back(source.AddBlob(std::to_string(below(5000))));
    for (size_t more = below(3); more > 0; --more) add_tree();
    if (trees.empty()) add_tree();
    std::vector<ObjectId> parents;
    if (!known_commits.empty()) parents.push_back(known_commits.back());
    if (i > 10 && below(5) == 0) parents.push_back(known_commits[below(i)]);
    known_commits.push_back(source.AddCommit(
        LastBut(below(3), trees), parents,
        1000 + static_cast<uint64_t>(i / 7) + below(9), std::to_string(i)));
  }
  source.AddRef({"refs/heads/main", known_commits.back(), {}, ""});
  source.AddRef({"refs/heads/older", known_commits[below(commits)], {}, ""});
  return source;
}

void ExpectPlainWalk(MemorySource& source) {
  const PlainWalk walk(source);
  for (const unsigned threads : {1U, 2U, 3U}) {
    RunOptions run;
    run.threads = threads;
    const auto list = EnumerateObjects(*source.Open(), source.refs,
                                       ObjectSet::kReachable, run);
    ASSERT_TRUE(list) << list.error().message;
    ASSERT_EQ(list->ids.size(), walk.places().size());
    for (const ListRank rank : list->ids.ranks()) {
      const PlainWalk::Place place(
          list->visits[rank].value(),
          list->path_table.FullPath(list->paths[rank]));
      ASSERT_EQ(place, walk.places().at(list->ids[rank])) << rank.value();
    }
  }
}

// Enough commits for several slices of history.
TEST(EnumerateObjects, SlicesGiveTheWalkOfOneThread) {
  MemorySource source = SampleHistory(4000);
  // Tags and HEAD are walked first, which PlainWalk does not know.
  std::erase_if(source.refs.refs, [&](const Ref& ref) {
    return ref.symbolic() ||
           source.objects().at(ref.target).type != ObjectType::kCommit;
  });
  source.refs.head_target = {};
  ExpectPlainWalk(source);
}

TEST(EnumerateObjects, SharedTreesAreMetWhereOneThreadMeetsThem) {
  for (const unsigned seed : {1U, 2U}) {
    SCOPED_TRACE(seed);
    MemorySource source = TangledHistory(seed, 3000);
    ExpectPlainWalk(source);
    if (HasFatalFailure()) return;
  }
}

TEST(EnumerateObjects, WalksATreeThatWasCalledAFileBefore) {
  MemorySource source;
  source.refs.head_symref = "refs/heads/main";
  const ObjectId blob = source.AddBlob("in the directory");
  const ObjectId tree = source.AddTree({{"100644", "f", blob}});
  const ObjectId older = source.AddCommit(
      source.AddTree({{"40000", "directory", tree}}), {}, 1, "older\n");
  const ObjectId newer = source.AddCommit(
      source.AddTree({{"100644", "odd", tree}}), {older}, 2, "newer\n");
  source.AddRef({"refs/heads/main", newer, {}, ""});
  const auto list = Enumerate(source, ObjectSet::kReachable);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->ids.size(), source.objects().size());
}

}  // namespace
}  // namespace zpack
