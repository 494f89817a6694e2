// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::TempDir;
using testing::WriteFile;

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMebibyte = uint64_t{1} << 20;

TEST(ControlGroupLimit, IsTheSmallestOnTheWayUp) {
  for (const std::string name : {"memory.max", "memory.limit_in_bytes"}) {
    const TempDir root;
    const auto limit = [&](const std::string& path) {
      return ControlGroupLimit({root.path(), path, name});
    };
    std::filesystem::create_directories(root / "a/b");
    EXPECT_EQ(limit("/a/b"), kNoLimit);
    WriteFile(root / ("a/b/" + name), "max\n");
    EXPECT_EQ(limit("/a/b"), kNoLimit);
    WriteFile(root / ("a/" + name), "1000000\n");
    EXPECT_EQ(limit("/a/b"), 1000000U);
    WriteFile(root / ("a/b/" + name), "3000000\n");
    EXPECT_EQ(limit("/a/b"), 1000000U);
    WriteFile(root / name, "70000\n");
    EXPECT_EQ(limit("/a/b"), 70000U);
    EXPECT_EQ(limit("/"), 70000U);
    EXPECT_EQ(limit(""), 70000U);
    EXPECT_EQ(limit("/gone"), 70000U);
  }
}

// "<mount><path> <limit>" of each group.
std::vector<std::string> Groups(const std::string& groups,
                                const std::string& mounts) {
  std::istringstream group_lines(groups);
  std::istringstream mount_lines(mounts);
  std::vector<std::string> found;
  for (const ControlGroup& group : MemoryGroups(group_lines, mount_lines)) {
    found.push_back(group.mount + group.path + ' ' + group.limit);
  }
  return found;
}

TEST(MemoryGroups, AreThoseOfBothVersions) {
  using Strings = std::vector<std::string>;
  const std::string second =
      "30 23 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(Groups("0::/user.slice/a b\n", second),
            Strings{"/sys/fs/cgroup/user.slice/a b memory.max"});
  const std::string first =
      "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup "
      "rw,name=memory\n";
  EXPECT_EQ(Groups("9:name=memory:/x\n4:memory:/a/b\n3:cpu:/c\n0::/\n", first),
            Strings{"/sys/fs/cgroup/memory/a/b memory.limit_in_bytes"});
  EXPECT_EQ(
      Groups("4:hugetlb,memory:/a\n0::/u\n",
             first + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 c rw\n"),
      (Strings{"/sys/fs/cgroup/memory/a memory.limit_in_bytes",
               "/sys/fs/cgroup/unified/u memory.max"}));
  EXPECT_EQ(Groups("4:memory:/docker/1/x\n",
                   "35 31 0:32 /docker/1 /cg ro - cgroup c rw,memory\n"),
            Strings{"/cg/x memory.limit_in_bytes"});
  EXPECT_EQ(Groups("", first + second), Strings());
  EXPECT_EQ(Groups("4:memory:/a\n0::/\n", ""), Strings());
  EXPECT_EQ(Groups("nothing\n:\n\n", first + "35 31\n\n- cgroup c\n"),
            Strings());
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
