// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/delta_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codec/inflate.h"
#include "inventory/object_enumerator.h"
#include "pack/pack_delta.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/memory_source.h"

namespace zpack {
namespace {

using testing::Edited;
using testing::HasCode;
using testing::IsOk;
using testing::MemorySource;
using testing::Random;
using testing::RandomText;

class DeltaSearchTest : public ::testing::Test {
 protected:
  DeltaSearchTest() {
    // Versions of one file, and something in a directory.
    Random random(3);
    Bytes text = RandomText(random, 6000);
    std::vector<ObjectId> parents;
    for (uint64_t i = 0; i < 40; ++i) {
      text = Edited(random, std::move(text), 2);
      const ObjectId sub = source_.AddTree(
          {{"100644", "small", source_.AddBlob(std::to_string(i))}});
      const ObjectId tree =
          source_.AddTree({{"40000", "dir", sub},
                           {"100644", "file", source_.AddBlob(AsText(text))}});
      parents = {source_.AddCommit(tree, parents, 1000 + i, "commit\n")};
    }
    source_.refs.head_symref = "refs/heads/main";
    source_.AddRef({"refs/heads/main", parents[0], {}, ""});
    source_.AddBlob("unreachable");
    list_ = *EnumerateObjects(*source_.Open(), source_.refs, ObjectSet::kAll,
                              RunOptions{});
    opened_ = source_.Open();
    lineages_ = *GroupLineages(*opened_, list_, UINT64_MAX, RunOptions{});
    undeltified_.resize(list_.path_table.size());
    reuse_ = PlanReuse(*opened_, list_, undeltified_,
                       {PackReuse::kNothing, 50, nullptr});
  }

  SearchInput Input() const {
    return {*opened_, list_, lineages_, undeltified_, reuse_, taking_part_};
  }

  void SetAllSizes(uint64_t size) {
    for (const ListRank rank : list_.ids.ranks()) list_.sizes.Set(rank, size);
  }

  SearchPlan MakePlan(const DeltaSearchOptions& options) {
    SearchPlan plan = PlanSearch(list_, lineages_, reuse_, options);
    taking_part_ = plan.taking_part;
    return plan;
  }
  std::vector<SearchStretch> Plan(const DeltaSearchOptions& options) {
    return MakePlan(options).stretches;
  }

  // Runs the search over all stretches; checks that every entry is what its
  // object is; returns the length of the chain of each rank.
  std::map<ListRank, unsigned> Search(const DeltaSearchOptions& options) {
    const ProgressPhase phase(nullptr, Phase::kCompressingObjects, 0, 0);
    DeltaSearch search(Input(), options, phase, {});
    std::map<ListRank, unsigned> depths;
    for (SearchStretch& stretch : Plan(options)) {
      EXPECT_THAT(search.Run(stretch, nullptr), IsOk());
      CheckStretch(stretch, depths);
    }
    return depths;
  }

  void CheckStretch(const SearchStretch& stretch,
                    std::map<ListRank, unsigned>& depths) {
    ASSERT_EQ(stretch.entries.size(), stretch.ranks.size());
    size_t at = 0;
    Inflater inflater;
    for (size_t i = 0; i < stretch.entries.size(); ++i) {
      const PlannedEntry& entry = stretch.entries[i];
      ASSERT_EQ(entry.rank, stretch.ranks[i]);
      Bytes raw(entry.raw_size);
      ASSERT_THAT(
          inflater.Inflate(
              ByteView(stretch.streams).subspan(at, entry.stored_size), raw),
          IsOk());
      at += entry.stored_size;
      Bytes content = raw;
      depths[entry.rank] = 0;
      if (entry.base != PlannedEntry::kNoBase) {
        // Bases come first.
        ASSERT_TRUE(depths.contains(entry.base));
        EXPECT_EQ(list_.types[entry.base], list_.types[entry.rank]);
        depths[entry.rank] = depths[entry.base] + 1;
        ASSERT_THAT(
            ApplyPackDelta(AsBytes(Content(entry.base)), raw, 1 << 20, content),
            IsOk());
      }
      EXPECT_EQ(AsText(content), Content(entry.rank));
    }
    EXPECT_EQ(at, stretch.streams.size());
  }

