// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/look_ahead.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "support/deltas.h"

namespace zpack {
namespace {

using testing::Below;
using testing::Edited;
using testing::Random;
using testing::RandomText;

// Does what is lent to it at once, or never.
class FakeHelpers final : public Helpers {
 public:
  explicit FakeHelpers(bool works) : works_(works) {}

  bool IsWanted() override { return is_wanted; }
  uint64_t Lend(Loan loan) override {
    if (works_) {
      EXPECT_TRUE(loan());
    }
    return ++lent;
  }
  bool TakeBack(uint64_t loan) override {
    EXPECT_EQ(loan, ++taken_back);
    return works_;
  }

  bool is_wanted = true;
  uint64_t lent = 0;
  uint64_t taken_back = 0;

 private:
  bool works_;
};

struct Version {
  Bytes content;
  PathNumber path;
};

// Versions of some paths, in turns, and texts that resemble other paths.
std::vector<Version> RandomHistory(uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> paths(3);
  std::vector<Version> history;
  for (int i = 0; i < 120; ++i) {
    const size_t path = Below(random, paths.size());
    Bytes& content = paths[path];
    if (content.empty() || Below(random, 20) == 0) {
      content = Below(random, 2) == 0 ? RandomText(random, Below(random, 9000))
                                      : paths[Below(random, paths.size())];
    } else if (Below(random, 4) == 0) {
      Append(content, RandomText(random, 2000));
    }
    content = Edited(random, content, static_cast<unsigned>(Below(random, 9)));
    history.push_back({content, PathNumber(static_cast<uint32_t>(path))});
  }
  return history;
}

struct Plan {
  std::optional<CandidateNumber> base;
  uint64_t cost = 0;
  std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> copies;

  bool operator==(const Plan&) const = default;
};

// Plans the objects, as they come from a LookAhead, and begins anew after some.
std::vector<Plan> PlanAll(const std::vector<Version>& history,
                          const DeltaPlannerOptions& options, Helpers* helpers,
                          size_t& prepared) {
  DeltaPlanner planner(options);
  LookAhead ahead(planner, helpers);
  std::vector<Plan> plans;
  size_t next = 0;
  for (size_t i = 0; i < history.size(); ++i) {
    while (next < history.size() &&
           (ahead.empty() || ahead.HasRoom(history[next].content.size()))) {
      ahead.Push(std::make_shared<const Bytes>(history[next].content),
                 history[next].path);
      ++next;
    }
    const LookAhead::Object object = ahead.Pop();
    EXPECT_EQ(*object.content, history[i].content);
    EXPECT_EQ(object.path, history[i].path);
    prepared += object.prepared != nullptr ? 1 : 0;
    PlanHints hints;
    hints.prepared = object.prepared;
    if (i % 50 == 49) {
      planner.Plan(*object.content, object.path, hints);
      planner.Clear();
    }
    const PlannedDelta& plan =
        planner.Plan(*object.content, object.path, hints);
    Plan& result = plans.emplace_back();
    result.base = plan.base;
    if (plan.base) result.cost = plan.delta.cost;
    for (const DeltaCopy& copy : plan.delta.copies) {
      result.copies.emplace_back(copy.literals, copy.length, copy.offset);
    }
    planner.Add(object.content, object.path);
  }
  EXPECT_TRUE(ahead.empty());
  return plans;
}

std::vector<DeltaPlannerOptions> AllOptions() {
  DeltaPlannerOptions any_depth;
  any_depth.window_size = 60000;
  DeltaPlannerOptions searching = any_depth;
  searching.good_for_path = 0;
  searching.good_for_all = 0;
  DeltaPlannerOptions depth = any_depth;
  depth.max_depth = 5;
  DeltaPlannerOptions one = any_depth;
  one.max_depth = 1;
  one.same_path = 1;
  one.similar = 0;
  return {any_depth, searching, depth, one};
}

TEST(LookAhead, ChangesNoPlan) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const std::vector<Version> history = RandomHistory(seed);
    for (const DeltaPlannerOptions& options : AllOptions()) {
      size_t prepared = 0;
      const auto plans = PlanAll(history, options, nullptr, prepared);
      EXPECT_EQ(prepared, 0U);
      FakeHelpers busy(false);
      EXPECT_EQ(PlanAll(history, options, &busy, prepared), plans);
      EXPECT_GT(busy.lent, 0U);
      EXPECT_EQ(busy.taken_back, busy.lent);
      EXPECT_EQ(prepared, 0U);
      FakeHelpers idle(true);
      EXPECT_EQ(PlanAll(history, options, &idle, prepared), plans);
      EXPECT_EQ(idle.taken_back, idle.lent);
      EXPECT_GT(prepared, history.size() / 2);
    }
  }
}

