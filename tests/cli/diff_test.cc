// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// diff lists what differs between two files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

class DiffTest : public ::testing::Test {
 protected:
  DiffTest() : repo_(dir_ / "repo"), first_(repo_.History(2)) {
    repo_.SetRef("refs/heads/gone", first_);
    Convert(left_);
  }

  void Convert(const std::string& file) const {
    Require(RunZpack({"convert", "-q", repo_.path(), file}).ok(), "convert");
  }
  // Ids of all objects, sorted.
  std::vector<std::string> Objects() const {
    std::vector<std::string> lines = SplitLines(repo_.Git(
        {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}));
    std::ranges::sort(lines);
    return lines;
  }
  ProcessResult Diff(std::vector<std::string> options) const {
    options.insert(options.begin(), "diff");
    options.push_back(left_);
    options.push_back(right_);
    return RunZpack(options);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string first_;
  std::string left_ = dir_ / "left.zpack";
  std::string right_ = dir_ / "right.zpack";
};

TEST_F(DiffTest, TheSameContentInAnotherFormIsNoDifference) {
  Require(RunZpack({"convert", "-q", "--profile", "max", repo_.path(), right_})
              .ok(),
          "convert");
  const ProcessResult result = Diff({});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = Json::parse(Diff({"--json"}).out);
  EXPECT_EQ(json["same"], true);
  EXPECT_EQ(json["only_left_count"], 0);
}

TEST_F(DiffTest, ListsRefsAndObjectsAfterTheirCounts) {
  const std::vector<std::string> before = Objects();
  const std::string tip = repo_.SimpleCommit("more", {first_});
  repo_.SetRef("refs/heads/main", tip);
  repo_.SetRef("refs/heads/new", tip);
  repo_.Git({"update-ref", "-d", "refs/heads/gone"});
  Convert(right_);
  const std::vector<std::string> after = Objects();
  std::string expected = "3 refs and 0 files differ; 0 objects are only in " +
                         left_ + ", " +
                         std::to_string(after.size() - before.size()) +
                         " only in " + right_ + '\n';
  EXPECT_EQ(Diff({"--count"}).out, expected);
  expected += "< " + first_ + " refs/heads/gone\n";
  expected += "< " + first_ + " refs/heads/main\n";
  expected += "> " + tip + " refs/heads/main\n";
  expected += "> " + tip + " refs/heads/new\n";
  for (const std::string& id : after) {
    if (!std::ranges::binary_search(before, id)) expected += "> " + id + '\n';
  }
  const ProcessResult result = Diff({});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, expected);

  const Json json = Json::parse(Diff({"--json"}).out);
  EXPECT_EQ(json["same"], false);
  EXPECT_EQ(json["ref_count"], 3);
  EXPECT_EQ(json["refs"][0]["name"], "refs/heads/gone");
  EXPECT_EQ(json["refs"][0]["right"], nullptr);
  EXPECT_EQ(json["only_right_count"], after.size() - before.size());

  const ProcessResult quiet = Diff({"-q"});
  EXPECT_EQ(quiet.exit_code, 1);
  EXPECT_THAT(quiet.out, IsEmpty());
}

TEST_F(DiffTest, HeadsAndFilesAreCompared) {
  WriteFile(repo_.git_dir() + "/description", "another\n");
  WriteFile(repo_.git_dir() + "/HEAD", "ref: refs/heads/gone\n");
  Convert(right_);
  const ProcessResult result = Diff({});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("1 ref and 1 file differ"));
  EXPECT_THAT(result.out, HasSubstr("< ref: refs/heads/main HEAD\n"));
  EXPECT_THAT(result.out, HasSubstr(" description\n"));
}

TEST_F(DiffTest, FilesThatCannotBeReadAreErrors) {
  const ProcessResult missing = RunZpack({"diff", left_, dir_ / "none"});
  EXPECT_EQ(missing.exit_code, 128);
  EXPECT_THAT(missing.err, HasSubstr("none"));
  EXPECT_EQ(RunZpack({"diff", left_}).exit_code, 129);
}

}  // namespace
}  // namespace zpack::testing
