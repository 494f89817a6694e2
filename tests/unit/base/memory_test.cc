// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::TempDir;
using testing::WriteFile;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMebibyte = uint64_t{1} << 20;

TEST(ControlGroupLimit, IsTheSmallestOnTheWayUp) {
  const TempDir root;
  std::filesystem::create_directories(root / "a/b");
  EXPECT_EQ(ControlGroupLimit(root.path(), "/a/b"), kNoLimit);
  WriteFile(root / "a/b/memory.max", "max\n");
  EXPECT_EQ(ControlGroupLimit(root.path(), "/a/b"), kNoLimit);
  WriteFile(root / "a/memory.max", "1000000\n");
  EXPECT_EQ(ControlGroupLimit(root.path(), "/a/b"), 1000000U);
  WriteFile(root / "a/b/memory.max", "3000000\n");
  EXPECT_EQ(ControlGroupLimit(root.path(), "/a/b"), 1000000U);
  WriteFile(root / "memory.max", "70000\n");
  EXPECT_EQ(ControlGroupLimit(root.path(), "/a/b"), 70000U);
  EXPECT_EQ(ControlGroupLimit(root.path(), "/"), 70000U);
  EXPECT_EQ(ControlGroupLimit(root.path(), "/gone"), 70000U);
}

TEST(ResolveMemory, IsAQuarterUnlessGiven) {
  RunOptions run;
  EXPECT_EQ(ResolveMemory(run), UsableMemory() / 4);
  EXPECT_GT(ResolveMemory(run), 16 * kMebibyte);
  run.memory = 5;
  EXPECT_EQ(ResolveMemory(run), 5U);
}

TEST(FittingThreads, AreAtLeastOneAndNoMoreThanAskedFor) {
  RunOptions run;
  run.threads = 8;
  const auto threads = [&](uint64_t memory) {
    run.memory = memory;
    return FittingThreads(run, 100, 50);
  };
  EXPECT_EQ(threads(0), 1U);
  EXPECT_EQ(threads(100), 1U);
  EXPECT_EQ(threads(199), 1U);
  EXPECT_EQ(threads(200), 2U);
  EXPECT_EQ(threads(499), 7U);
  EXPECT_EQ(threads(500), 8U);
  EXPECT_EQ(threads(kNoLimit), 8U);
}

}  // namespace
}  // namespace zpack
