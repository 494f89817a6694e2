// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/delta_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "support/deltas.h"

namespace zpack {
namespace {

using testing::ApplyDelta;
using testing::Below;
using testing::Edited;
using testing::Random;
using testing::RandomText;

// Plans a sequence and checks every plan against a model of what the planner
// may do.
class PlannedSequence {
 public:
  explicit PlannedSequence(const DeltaPlannerOptions& options = {})
      : options_(options), planner_(options) {}

  // Plans and adds an object; returns its base.
  std::optional<uint32_t> Add(const Bytes& content, uint32_t path_number) {
    const PathNumber path(path_number);
    const PlannedDelta& plan = planner_.Plan(content, path);
    const std::optional<CandidateNumber> base = plan.base;
    Check(plan, content);
    depths_.push_back(base ? depths_[*base] + 1 : 0);
    chains_.push_back(content.size() + (base ? chains_[*base] : 0));
    contents_.push_back(content);
    planner_.Add(content, path);
    return base ? std::optional(base->value()) : std::nullopt;
  }

  void Clear() {
    planner_.Clear();
    contents_.clear();
    chains_.clear();
    depths_.clear();
  }

  DeltaPlanner& planner() { return planner_; }
  const std::vector<Bytes>& contents() const { return contents_.raw(); }
  const std::vector<uint64_t>& chains() const { return chains_.raw(); }
  const std::vector<uint32_t>& depths() const { return depths_.raw(); }

 private:
  // The oldest object that fits into the window with all after it.
  CandidateNumber FirstKept() const {
    CandidateNumber first = contents_.end_index();
    uint64_t bytes = 0;
    while (first > CandidateNumber(0)) {
      bytes += contents_[first - 1].size();
      if (bytes > options_.window_size && first < contents_.end_index()) break;
      --first;
      if (bytes > options_.window_size) break;
    }
    return first;
  }

  void Check(const PlannedDelta& plan, const Bytes& content) {
    if (!plan.base) {
      EXPECT_TRUE(plan.delta.copies.empty());
      return;
    }
    ASSERT_LT(*plan.base, contents_.end_index());
    EXPECT_GE(*plan.base, FirstKept()) << "a base that was evicted";
    const Bytes& base = contents_[*plan.base];
    EXPECT_EQ(plan.base_size, base.size());
    EXPECT_LT(plan.delta.cost, content.size() * options_.costs.literal)
        << "whole is cheaper";
    EXPECT_LE(chains_[*plan.base] + content.size(),
              options_.chain_size + options_.chain_factor * content.size());
    const auto applied = ApplyDelta(base, content, plan.delta);
    ASSERT_TRUE(applied);
    EXPECT_EQ(AsText(*applied), AsText(content));
  }

  DeltaPlannerOptions options_;
  DeltaPlanner planner_;
  IndexedVector<CandidateNumber, Bytes> contents_;
  // Bytes of each object and all its bases.
  IndexedVector<CandidateNumber, uint64_t> chains_;
  IndexedVector<CandidateNumber, uint32_t> depths_;
};

class DeltaPlannerTest : public ::testing::Test {
 protected:
  Bytes Text(size_t size = 4000) { return RandomText(random_, size); }
  Bytes Edit(const Bytes& content, unsigned edits = 2) {
    return Edited(random_, content, edits);
  }

  Random random_{1};
};

TEST_F(DeltaPlannerTest, PlansRandomHistoriesWithinItsRules) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    DeltaPlannerOptions options;
    options.same_path = static_cast<unsigned>(Below(random, 5));
    options.similar = static_cast<unsigned>(Below(random, 4));
    options.window_size = 1 + Below(random, 30000);
    options.chain_size = Below(random, 20000);
    options.chain_factor = Below(random, 6);
    PlannedSequence sequence(options);
    for (int i = 0; i < 60; ++i) {
      const auto& contents = sequence.contents();
      const bool fresh = contents.empty() || Below(random, 5) == 0;
      const Bytes content =
          fresh ? RandomText(random, Below(random, 4000))
                : Edited(random, contents[Below(random, contents.size())], 3);
      sequence.Add(content, static_cast<uint32_t>(Below(random, 4)));
      if (HasFailure()) return;
    }
  }
}

TEST_F(DeltaPlannerTest, StoresTheFirstObjectWhole) {
  PlannedSequence sequence;
  EXPECT_EQ(sequence.Add(Text(), 1), std::nullopt);
}

TEST_F(DeltaPlannerTest, StoresEmptyObjectsWhole) {
  PlannedSequence sequence;
  EXPECT_EQ(sequence.Add({}, 1), std::nullopt);
  EXPECT_EQ(sequence.Add({}, 1), std::nullopt);
  EXPECT_EQ(sequence.Add(Text(), 1), std::nullopt);
  EXPECT_EQ(sequence.Add({}, 1), std::nullopt);
}

