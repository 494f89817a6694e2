// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Commands that take several files: one table, one array of JSON, and the
// highest exit code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

class SeveralFilesTest : public ::testing::Test {
 protected:
  SeveralFilesTest() : repo_(dir_ / "repo"), other_(dir_ / "other") {
    repo_.History(3);
    other_.History(5);
    Convert(repo_, a_);
    Convert(other_, b_);
  }

  static void Convert(const RepoBuilder& repo, const std::string& file) {
    Require(RunZpack({"convert", "-q", repo.path(), file}).ok(), "convert");
  }
  static Json ShowJson(const std::string& file) {
    return Json::parse(RunZpack({"show", "--json", file}).out);
  }
  static void Damage(const std::string& file) {
    const Json show = ShowJson(file);
    const Json& block = show["blocks"][0];
    std::string bytes = ReadFile(file);
    bytes[block["offset"].get<size_t>() + block["size"].get<size_t>() / 2] ^= 1;
    WriteFile(file, bytes);
  }
  // Objects, bytes, ratio and result of each line after the heading.
  static std::vector<std::string> Table(const std::string& out) {
    std::vector<std::string> lines = SplitLines(out);
    EXPECT_THAT(lines.front(),
                MatchesRegex("file +objects +bytes +ratio +result"));
    lines.erase(lines.begin());
    return lines;
  }

  TempDir dir_;
  RepoBuilder repo_;
  RepoBuilder other_;
  std::string a_ = dir_ / "a.zpack";
  std::string b_ = dir_ / "b.zpack";
  std::string none_ = dir_ / "none.zpack";
};

TEST_F(SeveralFilesTest, VerifyPrintsATableAndTheWorstExitCode) {
  const ProcessResult good = RunZpack({"verify", a_, b_});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.err, IsEmpty());
  const std::string number = " +[0-9]+ +[0-9]+ +[0-9.]+x +";
  EXPECT_THAT(Table(good.out), ElementsAre(MatchesRegex(a_ + number + "ok"),
                                           MatchesRegex(b_ + number + "ok")));
  Damage(b_);
  const ProcessResult bad = RunZpack({"verify", a_, b_});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(Table(bad.out),
              ElementsAre(EndsWith("  ok"), MatchesRegex(b_ + ".* -  bad")));
  EXPECT_THAT(bad.err, AllOf(HasSubstr("error: "), HasSubstr(b_)));
  const ProcessResult failed = RunZpack({"verify", none_, b_, a_});
  EXPECT_EQ(failed.exit_code, 128);
  EXPECT_THAT(Table(failed.out),
              ElementsAre(MatchesRegex(none_ + " +- +- +-  failed"),
                          EndsWith("  bad"), EndsWith("  ok")));
  EXPECT_THAT(failed.err, HasSubstr("error: cannot open '" + none_));
  EXPECT_THAT(RunZpack({"verify", "-q", a_, b_}).out, IsEmpty());
}

TEST_F(SeveralFilesTest, VerifyPrintsAnArrayOfJson) {
  Damage(b_);
  const ProcessResult result = RunZpack({"verify", "--json", a_, b_, none_});
  EXPECT_EQ(result.exit_code, 128);
  const Json all = Json::parse(result.out);
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0]["file"], a_);
  EXPECT_EQ(all[0]["ok"], true);
  EXPECT_EQ(all[1]["ok"], false);
  EXPECT_GT(all[1]["objects_damaged"], 0U);
  EXPECT_EQ(all[2]["file"], none_);
  EXPECT_EQ(all[2]["error"]["code"], "not-found");
}

