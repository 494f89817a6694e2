// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The same repository gives the same bytes: in two runs, for any number of
// threads, and however the objects lie on disk.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/convert.h"
#include "zpack/restore.h"

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
  std::string ConvertIn(unsigned threads, ObjectSet objects = ObjectSet::kAll) {
    return BytesOf(repo_.path(), threads, objects);
  }
  std::string BytesOf(const std::string& repository, unsigned threads,
                      ObjectSet objects = ObjectSet::kAll) {
    ConvertOptions options;
    options.run.threads = threads;
    options.block_size = 16 << 10;
    options.objects = objects;
    options.overwrite = Overwrite::kYes;
    EXPECT_THAT(Convert(repository, file_, options), IsOk());
    return ReadFile(file_);
  }

  // Returns the path of the repository.
  std::string RestoreIn(unsigned threads) {
    const std::string name = dir_ / ("r" + std::to_string(threads));
    RestoreOptions options;
    options.run.threads = threads;
    EXPECT_THAT(Restore(file_, name, options), IsOk());
    return name;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(DeterminismTest, TwoRunsGiveTheSameBytes) {
  EXPECT_TRUE(ConvertIn(0) == ConvertIn(0));
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheBytes) {
  const std::string one = ConvertIn(1);
  EXPECT_TRUE(one == ConvertIn(2));
  EXPECT_TRUE(one == ConvertIn(7));
  EXPECT_TRUE(one == ConvertIn(0));
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheBytesOfWhatIsReachable) {
  EXPECT_TRUE(ConvertIn(1, ObjectSet::kReachable) ==
              ConvertIn(2, ObjectSet::kReachable));
}

TEST_F(DeterminismTest, PackingTheSourceDoesNotChangeTheBytes) {
  const std::string loose = ConvertIn(2);
  repo_.PackAll();
  EXPECT_TRUE(loose == ConvertIn(2));
}

TEST_F(DeterminismTest, RestoredRepositoryConvertsToTheSameBytes) {
  const std::string first = ConvertIn(2);
  EXPECT_TRUE(BytesOf(RestoreIn(2), 2) == first);
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheRestoredRepository) {
  ConvertIn(2);
  // Packs are named after their content.
  EXPECT_EQ(ListDirectory(RestoreIn(1) + "/objects/pack"),
            ListDirectory(RestoreIn(2) + "/objects/pack"));
}

}  // namespace
}  // namespace zpack::testing