TEST_F(DeltaPlannerTest, TakesTheVersionBeforeAsBase) {
  PlannedSequence sequence;
  Bytes content = Text();
  sequence.Add(content, 1);
  for (uint32_t i = 0; i < 10; ++i) {
    content = Edit(content, 1);
    EXPECT_EQ(sequence.Add(content, 1), i);
  }
}

TEST_F(DeltaPlannerTest, TriesWhatIsLikelyFirst) {
  DeltaPlannerOptions options;
  options.same_path = 1;
  options.similar = 0;
  DeltaPlanner planner(options);
  const Bytes text = Text();
  for (const Bytes& content : {text, Text(), Edit(text)}) {
    EXPECT_EQ(planner.Plan(content, PathNumber(1)).base, std::nullopt);
    planner.Add(content, PathNumber(1));
  }
  const Bytes next = Edit(text);
  EXPECT_EQ(planner.Plan(next, PathNumber(2)).base, std::nullopt);
  EXPECT_EQ(
      planner.Plan(next, PathNumber(2), {.likely = CandidateNumber(0)}).base,
      CandidateNumber(0));
  EXPECT_TRUE(
      std::ranges::equal(planner.BaseContent(CandidateNumber(0)), text));
  // Not when something of the path is better.
  EXPECT_EQ(
      planner.Plan(next, PathNumber(2), {.likely = CandidateNumber(1)}).base,
      std::nullopt);
}

TEST_F(DeltaPlannerTest, TakesTheCheapestVersionOfAPath) {
  PlannedSequence sequence;
  const Bytes content = Text();
  sequence.Add(Edit(content, 10), 1);
  sequence.Add(content, 1);
  sequence.Add(Edit(content, 10), 1);
  EXPECT_EQ(sequence.Add(content, 1), 1U);
}

TEST_F(DeltaPlannerTest, TriesOnlyTheLastVersionsOfAPath) {
  DeltaPlannerOptions options;
  options.same_path = 2;
  options.similar = 0;
  PlannedSequence sequence(options);
  const Bytes content = Text();
  sequence.Add(content, 1);
  sequence.Add(Text(), 1);
  EXPECT_EQ(sequence.Add(Edit(content), 1), 0U);
  sequence.Add(Text(), 1);
  sequence.Add(Text(), 1);
  EXPECT_EQ(sequence.Add(Edit(content), 1), std::nullopt);
}

TEST_F(DeltaPlannerTest, TakesSimilarContentOfAnotherPath) {
  const Bytes content = Text(20000);
  const Bytes renamed = Edit(content);
  PlannedSequence sequence;
  sequence.Add(Text(20000), 1);
  sequence.Add(content, 2);
  sequence.Add(Text(20000), 3);
  EXPECT_EQ(sequence.Add(renamed, 4), 1U);

  DeltaPlannerOptions options;
  options.similar = 0;
  PlannedSequence by_path(options);
  by_path.Add(content, 2);
  EXPECT_EQ(by_path.Add(renamed, 4), std::nullopt);
}

// Also if that is in a file or pack already.
TEST_F(DeltaPlannerTest, TakesSimilarContentThatWasStoredBefore) {
  const Bytes content = Text(20000);
  DeltaPlanner planner{DeltaPlannerOptions{}};
  planner.AddStored(content, PathNumber(1), 0, Novelty::kNew);
  EXPECT_EQ(planner.Plan(Edit(content), PathNumber(2)).base,
            CandidateNumber(0));
}

TEST_F(DeltaPlannerTest, TakesSimilarContentThatIsCheaperThanThePath) {
  const Bytes content = Text(20000);
  PlannedSequence sequence;
  sequence.Add(content, 1);
  sequence.Add(Edit(content, 100), 2);
  EXPECT_EQ(sequence.Add(Edit(content, 1), 2), 0U);
}

TEST_F(DeltaPlannerTest, StoresUnrelatedContentWhole) {
  PlannedSequence sequence;
  for (uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(sequence.Add(Text(), i % 2), std::nullopt);
  }
}

TEST_F(DeltaPlannerTest, StoresEverythingWholeWithoutCandidates) {
  DeltaPlannerOptions options;
  options.same_path = 0;
  options.similar = 0;
  PlannedSequence sequence(options);
  const Bytes content = Text();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sequence.Add(content, 1), std::nullopt);
}

