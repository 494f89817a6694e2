// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "nearest_name.h"

#include <gtest/gtest.h>

namespace zpack::cli {
namespace {

const std::vector<std::string> kNames = {"--level", "--against", "--json",
                                         "--threads", "--quiet"};

TEST(NearestName, FindsWhatWasMistyped) {
  EXPECT_EQ(NearestName("--levle", kNames), "--level");
  EXPECT_EQ(NearestName("--leve", kNames), "--level");
  EXPECT_EQ(NearestName("--againts", kNames), "--against");
  EXPECT_EQ(NearestName("--jsonn", kNames), "--json");
  EXPECT_EQ(NearestName("--thr", kNames), "--threads");
  EXPECT_EQ(NearestName("-quiet", kNames), "--quiet");
}

TEST(NearestName, DoesNotGuessFromNothing) {
  EXPECT_EQ(NearestName("--frobnicate", kNames), std::nullopt);
  EXPECT_EQ(NearestName("-Z", kNames), std::nullopt);
  EXPECT_EQ(NearestName("", kNames), std::nullopt);
  EXPECT_EQ(NearestName(std::string(1000000, 'x'), kNames), std::nullopt);
  EXPECT_EQ(NearestName("x", {}), std::nullopt);
}

TEST(NearestName, TheFirstOfEquallyNearOnesCounts) {
  EXPECT_EQ(NearestName("cat", {"bat", "hat"}), "bat");
}

}  // namespace
}  // namespace zpack::cli
