// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Data goes to standard output, everything else to standard error; progress
// only where somebody looks at it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ProgressTest : public ::testing::Test {
 protected:
  ProgressTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(5);
  }

  ProcessResult Convert(const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {"convert", "--force"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {repo_.path(), file_});
    return RunZpack(arguments);
  }

  // With a terminal for standard input, output and error, all of which come
  // back as output.
  ProcessResult OnTerminal(const std::string& options,
                           const std::string& before = "") const {
    return RunProcess({"script", "-q", "-e", "-c",
                       before + ZpackBinary() + " convert --force " + options +
                           ' ' + repo_.path() + ' ' + file_,
                       "/dev/null"});
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(ProgressTest, NoneWithoutATerminal) {
  const ProcessResult result = Convert({});
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::StartsWith("Converted "));
  EXPECT_THAT(SplitLines(result.err), ::testing::SizeIs(1));
}

TEST_F(ProgressTest, OnRequest) {
  const ProcessResult result = Convert({"--progress"});
  EXPECT_EQ(result.out, "");
  for (const char* const title :
       {"Enumerating objects: ", "Counting objects: 100% ",
        "Compressing objects: 100% ", "Verifying objects: 100% "}) {
    EXPECT_THAT(result.err, HasSubstr(title));
  }
  EXPECT_THAT(result.err, HasSubstr(", done.\n"));
  const ProcessResult restored =
      RunZpack({"restore", "--progress", file_, dir_ / "r"});
  EXPECT_EQ(restored.out, "");
  EXPECT_THAT(restored.err, HasSubstr("Writing objects: 100% "));
  const ProcessResult verified =
      RunZpack({"verify", "--progress", "--level", "connectivity", file_});
  EXPECT_THAT(verified.err, HasSubstr("Checking connectivity: 100% "));
  EXPECT_THAT(verified.out, HasSubstr(": ok, "));
}

TEST_F(ProgressTest, NeverBeyondAHundredPercent) {
  // Objects that are named in several ways, or twice, are counted once.
  const std::string blob = repo_.WriteBlob("shared");
  CommitFields fields;
  fields.tree = repo_.WriteTree(TreeEntryBytes("100644", "a", blob) +
                                TreeEntryBytes("40000", "b", blob) +
                                TreeEntryBytes("100644", "c", blob));
  repo_.SetRef("refs/heads/odd", repo_.WriteCommit(fields));
  repo_.SetRef("refs/tags/blob", blob);
  ASSERT_TRUE(Convert({}).ok());
  const ProcessResult result =
      RunZpack({"verify", "--progress", "--level", "connectivity", file_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err,
              Not(::testing::ContainsRegex("10[1-9]%|1[1-9][0-9]%")));
}

TEST_F(ProgressTest, QuietSaysNothing) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-q"}, {"--quiet"}, {"-q", "--progress"}}) {
    const ProcessResult result = Convert(options);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out + result.err, "");
  }
}

TEST_F(ProgressTest, JsonStaysAloneOnStandardOutput) {
  const ProcessResult result = Convert({"--json", "--progress"});
  EXPECT_THAT(result.out, ::testing::StartsWith("{"));
  EXPECT_THAT(result.out, ::testing::EndsWith("}\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("100%")));
  EXPECT_THAT(result.err, HasSubstr("Counting objects: 100%"));
}

TEST_F(ProgressTest, ShownOnATerminalUnlessUnwanted) {
  if (RunProcess({"sh", "-c", "command -v script"}).exit_code != 0) {
    GTEST_SKIP() << "script(1) is missing: apt-get install bsdutils";
  }
  EXPECT_THAT(OnTerminal("").out, HasSubstr("Counting objects: 100%"));
  EXPECT_THAT(OnTerminal("--no-progress").out, Not(HasSubstr("Counting")));
  EXPECT_EQ(OnTerminal("-q").out, "");
}

TEST_F(ProgressTest, FitsTheTerminal) {
  if (RunProcess({"sh", "-c", "command -v script"}).exit_code != 0) {
    GTEST_SKIP() << "script(1) is missing: apt-get install bsdutils";
  }
  // Too narrow for the number of objects, and wide enough.
  for (const size_t columns : {24, 200}) {
    const ProcessResult result =
        OnTerminal("", "stty cols " + std::to_string(columns) + "; ");
    ASSERT_TRUE(result.ok()) << result.out;
    std::string text = result.out;
    std::ranges::replace(text, '\r', '\n');
    size_t longest = 0;
    for (const std::string& line : SplitLines(text)) {
      if (!line.starts_with("Compressing")) continue;
      longest = std::max(longest, line.size());
      EXPECT_LT(line.size(), columns);
    }
    EXPECT_EQ(longest == columns - 1, columns == 24);
    EXPECT_THAT(text, HasSubstr(", done.\n"));
  }
}

}  // namespace
}  // namespace zpack::testing
