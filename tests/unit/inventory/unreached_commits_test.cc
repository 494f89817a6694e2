// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where EnumerateObjects meets what only commits reach that nothing reaches.

#include <gtest/gtest.h>

#include <set>

#include "inventory/object_enumerator.h"
#include "support/failing_source.h"
#include "support/memory_source.h"

namespace zpack {
namespace {

using testing::MemorySource;
using testing::SampleHistory;

Result<ObjectList> EnumerateAll(MemorySource& source) {
  return EnumerateObjects(*source.Open(), source.refs, ObjectSet::kAll,
                          RunOptions{});
}

// Two commits that nothing reaches, on top of the history.
struct WithUnreached {
  MemorySource source = SampleHistory(5);
  std::set<ObjectId> reached;
  ObjectId older_blob;
  ObjectId blob;
  ObjectId tree;
  std::set<ObjectId> ids;

  WithUnreached() {
    for (const auto& [id, object] : source.objects()) reached.insert(id);
    blob = source.AddBlob("in the second");
    older_blob = source.AddBlob("in the first");
    const ObjectId first_tree =
        source.AddTree({{"100644", "stray.txt", older_blob}});
    const ObjectId first = source.AddCommit(
        first_tree, {source.refs.Resolve("HEAD")}, 2'000'000'000, "first\n");
    tree = source.AddTree(
        {{"40000", "directory", first_tree}, {"100644", "stray.txt", blob}});
    const ObjectId second =
        source.AddCommit(tree, {first}, 2'000'000'001, "second\n");
    ids = {blob, older_blob, first_tree, first, tree, second};
  }

  void ExpectMet(const ObjectList& list, bool all) const {
    for (const ListRank rank : list.ids.ranks()) {
      const ObjectId id = list.ids[rank];
      EXPECT_EQ(list.reached(rank), reached.contains(id)) << id.ToHex();
      EXPECT_EQ(list.met(rank), reached.contains(id) || all) << id.ToHex();
    }
  }
};

TEST(UnreachedCommits, ReachWhatHasAPath) {
  WithUnreached repository;
  ObjectId stray = repository.source.AddBlob("in no tree");
  const auto list = EnumerateAll(repository.source);
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->ids.size(), repository.source.objects().size());
  const ListRank lost = *list->ids.Find(stray);
  EXPECT_FALSE(list->met(lost));
  EXPECT_EQ(list->paths[lost], PathTable::kRoot);
  const ListRank blob = *list->ids.Find(repository.blob);
  EXPECT_EQ(list->path_table.FullPath(list->paths[blob]), "stray.txt");
  repository.source.Remove(stray);
  const auto without = EnumerateAll(repository.source);
  ASSERT_TRUE(without);
  repository.ExpectMet(*without, true);
  // Newest first, after everything that is reached.
  EXPECT_GE(list->visits[blob], list->reached_end);
  const ListRank older = *list->ids.Find(repository.older_blob);
  EXPECT_LT(list->visits[blob], list->visits[older]);
}

// Whatever their ids.
TEST(UnreachedCommits, AreMetNewestFirst) {
  WithUnreached repository;
  MemorySource& source = repository.source;
  std::vector<ObjectId> newest_first;
  ObjectId last = source.refs.Resolve("HEAD");
  for (uint64_t i = 0; i < 20; ++i) {
    last = source.AddCommit(repository.tree, {last}, 2'000'000'100 + i, "x\n");
    newest_first.insert(newest_first.begin(), last);
  }
  const auto list = EnumerateAll(source);
  ASSERT_TRUE(list) << list.error().message;
  VisitNumber before = list->visits[*list->ids.Find(newest_first[0])];
  for (const ObjectId& id : newest_first) {
    const VisitNumber visit = list->visits[*list->ids.Find(id)];
    EXPECT_LE(before, visit);
    before = visit;
  }
}

TEST(UnreachedCommits, DoNotChangeThePlaceOfOthers) {
  WithUnreached repository;
  const auto all = EnumerateAll(repository.source);
  ASSERT_TRUE(all);
  for (const ObjectId& id : repository.ids) repository.source.Remove(id);
  const auto reached = EnumerateAll(repository.source);
  ASSERT_TRUE(reached);
  EXPECT_EQ(all->reached_end, reached->reached_end);
  for (const ListRank rank : reached->ids.ranks()) {
    const ListRank same = *all->ids.Find(reached->ids[rank]);
    EXPECT_EQ(all->visits[same], reached->visits[rank]);
    EXPECT_EQ(all->path_table.FullPath(all->paths[same]),
              reached->path_table.FullPath(reached->paths[rank]));
  }
}

TEST(UnreachedCommits, MayLackWhatTheyNeed) {
  for (const bool lacks_tree : {false, true}) {
    WithUnreached repository;
    const ObjectId lost = lacks_tree ? repository.tree : repository.blob;
    repository.source.Remove(lost);
    const auto list = EnumerateAll(repository.source);
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_TRUE(list->missed.empty());
    for (const ListRank rank : list->ids.ranks()) {
      // Nothing else has a path to this blob.
      EXPECT_EQ(list->met(rank),
                !lacks_tree || list->ids[rank] != repository.blob);
    }
  }
}

// Wherever reading begins to fail, the list is that of all walks or has no walk
// of unreached commits; what a disk refuses is an error.
TEST(UnreachedCommits, MayBeUnreadable) {
  WithUnreached repository;
  RunOptions run;
  run.threads = 1;
  size_t without = 0;
  bool complete = false;
  for (int fail_at = 0; !complete; ++fail_at) {
    SCOPED_TRACE(fail_at);
    const auto enumerate = [&](ErrorCode code, int& calls) {
      testing::FailingSource source(repository.source.Open(), calls, fail_at,
                                    code);
      return EnumerateObjects(source, repository.source.refs, ObjectSet::kAll,
                              run);
    };
    int calls = 0;
    const auto list = enumerate(ErrorCode::kSourceCorrupt, calls);
    complete = calls <= fail_at;
    if (list) {
      repository.ExpectMet(*list, complete);
      if (!complete) ++without;
    }
    int calls_of_disk = 0;
    EXPECT_EQ(enumerate(ErrorCode::kIo, calls_of_disk).has_value(), complete);
  }
  EXPECT_GE(without, 4U);
}

}  // namespace
}  // namespace zpack
