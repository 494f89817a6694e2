// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/pathspec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace zpack::search {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kPaths = {
    "a.c", "A.C", "d/a.c", "d/e/b.c", "d/e/b.h", "dx", "star*", "z/q",
};

std::vector<std::string> Matching(const std::vector<std::string>& patterns) {
  const auto spec = Pathspec::Parse(patterns);
  EXPECT_TRUE(spec.has_value());
  std::vector<std::string> matching;
  for (const std::string& path : kPaths) {
    if (!spec->Matches(path)) continue;
    matching.push_back(path);
    // Nothing that is wanted is in a directory that nobody looks into.
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      EXPECT_TRUE(spec->MayEnter(path.substr(0, slash + 1))) << path;
    }
  }
  return matching;
}

TEST(Pathspec, EntersNoDirectoryInOneThatIsExcluded) {
  for (const char* const excluded : {":!d", ":!d/", ":(exclude,icase)D"}) {
    const auto spec = Pathspec::Parse({excluded});
    ASSERT_TRUE(spec.has_value());
    EXPECT_TRUE(spec->MayEnter("d/")) << excluded;
    EXPECT_TRUE(spec->MayEnter("dx/e/")) << excluded;
    EXPECT_FALSE(spec->MayEnter("d/e/")) << excluded;
    EXPECT_FALSE(spec->MayEnter("d/e/f/")) << excluded;
  }
}

// What Git 2.39 and 2.55 list.
TEST(Pathspec, MeansWhatItMeansInGit) {
  EXPECT_EQ(Matching({}), kPaths);
  EXPECT_EQ(Matching({"."}), kPaths);
  EXPECT_EQ(Matching({":/"}), kPaths);
  EXPECT_THAT(Matching({"d"}), ElementsAre("d/a.c", "d/e/b.c", "d/e/b.h"));
  EXPECT_THAT(Matching({"d/"}), ElementsAre("d/a.c", "d/e/b.c", "d/e/b.h"));
  EXPECT_THAT(Matching({"d//e/../a.c"}), ElementsAre("d/a.c"));
  EXPECT_THAT(Matching({"d/."}), ElementsAre("d/a.c", "d/e/b.c", "d/e/b.h"));
  EXPECT_THAT(Matching({"d/a.c/."}), IsEmpty());
  EXPECT_THAT(Matching({"*.c"}), ElementsAre("a.c", "d/a.c", "d/e/b.c"));
  EXPECT_THAT(Matching({"**/*.c"}), ElementsAre("d/a.c", "d/e/b.c"));
  EXPECT_THAT(Matching({"d*"}),
              ElementsAre("d/a.c", "d/e/b.c", "d/e/b.h", "dx"));
  EXPECT_THAT(Matching({":(glob)*.c"}), ElementsAre("a.c"));
  EXPECT_THAT(Matching({":(glob)**/*.c"}),
              ElementsAre("a.c", "d/a.c", "d/e/b.c"));
  EXPECT_THAT(Matching({":(glob)d*"}), ElementsAre("dx"));
  EXPECT_THAT(Matching({":(icase)a.c"}), ElementsAre("a.c", "A.C"));
  EXPECT_THAT(Matching({":(literal)star*"}), ElementsAre("star*"));
  EXPECT_THAT(Matching({":(literal)*"}), IsEmpty());
  EXPECT_THAT(Matching({"d", ":!d/e"}), ElementsAre("d/a.c"));
  EXPECT_THAT(Matching({":(exclude)*.c", ":^z"}),
              ElementsAre("A.C", "d/e/b.h", "dx", "star*"));
  EXPECT_THAT(Matching({":(top,icase)D/E"}), ElementsAre("d/e/b.c", "d/e/b.h"));
}

TEST(Pathspec, WhatGitRefusesIsRefused) {
  const auto message = [](const std::string& pattern) {
    const auto spec = Pathspec::Parse({pattern});
    return spec ? std::string() : spec.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("empty string is not a valid pathspec"));
  EXPECT_THAT(message("/a"), HasSubstr("outside the tree"));
  EXPECT_THAT(message("a/../.."), HasSubstr("outside the tree"));
  EXPECT_THAT(message(":(attr:x)a"), HasSubstr("'attr:x' is not supported"));
  EXPECT_THAT(message(":(glob"), HasSubstr("missing ')'"));
  EXPECT_THAT(message(":(literal,glob)a"), HasSubstr("incompatible"));
  EXPECT_THAT(message(":%a"), HasSubstr("unimplemented pathspec magic '%'"));
}

TEST(Pathspec, DepthIsThatBelowAPattern) {
  auto all = Pathspec::Parse({});
  ASSERT_TRUE(all.has_value());
  all->LimitDepth(0);
  EXPECT_TRUE(all->Matches("a"));
  EXPECT_FALSE(all->Matches("d/a"));
  auto some = Pathspec::Parse({"d"});
  ASSERT_TRUE(some.has_value());
  some->LimitDepth(0);
  EXPECT_TRUE(some->Matches("d/a"));
  EXPECT_FALSE(some->Matches("d/e/b"));
}

}  // namespace
}  // namespace zpack::search
