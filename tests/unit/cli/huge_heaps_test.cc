// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "huge_heaps.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace zpack::cli {
namespace {

// How many of 32 blocks of 1 MiB are in memory with the flag of madvise(2).
size_t AdvisedBlocks() {
  std::vector<std::vector<char>> blocks;
  for (int i = 0; i < 32; ++i) blocks.emplace_back(size_t{1} << 20, 'x');
  std::ifstream in("/proc/self/smaps");
  uintptr_t begin = 0;
  uintptr_t end = 0;
  size_t advised = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream range(line);
    char dash = 0;
    uintptr_t first = 0;
    uintptr_t last = 0;
    if (range >> std::hex >> first >> dash >> last && dash == '-') {
      begin = first;
      end = last;
    }
    if (!line.starts_with("VmFlags:") || !line.contains(" hg")) continue;
    advised += std::ranges::count_if(blocks, [&](const auto& block) {
      const auto at = reinterpret_cast<uintptr_t>(block.data());
      return at >= begin && at < end;
    });
  }
  return advised;
}

// Whether malloc and the system give huge pages to those who ask for them.
bool HasHugePages() {
#ifndef __GLIBC__
  return false;
#endif
  std::ifstream in("/sys/kernel/mm/transparent_hugepage/enabled");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return text.contains("[always]") || text.contains("[madvise]");
}

// Runs in a process of its own, because malloc cannot be set back.
void Expect(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// The first ones may be in the heap of before.
constexpr size_t kMost = 28;

class HugeHeapsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasHugePages()) GTEST_SKIP() << "no huge pages";
  }
};

TEST_F(HugeHeapsTest, FirstThreadHasThem) {
  Expect([] {
    UseHugePages(1);
    return AdvisedBlocks() >= kMost;
  });
}

TEST_F(HugeHeapsTest, ThreadsThatBeginLaterHaveThem) {
  Expect([] {
    UseHugePages(2);
    size_t advised = 0;
    {
      const std::jthread one([&] { advised = AdvisedBlocks(); });
    }
    return advised >= kMost;
  });
}

TEST_F(HugeHeapsTest, LimitedProcessesHaveNone) {
  Expect([] {
    const rlimit limit{.rlim_cur = rlim_t{1} << 34,
                       .rlim_max = rlim_t{1} << 34};
    setrlimit(RLIMIT_AS, &limit);
    UseHugePages(1);
    return AdvisedBlocks() == 0;
  });
}

}  // namespace
}  // namespace zpack::cli
