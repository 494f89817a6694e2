// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/choose_commits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "git/line_diff.h"
#include "history/numbered_trees.h"
#include "log/pickaxe_search.h"
#include "reader/object_reader.h"
#include "search/pathspec.h"
#include "support/history_fixture.h"
#include "support/matchers.h"

namespace zpack::log {
namespace {

using ::testing::Contains;
using testing::IsOk;

class ChooseCommitsTest : public testing::HistoryTest {
 protected:
  ChooseCommitsTest() : HistoryTest(40) {}

  Result<std::vector<uint8_t>> TryToChoose(const LogOptions& options,
                                           size_t most_files,
                                           const LineDiff& diff) {
    std::vector<ObjectNumber> numbers;
    for (const ObjectId& commit : commits_) {
      numbers.push_back(archive_->number(*archive_->ids().Find(commit)));
    }
    ObjectReader objects(*archive_);
    PickaxeSearch pickaxe(*archive_, objects, options, diff);
    const auto blocks = NumberedTrees::MakeBlocks(*archive_);
    const search::Pathspec paths;
    return ChooseCommits(
        {*archive_, options, paths, pickaxe, blocks, most_files}, numbers);
  }

  std::vector<uint8_t> Choose(const LogOptions& options, size_t most_files) {
    const auto chosen = TryToChoose(options, most_files, VisitChangedLines);
    EXPECT_THAT(chosen, IsOk());
    return *chosen;
  }
};

TEST(LineDiff, EndsWhereTheVisitorSaysSo) {
  int visited = 0;
  const auto visit = [&](const Result<Visit>& answer) {
    return VisitChangedLines("a\nb\n", "c\nd\n",
                             [&](std::string_view) -> Result<Visit> {
                               ++visited;
                               return answer;
                             });
  };
  EXPECT_THAT(visit(Visit::kStop), IsOk());
  EXPECT_EQ(visited, 1);
  EXPECT_THAT(visit(MakeError(ErrorCode::kIo, "unreadable")),
              testing::HasCode(ErrorCode::kIo));
  EXPECT_EQ(visited, 2);
}

// A commit changes a file or, the first one, 60 of them.
TEST_F(ChooseCommitsTest, BatchesChooseWhatOneListOfFilesDoes) {
  LogOptions count;
  count.pickaxe = Pickaxe::kString;
  count.pattern = "by commit 2";
  LogOptions lines;
  lines.pickaxe = Pickaxe::kLines;
  lines.pattern = "by commit 1[[:digit:]]$";
  LogOptions object;
  object.pickaxe = Pickaxe::kObject;
  for (const auto& [id, made] : source_.objects()) {
    if (made.content.ends_with("by commit 7\n")) object.objects = {id};
  }
  ASSERT_FALSE(object.objects.empty());
  for (const LogOptions& options : {count, lines, object}) {
    const std::vector<uint8_t> all = Choose(options, 4'000'000);
    EXPECT_THAT(all, Contains(0));
    EXPECT_THAT(all, Contains(1));
    for (const size_t most : {0, 1, 2, 7, 59, 60, 61, 98, 99, 100}) {
      EXPECT_EQ(Choose(options, most), all) << most;
    }
  }
}

TEST_F(ChooseCommitsTest, TextsThatCannotBeComparedAreAnError) {
  LogOptions options;
  options.pickaxe = Pickaxe::kLines;
  options.pattern = "by commit 1[[:digit:]]$";
  const LineDiff diff = [](auto&&...) {
    return Status(MakeError(ErrorCode::kLimitExceeded, "too long"));
  };
  for (const size_t most_files : {1, 1000}) {
    EXPECT_THAT(TryToChoose(options, most_files, diff),
                testing::HasCode(ErrorCode::kLimitExceeded))
        << most_files;
  }
}

}  // namespace
}  // namespace zpack::log