TEST_F(SeveralFilesTest, VerifyPrintsOneReportInEachFormat) {
  Damage(b_);
  const Json sarif =
      Json::parse(RunZpack({"verify", "--format=sarif", a_, b_, none_}).out);
  ASSERT_THAT(sarif["runs"], SizeIs(1));
  const Json& run = sarif["runs"][0];
  EXPECT_EQ(run["invocations"][0]["exitCode"], 128);
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
  for (const Json& result : run["results"]) {
    EXPECT_EQ(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "file://" + b_);
  }
  const std::string junit =
      RunZpack({"verify", "--format=junit", a_, b_, none_}).out;
  EXPECT_THAT(junit, HasSubstr("tests=\"3\" failures=\"1\" errors=\"1\""));
  const std::string github =
      RunZpack({"verify", "--format=github", a_, b_}).out;
  EXPECT_THAT(github,
              AllOf(StartsWith("::notice file="), HasSubstr("::error file=")));
}

TEST_F(SeveralFilesTest, OptionsForOneFileAreRefused) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"verify", "--expect-hash", std::string(64, 'a'), a_, b_},
           {"verify", "--since", a_, a_, b_},
           {"verify", "-", a_},
           {"show", "--blocks", a_, b_},
           {"show", "--stats", a_, b_},
           {"report", "--html", dir_ / "x.html", a_, b_},
           {"report", "--profiles", a_, b_}}) {
    const ProcessResult result = RunZpack(arguments);
    EXPECT_EQ(result.exit_code, 129) << ::testing::PrintToString(arguments);
    EXPECT_THAT(result.err, HasSubstr("several files"));
  }
}

TEST_F(SeveralFilesTest, ShowAndReportPrintTables) {
  const std::string bytes = std::to_string(std::filesystem::file_size(a_));
  const Json show = ShowJson(a_);
  const std::string row =
      a_ + " +" + show["objects"].dump() + " +" + bytes + " +[0-9.]+x +ok";
  for (const char* const command : {"show", "report"}) {
    const ProcessResult result = RunZpack({command, a_, none_, b_});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(
        Table(result.out),
        ElementsAre(MatchesRegex(row), EndsWith("  failed"), EndsWith("  ok")));
    EXPECT_THAT(result.err, HasSubstr(none_));
    const Json all =
        Json::parse(RunZpack({command, "--json", a_, none_, b_}).out);
    ASSERT_THAT(all, SizeIs(3));
    EXPECT_EQ(all[0]["file"], a_);
    EXPECT_EQ(all[1]["error"]["code"], "not-found");
  }
  EXPECT_THAT(Table(RunZpack({"report", repo_.path(), a_}).out), SizeIs(2));
}

// The contents are those that Git counts.
TEST_F(SeveralFilesTest, TheRatioIsOfTheContents) {
  uint64_t content = 0;
  for (const std::string& line :
       SplitLines(repo_.Git({"cat-file", "--batch-all-objects",
                             "--batch-check=%(objectsize)"}))) {
    content += std::stoull(line);
  }
  char expected[32];
  std::snprintf(expected, sizeof expected, " %.1fx ",
                static_cast<double>(content) /
                    static_cast<double>(std::filesystem::file_size(a_)));
  for (const char* const command : {"show", "verify", "report"}) {
    EXPECT_THAT(Table(RunZpack({command, a_, b_}).out)[0], HasSubstr(expected));
  }
}

TEST_F(SeveralFilesTest, ListRefsPrintsTheRefsBelowEachName) {
  const std::string a = RunZpack({"list-refs", a_}).out;
  const std::string b = RunZpack({"list-refs", b_}).out;
  const ProcessResult both = RunZpack({"list-refs", a_, b_});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(both.out, a_ + ":\n" + a + "\n" + b_ + ":\n" + b);
  // What is no file is a pattern.
  const ProcessResult some =
      RunZpack({"list-refs", a_, b_, "refs/heads/none.zpack"});
  EXPECT_EQ(some.out, a_ + ":\n\n" + b_ + ":\n");
  const Json all = Json::parse(RunZpack({"list-refs", "--json", a_, b_}).out);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[1]["file"], b_);
  EXPECT_THAT(all[1]["refs"], Not(IsEmpty()));
}

}  // namespace
}  // namespace zpack::testing
