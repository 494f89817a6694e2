// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/repack.h"

namespace zpack {
namespace {

using testing::HasCode;

// The program refuses these, too; but whoever uses the library loses objects.
TEST(RepackTest, RemovesNothingWithoutANewPackInTheRepository) {
  const testing::TempDir directory;
  const testing::RepoBuilder repo(directory / "repo");
  repo.History(3);
  repo.PackAll();
  const auto before = testing::ListDirectory(repo.path() + "/objects/pack");
  RepackOptions options;
  options.redundant = Redundant::kRemove;
  options.publication = Publication::kNo;
  EXPECT_THAT(Repack(repo.path(), options),
              HasCode(ErrorCode::kInvalidArgument));
  options.publication = Publication::kYes;
  options.output_directory = directory.path();
  EXPECT_THAT(Repack(repo.path(), options),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(testing::ListDirectory(repo.path() + "/objects/pack"), before);
}

}  // namespace
}  // namespace zpack
