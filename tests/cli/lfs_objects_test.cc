// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of Git LFS: their names prove their content, and no restore loses
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/repository_files_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

using LfsObjectsTest = RepositoryFilesFixture;

TEST_F(LfsObjectsTest, CorruptObjectIsAnErrorOfTheSource) {
  const std::string name = WriteLfs("content");
  WriteFile(InGitDir(name), "other");
  const ProcessResult converted = Convert();
  EXPECT_EQ(converted.exit_code, 128);
  EXPECT_THAT(converted.err,
              AllOf(HasSubstr(name), HasSubstr("is corrupt: its content")));
  EXPECT_TRUE(Convert({"--without", "lfs"}).ok());
}

// An object of Git LFS may be the only copy, unless it comes back.
TEST_F(LfsObjectsTest, AreReplacedOnlyIfTheyComeBack) {
  const std::string first = WriteLfs("first");
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore().ok());
  WriteFile(restored_ + "/lfs/tmp/part", "half an object");
  WriteFile(restored_ + "/lfs/cache/locks/verifiable", "[]");
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored(first), "first");
  const auto expect_refusal = [&](const std::vector<std::string>& options,
                                  const std::string& name) {
    const ProcessResult refused = Restore(options);
    EXPECT_EQ(refused.exit_code, 128) << name;
    EXPECT_THAT(refused.err,
                HasSubstr("holds '" + name + "', which would be lost"));
    EXPECT_EQ(InRestored(first), "first");
  };
  expect_refusal({"--without", "lfs"}, first);
  expect_refusal({"--keep-going"}, first);
  WriteFile(restored_ + "/lfs/notes", "mine\n");
  expect_refusal({}, "lfs/notes");
  fs::remove(restored_ + "/lfs/notes");
  const std::string second = WriteLfs("second");
  fs::create_directories(fs::path(restored_ + '/' + second).parent_path());
  fs::copy(InGitDir(second), restored_ + '/' + second);
  expect_refusal({}, second);
  fs::remove(restored_ + '/' + second);
  fs::create_symlink(InGitDir(second), restored_ + '/' + second);
  expect_refusal({}, second);
  ASSERT_TRUE(Convert().ok());
  fs::remove(restored_ + '/' + second);
  EXPECT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored(second), "second");
}

}  // namespace
}  // namespace zpack::testing