  std::string Content(ListRank rank) const {
    return source_.objects().at(list_.ids[rank]).content;
  }

  static unsigned Longest(const std::map<ListRank, unsigned>& depths) {
    unsigned longest = 0;
    for (const auto& [rank, depth] : depths) longest = std::max(longest, depth);
    return longest;
  }

  MemorySource source_;
  std::unique_ptr<ObjectSource> opened_;
  ObjectList list_;
  Lineages lineages_;
  IndexedVector<PathNumber, bool> undeltified_;
  ReusePlan reuse_;
  ListMarks taking_part_;
};

TEST_F(DeltaSearchTest, StretchesHaveEveryObjectOnceAndOneType) {
  std::set<ListRank> seen;
  for (const SearchStretch& stretch : Plan({})) {
    EXPECT_FALSE(stretch.ranks.empty());
    for (const ListRank rank : stretch.ranks) {
      EXPECT_EQ(list_.types[rank], stretch.type);
      EXPECT_TRUE(seen.insert(rank).second);
    }
  }
  EXPECT_EQ(seen.size(), list_.ids.size());
}

TEST_F(DeltaSearchTest, LargestOfAPathComesFirst) {
  for (const SearchStretch& stretch : Plan({})) {
    if (stretch.type == ObjectType::kCommit) continue;
    std::map<PathNumber, uint64_t> last;
    for (const ListRank rank : stretch.ranks) {
      if (!list_.reached(rank)) continue;
      const auto [at, first] =
          last.emplace(list_.paths[rank], list_.sizes[rank]);
      if (!first) {
        EXPECT_GE(at->second, list_.sizes[rank]);
        at->second = list_.sizes[rank];
      }
    }
  }
}

TEST_F(DeltaSearchTest, ObjectsAboveTheThresholdAreInNoStretch) {
  DeltaSearchOptions options;
  options.big_file_threshold = 200;
  std::set<ListRank> seen;
  for (const SearchStretch& stretch : Plan(options)) {
    seen.insert(stretch.ranks.begin(), stretch.ranks.end());
  }
  for (const ListRank rank : list_.ids.ranks()) {
    EXPECT_EQ(seen.contains(rank), list_.sizes[rank] <= 200);
  }
  options.big_file_threshold = 0;
  EXPECT_TRUE(Plan(options).empty());
}

// Versions of the file are larger than a window here.
TEST_F(DeltaSearchTest, LargeObjectsAreComparedOneAfterTheOther) {
  DeltaSearchOptions options;
  options.window_memory = 1000;
  options.large_memory = 100000;
  SearchPlan plan = MakePlan(options);
  ASSERT_EQ(plan.large.size(), 40U);
  const ProgressPhase phase(nullptr, Phase::kCompressingObjects, 0, 0);
  DeltaSearch search(Input(), LargeSearchOptions(options), phase, {});
  Inflater inflater;
  unsigned deltas = 0;
  for (SearchStretch& stretch : plan.large) {
    EXPECT_EQ(stretch.kind == StretchKind::kLarge,
              &stretch == &plan.large.front());
    ASSERT_THAT(search.Run(stretch, nullptr), IsOk());
    for (const PlannedEntry& entry : stretch.entries) {
      ++deltas;
      ASSERT_NE(entry.base, PlannedEntry::kNoBase);
      Bytes raw(entry.raw_size);
      ASSERT_THAT(inflater.Inflate(stretch.streams, raw), IsOk());
      Bytes content;
      ASSERT_THAT(
          ApplyPackDelta(AsBytes(Content(entry.base)), raw, 1 << 20, content),
          IsOk());
      EXPECT_EQ(AsText(content), Content(entry.rank));
    }
  }
  EXPECT_GE(deltas, 35U);
  // What no pair of fits into the memory is in no stretch.
  options.large_memory = 30000;
  EXPECT_TRUE(MakePlan(options).large.empty());
}

TEST_F(DeltaSearchTest, LargeStretchesAreCut) {
  // As if each had 100 MB.
  SetAllSizes(uint64_t{100} << 20);
  DeltaSearchOptions options;
  options.window_memory = uint64_t{1} << 30;
  options.big_file_threshold = uint64_t{1} << 30;
  uint64_t objects = 0;
  bool some_are_alike = false;
  for (const SearchStretch& stretch : Plan(options)) {
    ASSERT_LE(stretch.ranks.size(), 3U);
    if (stretch.ranks.size() == 3) {
      some_are_alike = true;
      EXPECT_EQ(list_.paths[stretch.ranks[1]], list_.paths[stretch.ranks[2]]);
    }
    objects += stretch.ranks.size();
  }
  EXPECT_TRUE(some_are_alike);
  EXPECT_EQ(objects, list_.ids.size());
}

TEST_F(DeltaSearchTest, SizesThatAddUpToMoreThanAWordAreNoMatter) {
  SetAllSizes(UINT64_MAX);
  DeltaSearchOptions options;
  options.window_memory = UINT64_MAX;
  options.big_file_threshold = UINT64_MAX;
  uint64_t objects = 0;
  for (const SearchStretch& stretch : Plan(options)) {
    objects += stretch.ranks.size();
  }
  EXPECT_EQ(objects, list_.ids.size());
}

TEST_F(DeltaSearchTest, FindsDeltas) { EXPECT_GT(Longest(Search({})), 5U); }

TEST_F(DeltaSearchTest, NoWindowOrDepthMeansNoDeltas) {
  DeltaSearchOptions no_window;
  no_window.window = 0;
  EXPECT_EQ(Longest(Search(no_window)), 0U);
  DeltaSearchOptions no_depth;
  no_depth.depth = 0;
  EXPECT_EQ(Longest(Search(no_depth)), 0U);
}

TEST_F(DeltaSearchTest, DepthIsALimit) {
  for (const unsigned depth : {1U, 2U, 7U}) {
    DeltaSearchOptions options;
    options.depth = depth;
    const unsigned longest = Longest(Search(options));
    EXPECT_LE(longest, depth);
    EXPECT_GT(longest, 0U);
  }
}

TEST_F(DeltaSearchTest, AnyWindowMemoryAndLevelWork) {
  for (const unsigned window : {1U, 2U, 3U, 4095U}) {
    DeltaSearchOptions options;
    options.window = window;
    EXPECT_GT(Longest(Search(options)), 0U) << window;
  }
  for (const uint64_t memory : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
    DeltaSearchOptions options;
    options.window_memory = memory;
    (void)Search(options);
  }
  for (int level = 1; level <= 12; ++level) {
    DeltaSearchOptions options;
    options.level = level;
    (void)Search(options);
  }
}

TEST_F(DeltaSearchTest, UndeltifiedBlobsAreWholeAndNoBases) {
  for (const PathNumber path : undeltified_.indexes()) {
    undeltified_[path] = list_.path_table.FullPath(path) == "file";
  }
  const auto depths = Search({});
  EXPECT_GT(Longest(depths), 0U);
  for (const auto& [rank, depth] : depths) {
    if (list_.types[rank] == ObjectType::kBlob) {
      EXPECT_EQ(depth, 0U) << list_.path_table.FullPath(list_.paths[rank]);
    }
  }
  // Of trees it says nothing.
  undeltified_.assign(undeltified_.size(), true);
  EXPECT_GT(Longest(Search({})), 0U);
}

TEST_F(DeltaSearchTest, ObjectThatChangedIsRefused) {
  const ProgressPhase phase(nullptr, Phase::kCompressingObjects, 0, 0);
  DeltaSearch search(Input(), {}, phase, {});
  auto stretches = Plan({});
  const ListRank last = stretches[0].ranks.back();
  list_.sizes.Set(last, list_.sizes[last] + 1);
  EXPECT_THAT(search.Run(stretches[0], nullptr),
              HasCode(ErrorCode::kSourceCorrupt));
}

TEST_F(DeltaSearchTest, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const ProgressPhase phase(nullptr, Phase::kCompressingObjects, 0, 0);
  DeltaSearch search(Input(), {}, phase, stop.get_token());
  auto stretches = Plan({});
  EXPECT_THAT(search.Run(stretches[0], nullptr),
              HasCode(ErrorCode::kInterrupted));
}

}  // namespace
}  // namespace zpack
