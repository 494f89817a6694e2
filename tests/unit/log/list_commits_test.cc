// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/list_commits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "git/line_diff.h"
#include "reader/object_reader.h"
#include "support/history_fixture.h"
#include "support/matchers.h"

namespace zpack::log {
namespace {

using testing::HasCode;
using testing::IsOk;
using ::testing::SizeIs;

constexpr int kCommits = 300;

class ListCommitsTest : public testing::HistoryTest {
 protected:
  using Lines = std::vector<std::string>;

  ListCommitsTest() : HistoryTest(kCommits) {}

  Status Log(const LogOptions& options,
             const Visitor<const LoggedCommit&>& visit) {
    ObjectReader objects(*archive_);
    return ListCommits(*archive_, objects, options, VisitChangedLines, visit);
  }

  // Each commit with its files, with so many threads.
  Lines List(LogOptions options, unsigned threads) {
    options.threads = threads;
    Lines lines;
    const auto add = [&](const LoggedCommit& commit) {
      std::string line = commit.id.ToHex();
      for (const ChangedFile& file : commit.files) {
        line += ' ' + std::string(file.new_path);
      }
      lines.push_back(std::move(line));
      return Status();
    };
    EXPECT_THAT(Log(options, add), IsOk());
    return lines;
  }
};

LogOptions AllWithFiles() {
  LogOptions options;
  options.refs = WalkRefs::kAll;
  options.files = true;
  return options;
}

TEST_F(ListCommitsTest, SeveralThreadsShowWhatOneDoes) {
  const LogOptions all = AllWithFiles();
  EXPECT_THAT(List(all, 4), SizeIs(kCommits));
  LogOptions reversed = all;
  reversed.reverse = true;
  LogOptions counted = all;
  counted.pickaxe = Pickaxe::kString;
  counted.pattern = "by commit 1";
  LogOptions added = all;
  added.diff_filter = "A";
  for (const LogOptions& options : {all, reversed, counted, added}) {
    EXPECT_EQ(List(options, 4), List(options, 1));
  }
}

TEST_F(ListCommitsTest, SeveralThreadsShowAsManyAsAreWanted) {
  for (const bool picks : {false, true}) {
    LogOptions options = AllWithFiles();
    if (picks) {
      options.pickaxe = Pickaxe::kString;
      options.pattern = "by commit";
    }
    const Lines all = List(options, 1);
    ASSERT_THAT(all, SizeIs(kCommits));
    for (const size_t most : {0, 1, 31, 62, 63, 94, 95, 126, 127, 254, 299}) {
      options.max_commits = most;
      EXPECT_EQ(List(options, 4),
                Lines(all.begin(), all.begin() + static_cast<int>(most)))
          << most;
    }
  }
}

TEST_F(ListCommitsTest, SeveralThreadsStopWhereTheVisitorDoes) {
  for (const size_t last : {1, 62, 63, 100, 254, 299}) {
    LogOptions options = AllWithFiles();
    options.threads = 4;
    size_t shown = 0;
    EXPECT_THAT(Log(options,
                    [&](const LoggedCommit&) -> Result<Visit> {
                      return ++shown == last ? Visit::kStop : Visit::kContinue;
                    }),
                IsOk());
    EXPECT_EQ(shown, last);
    shown = 0;
    EXPECT_THAT(Log(options,
                    [&](const LoggedCommit&) -> Status {
                      if (++shown < last) return {};
                      return MakeError(ErrorCode::kIo, "no space");
                    }),
                HasCode(ErrorCode::kIo));
    EXPECT_EQ(shown, last);
  }
}

}  // namespace
}  // namespace zpack::log
