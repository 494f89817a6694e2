// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The same repository gives the same bytes: in two runs, for any number of
// threads, and however the objects lie on disk.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

class DeterminismTest : public ::testing::Test {
 protected:
  DeterminismTest() : repo_(dir_ / "repo") {
    repo_.History(60);
    for (uint64_t i = 0; i < 30; ++i) repo_.WriteBlob(RandomBytes(i, 50000));
    repo_.SetRef("refs/tags/t", repo_.WriteTag(repo_.Git({"rev-parse", "main"}),
                                               "commit", "t"));
  }

  // Little blocks, so that there are many to race for.
  std::string Convert(std::vector<std::string> options) const {
    const std::string file = dir_ / "x.zpack";
    options.insert(options.begin(),
                   {"convert", "-q", "--force", "--block-size", "16k"});
    options.insert(options.end(), {repo_.path(), file});
    EXPECT_EQ(RunZpack(options).exit_code, 0);
    return ReadFile(file);
  }

  TempDir dir_;
  RepoBuilder repo_;
};

TEST_F(DeterminismTest, TwoRunsGiveTheSameBytes) {
  EXPECT_TRUE(Convert({}) == Convert({}));
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheBytes) {
  const std::string one = Convert({"--threads", "1"});
  EXPECT_TRUE(one == Convert({"--threads", "2"}));
  EXPECT_TRUE(one == Convert({"--threads", "7"}));
  EXPECT_TRUE(one == Convert({"--threads", "0"}));
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheBytesOfWhatIsReachable) {
  EXPECT_TRUE(Convert({"--reachable", "--threads", "1"}) ==
              Convert({"--reachable", "--threads", "2"}));
}

TEST_F(DeterminismTest, PackingTheSourceDoesNotChangeTheBytes) {
  const std::string loose = Convert({});
  repo_.PackAll();
  EXPECT_TRUE(loose == Convert({}));
}

TEST_F(DeterminismTest, RestoredRepositoryConvertsToTheSameBytes) {
  const std::string first = Convert({});
  const std::string restored = dir_ / "restored";
  ASSERT_EQ(RunZpack({"restore", "-q", dir_ / "x.zpack", restored}).exit_code,
            0);
  ASSERT_EQ(RunZpack({"convert", "-q", "--block-size", "16k", restored,
                      dir_ / "y.zpack"})
                .exit_code,
            0);
  EXPECT_TRUE(ReadFile(dir_ / "y.zpack") == first);
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheRestoredRepository) {
  Convert({});
  for (const char* const threads : {"1", "2"}) {
    ASSERT_EQ(RunZpack({"restore", "-q", "--threads", threads, dir_ / "x.zpack",
                        dir_ / ("r" + std::string(threads))})
                  .exit_code,
              0);
  }
  // Packs are named after their content.
  EXPECT_EQ(ListDirectory(dir_ / "r1/objects/pack"),
            ListDirectory(dir_ / "r2/objects/pack"));
}

}  // namespace
}  // namespace zpack::testing
