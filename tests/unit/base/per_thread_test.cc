// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace zpack {
namespace {

std::atomic<int> alive = 0;

struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }

  int value = 0;
};

TEST(PerThreadTest, EachThreadHasAValueThatGoesWithIt) {
  PerThread<Counted> counted;
  counted.Get().value = 7;
  int first = -1;
  int second = -1;
  int while_running = 0;
  std::thread([&] {
    first = counted.Get().value++;
    second = counted.Get().value;
    while_running = alive;
  }).join();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  EXPECT_EQ(while_running, 2);
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(counted.Get().value, 7);
}

TEST(PerThreadTest, NothingIsMadeForAThreadThatDoesNotAsk) {
  const int before = alive;
  const PerThread<Counted> counted;
  std::thread([] {}).join();
  EXPECT_EQ(alive, before);
}

TEST(PerThreadTest, LackOfKeysIsLackOfMemory) {
  std::vector<std::unique_ptr<PerThread<int>>> all;
  const auto take_all = [&] {
    while (all.size() < 100000)
      all.push_back(std::make_unique<PerThread<int>>());
  };
  EXPECT_THROW(take_all(), std::bad_alloc);
  EXPECT_GT(all.size(), 16);
  for (const auto& one : all) EXPECT_EQ(one->Get()++, 0);
  for (const auto& one : all) EXPECT_EQ(one->Get(), 1);
}

}  // namespace
}  // namespace zpack