TEST_F(DeltaPlannerTest, ForgetsWhatLeftTheWindow) {
  const Bytes content = Text();
  const Bytes other = Text();
  DeltaPlannerOptions options;
  options.window_size = content.size() + other.size();
  PlannedSequence sequence(options);
  sequence.Add(content, 1);
  sequence.Add(other, 2);
  EXPECT_EQ(sequence.Add(content, 1), 0U) << "both fit";
  sequence.Add(other, 2);
  sequence.Add(Bytes{'x'}, 3);
  EXPECT_EQ(sequence.Add(content, 1), std::nullopt);
}

TEST_F(DeltaPlannerTest, KeepsOneObjectThatIsLargerThanTheWindow) {
  DeltaPlannerOptions options;
  options.window_size = 1;
  PlannedSequence sequence(options);
  const Bytes content = Text();
  sequence.Add(content, 1);
  EXPECT_EQ(sequence.Add(content, 1), 0U);
  EXPECT_EQ(sequence.Add(content, 1), 1U);
}

TEST_F(DeltaPlannerTest, EndsChainsThatGetTooLong) {
  const Bytes content = Text();
  DeltaPlannerOptions options;
  options.chain_size = 3 * content.size();
  options.chain_factor = 0;
  PlannedSequence sequence(options);
  for (int i = 0; i < 12; ++i) sequence.Add(content, 1);
  EXPECT_EQ(std::ranges::max(sequence.chains()), options.chain_size)
      << "no longer, and not shorter either";
}

TEST_F(DeltaPlannerTest, AllowsLargeObjectsLongerChains) {
  const Bytes content = Text();
  DeltaPlannerOptions options;
  options.chain_size = 0;
  options.chain_factor = 2;
  PlannedSequence sequence(options);
  for (int i = 0; i < 6; ++i) sequence.Add(content, 1);
  EXPECT_EQ(std::ranges::max(sequence.chains()), 2 * content.size());
}

TEST_F(DeltaPlannerTest, CountsFromZeroAfterClear) {
  PlannedSequence sequence;
  const Bytes content = Text();
  sequence.Add(content, 1);
  EXPECT_EQ(sequence.Add(content, 1), 0U);
  sequence.Clear();
  EXPECT_EQ(sequence.Add(content, 1), std::nullopt);
  EXPECT_EQ(sequence.Add(content, 1), 0U);
}

TEST_F(DeltaPlannerTest, CountsFromZeroAfterClearInAnEvictingWindow) {
  DeltaPlannerOptions options;
  options.window_size = 10000;
  PlannedSequence sequence(options);
  for (int round = 0; round < 3; ++round) {
    Bytes content = Text();
    sequence.Add(content, 1);
    for (uint32_t i = 0; i < 10; ++i) {
      content = Edit(content, 1);
      EXPECT_EQ(sequence.Add(content, 1), i);
    }
    sequence.Clear();
  }
}

TEST_F(DeltaPlannerTest, PlansTheSameObjectAgainAfterClear) {
  PlannedSequence sequence;
  const Bytes content = Text();
  sequence.Add(content, 1);
  DeltaPlanner& planner = sequence.planner();
  EXPECT_EQ(planner.Plan(content, PathNumber(1)).base, CandidateNumber(0));
  sequence.Clear();
  EXPECT_EQ(sequence.Add(content, 1), std::nullopt);
  EXPECT_EQ(sequence.Add(content, 1), 0U);
}

TEST_F(DeltaPlannerTest, PlansTheSameEveryTime) {
  std::vector<std::vector<std::optional<uint32_t>>> plans(2);
  for (auto& bases : plans) {
    Random random(9);
    PlannedSequence sequence;
    for (int i = 0; i < 50; ++i) {
      const auto& contents = sequence.contents();
      bases.push_back(sequence.Add(
          i % 7 == 0
              ? RandomText(random, 3000)
              : Edited(random, contents[Below(random, contents.size())], 4),
          static_cast<uint32_t>(i % 3)));
    }
  }
  EXPECT_EQ(plans[0], plans[1]);
}

TEST(DeltaPlanner, KeepsChainsWithinTheDepth) {
  for (const uint32_t depth : {1U, 4U, 20U}) {
    DeltaPlannerOptions options;
    options.max_depth = depth;
    PlannedSequence sequence(options);
    Random random(7);
    Bytes content = RandomText(random, 3000);
    for (int i = 0; i < 60; ++i) {
      sequence.Add(content, 1);
      content = Edited(random, content, 3);
    }
    // The last ones are only used where they save a lot.
    const uint32_t deepest = *std::ranges::max_element(sequence.depths());
    EXPECT_LE(deepest, depth);
    EXPECT_GE(deepest, (depth + 1) / 2);
  }
}

}  // namespace
}  // namespace zpack