TEST(LookAhead, SeveralThreadsChangeNoPlan) {
  const std::vector<Version> history = RandomHistory(1);
  for (const DeltaPlannerOptions& options : AllOptions()) {
    size_t prepared = 0;
    const auto plans = PlanAll(history, options, nullptr, prepared);
    int left = 3;
    const Status status = RunOrderedPipeline<int>(
        PipelineThreads{4, {}}, [] { return 0; },
        [&](int&) -> Result<bool> { return left-- > 0; },
        [&](int&, int&, Parts<int>& parts) -> Status {
          size_t of_item = 0;
          EXPECT_EQ(PlanAll(history, options, &parts, of_item), plans);
          return {};
        },
        [](int&) { return Status{}; });
    EXPECT_TRUE(status);
  }
}

TEST(LookAhead, ReadsNothingAheadWhileOthersWork) {
  const DeltaPlanner planner{DeltaPlannerOptions{}};
  FakeHelpers helpers(true);
  helpers.is_wanted = false;
  LookAhead ahead(planner, &helpers);
  ahead.Push(std::make_shared<const Bytes>(100), PathNumber(0));
  EXPECT_FALSE(ahead.HasRoom(100));
  helpers.is_wanted = true;
  EXPECT_TRUE(ahead.HasRoom(100));
  EXPECT_FALSE(LookAhead(planner, nullptr).HasRoom(100));
}

TEST(LookAhead, HoldsFewBytesAndObjects) {
  const DeltaPlanner planner{DeltaPlannerOptions{}};
  FakeHelpers helpers(true);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1} << 20}) {
    LookAhead ahead(planner, &helpers);
    uint64_t count = 0;
    for (; ahead.HasRoom(size) && count < 1000; ++count) {
      ahead.Push(std::make_shared<const Bytes>(size), PathNumber(0));
    }
    EXPECT_EQ(count, size == 0 ? 256U : LookAhead::kMostBytes >> 20);
    ahead.Pop();
    EXPECT_TRUE(ahead.HasRoom(size));
    EXPECT_FALSE(ahead.HasRoom(LookAhead::kMostBytes + 1));
    while (!ahead.empty()) ahead.Pop();
  }
}

// A delta of another object shows whose delta it is.
TEST(PreparedDeltas, AreWhatThePlannerTakes) {
  Random random(3);
  const auto base = std::make_shared<const Bytes>(RandomText(random, 4000));
  const Bytes content = Edited(random, *base, 3);
  const auto other = std::make_shared<const Bytes>(Edited(random, *base, 1));
  DeltaPlanner planner{DeltaPlannerOptions{}};
  planner.Plan(*base, PathNumber(0));
  planner.Add(base, PathNumber(0));
  PreparedDeltas prepared(other, planner.SamePath(PathNumber(0)));
  DeltaEncoder encoder(planner.options().costs);
  prepared.Prepare(planner.options(), encoder);
  const uint64_t cost = planner.Plan(content, PathNumber(0)).delta.cost;
  PlanHints hints;
  hints.prepared = &prepared;
  EXPECT_LT(planner.Plan(content, PathNumber(0), hints).delta.cost, cost);
}

}  // namespace
}  // namespace zpack
