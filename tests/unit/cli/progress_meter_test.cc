// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "progress_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

namespace zpack::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMiB = uint64_t{1} << 20;

class ProgressMeterTest : public ::testing::Test {
 protected:
  // What was written since the last call.
  std::string Written() {
    std::string text = err_.str();
    err_.str("");
    return text;
  }

  // One object of `bytes` after another, each of which takes a second.
  void Work(ProgressMeter& meter, int seconds, uint64_t bytes) {
    for (int i = 0; i < seconds; ++i) {
      now_ += 1;
      meter.Advance(1, bytes);
    }
  }

  double now_ = 1000;
  std::ostringstream err_;
  size_t columns_ = 0;
  std::stop_source stop_;
  ProgressMeter::Display display_{.err = err_,
                                  .columns = [this] { return columns_; },
                                  .stop = stop_.get_token(),
                                  .clock = [this] { return now_; }};
  ProgressMeter meter_{display_, {}};
};

TEST_F(ProgressMeterTest, EstimatesFromBytes) {
  meter_.Begin(Phase::kCompressingObjects, 300, 100 * kMiB);
  Work(meter_, 4, 2 * kMiB);
  Written();
  Work(meter_, 1, 2 * kMiB);
  // By objects it would take five minutes.
  EXPECT_EQ(Written(),
            "Compressing objects:   1% (5/300), 10.00 MiB | 2.00 MiB/s, "
            "0:45 left\r");
}

TEST_F(ProgressMeterTest, CountsAnObjectAsSomeBytesMore) {
  // 1000 empty objects take 4 KiB each, which is as much as the other one.
  meter_.Begin(Phase::kCompressingObjects, 1001, 1000 * 4096 - 4096);
  for (int i = 0; i < 10; ++i) {
    now_ += 1;
    meter_.Advance(100, 0);
  }
  EXPECT_THAT(Written(), ::testing::EndsWith(", 0:10 left\r"));
}

TEST_F(ProgressMeterTest, EstimatesFromObjectsWithoutBytes) {
  meter_.Begin(Phase::kCountingObjects, 100, 0);
  Work(meter_, 9, 0);
  Written();
  Work(meter_, 1, 0);
  EXPECT_EQ(Written(), "Counting objects:  10% (10/100), 1:30 left\r");
}

TEST_F(ProgressMeterTest, SaysNothingOfTheTimeLeftAtFirst) {
  meter_.Begin(Phase::kCompressingObjects, 100, 100 * kMiB);
  Work(meter_, 1, kMiB);
  EXPECT_THAT(Written(), Not(HasSubstr("left")));
  Work(meter_, 1, kMiB);
  EXPECT_THAT(Written(), HasSubstr(", 1:38 left\r"));
}

TEST_F(ProgressMeterTest, TellsTheTimeOfAllPhasesWhereItIsKnown) {
  ProgressMeter meter(display_, {{Phase::kCompressingObjects, 80},
                                 {Phase::kVerifyingObjects, 20}});
  meter.Begin(Phase::kCompressingObjects, 80, 80 * kMiB);
  Work(meter, 40, kMiB);
  EXPECT_THAT(Written(), HasSubstr(", 0:40 left, 1:00 in all\r"));
  meter.End();
  meter.Begin(Phase::kVerifyingObjects, 80, 80 * kMiB);
  Work(meter, 10, 4 * kMiB);
  EXPECT_THAT(Written(), Not(HasSubstr("in all")));
}

TEST_F(ProgressMeterTest, EndsWithTheRateOfTheWholePhase) {
  meter_.Begin(Phase::kCompressingObjects, 3, 6 * kMiB);
  Work(meter_, 1, 4 * kMiB);
  Work(meter_, 2, kMiB);
  Written();
  now_ += 1;
  meter_.End();
  // Padded, so that nothing stays of the line before.
  EXPECT_THAT(Written(),
              ::testing::MatchesRegex(
                  "Compressing objects: 100% \\(3/3\\), 6.00 MiB \\| "
                  "1.50 MiB/s, done\\. *\n"));
}

TEST_F(ProgressMeterTest, PrintsFiveTimesASecondAtMost) {
  meter_.Begin(Phase::kCountingObjects, 1000, 0);
  for (int i = 0; i < 100; ++i) {
    now_ += 0.01;
    meter_.Advance(1, 0);
  }
  const std::string text = Written();
  EXPECT_LE(std::ranges::count(text, '\r'), 5);
  EXPECT_GE(std::ranges::count(text, '\r'), 4);
}

TEST_F(ProgressMeterTest, ShowsOnlyWhatFitsTheTerminal) {
  meter_.Begin(Phase::kCompressingObjects, 300, 100 * kMiB);
  Work(meter_, 4, 2 * kMiB);
  const std::string counts = "Compressing objects:   1% (5/300)";
  for (const auto& [columns, line] :
       {std::pair<size_t, std::string>(
            69, counts + ", 10.00 MiB | 2.00 MiB/s, 0:45 left"),
        {68, counts + ", 10.00 MiB | 2.00 MiB/s"},
        {45, counts + ", 10.00 MiB"},
        {34, counts},
        {10, "Compressi"}}) {
    ProgressMeter meter(display_, {});
    columns_ = columns;
    meter.Begin(Phase::kCompressingObjects, 300, 100 * kMiB);
    Work(meter, 4, 2 * kMiB);
    Written();
    Work(meter, 1, 2 * kMiB);
    std::string written = Written();
    // Spaces overwrite the end of a longer line.
    written.erase(written.find_last_not_of(" \r") + 1);
    EXPECT_EQ(written, line);
  }
}

TEST_F(ProgressMeterTest, FollowsTheSizeOfTheTerminal) {
  columns_ = 61;
  meter_.Begin(Phase::kCompressingObjects, 300, 100 * kMiB);
  Work(meter_, 5, 2 * kMiB);
  Written();
  columns_ = 34;
  Work(meter_, 1, 2 * kMiB);
  // The padding does not wrap either.
  EXPECT_EQ(Written(), "Compressing objects:   2% (6/300)\r");
  meter_.End();
  EXPECT_EQ(Written(), "Compressing objects:   2% , done.\n");
}

TEST_F(ProgressMeterTest, DoesNotCallAnInterruptedPhaseDone) {
  meter_.Begin(Phase::kCountingObjects, 100, 0);
  Work(meter_, 1, 0);
  Written();
  stop_.request_stop();
  meter_.End();
  EXPECT_EQ(Written(), "Counting objects:   1% (1/100)\n");
}

TEST(HumanTime, CountsHoursFromSixtyMinutesOn) {
  EXPECT_EQ(HumanTime(0.4), "0:00");
  EXPECT_EQ(HumanTime(12), "0:12");
  EXPECT_EQ(HumanTime(59.6), "1:00");
  EXPECT_EQ(HumanTime(3599), "59:59");
  EXPECT_EQ(HumanTime(3600), "1:00:00");
  EXPECT_EQ(HumanTime(36000 + 62), "10:01:02");
}

}  // namespace
}  // namespace zpack::cli
