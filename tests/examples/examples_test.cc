// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs of tools/examples do what their comments say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;

class ExamplesTest : public ::testing::Test {
 protected:
  ExamplesTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(3);
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  ProcessResult Run(const std::string& name, const std::string& file) const {
    return RunProcess({std::string(ZPACK_EXAMPLES) + "/" + name, file});
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(ExamplesTest, ReadHeadPrintsIdAndCommit) {
  const ProcessResult result = Run("example_read_head", file_);
  ASSERT_TRUE(result.ok()) << result.err;
  EXPECT_EQ(result.out, repo_.Git({"rev-parse", "HEAD"}) + '\n' +
                            repo_.Git({"cat-file", "commit", "HEAD"}) + '\n');
}

TEST_F(ExamplesTest, ReadArchivePrintsRefsAndTotals) {
  const ProcessResult result = Run("example_read_archive", file_);
  ASSERT_TRUE(result.ok()) << result.err;
  EXPECT_THAT(result.out, HasSubstr(repo_.Git({"show-ref", "--heads"}) + '\n'));
  EXPECT_THAT(result.out, HasSubstr("\ncommit 3 "));
  const ProcessResult missing = Run("example_read_archive", file_ + "x");
  EXPECT_EQ(missing.exit_code, 128);
  EXPECT_THAT(missing.err, HasSubstr("fatal: "));
}

TEST_F(ExamplesTest, ListTreePrintsEntriesAndOneFile) {
  const ProcessResult result = Run("example_list_tree", file_);
  ASSERT_TRUE(result.ok()) << result.err;
  const std::string names = repo_.Git({"ls-tree", "--name-only", "HEAD"});
  std::istringstream lines(names);
  for (std::string name; std::getline(lines, name);) {
    EXPECT_THAT(result.out, HasSubstr(repo_.Git({"rev-parse", "HEAD:" + name}) +
                                      ' ' + name + '\n'));
  }
}

TEST_F(ExamplesTest, VerifyAcceptsASoundFile) {
  const ProcessResult result = Run("example_verify_with_progress", file_);
  ASSERT_TRUE(result.ok()) << result.err;
  EXPECT_THAT(result.out, HasSubstr("objects are intact"));
  EXPECT_THAT(result.err, HasSubstr("objects: "));
}

TEST_F(ExamplesTest, VerifyReportsDamage) {
  std::string bytes = ReadFile(file_);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(file_, std::ios::binary) << bytes;
  const ProcessResult result = Run("example_verify_with_progress", file_);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("at offset"));
}

TEST_F(ExamplesTest, EachNamesAFileThatIsMissing) {
  for (const char* name : {"example_read_head", "example_list_tree",
                           "example_verify_with_progress"}) {
    const std::string missing = dir_ / "none";
    const ProcessResult result = Run(name, missing);
    EXPECT_EQ(result.exit_code, 128) << name;
    EXPECT_THAT(result.err, HasSubstr(missing)) << name;
  }
}

}  // namespace
}  // namespace zpack::testing
