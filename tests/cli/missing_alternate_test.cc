// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Alternates that do not exist, as when a disk is not mounted: commands go on
// where Git does, with a warning, and nothing is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class MissingAlternateTest : public RepackFixture {
 protected:
  MissingAlternateTest() {
    repo_.History(3);
    repo_.Git({"repack", "-q", "-a", "-d"});
  }

  static void Borrow(const RepoBuilder& repo, const std::string& from) {
    WriteFile(repo.git_dir() + "/objects/info/alternates", from + '\n');
  }

  std::string Lent() const { return lender_.path() + "/objects"; }
  void TakeAway() const { fs::rename(lender_.path(), dir_ / "away"); }
  void BringBack() const { fs::rename(dir_ / "away", lender_.path()); }

  static auto WarnsOf(const std::string& directory) {
    return HasSubstr("warning: object directory '" + directory +
                     "' does not exist; check objects/info/alternates\n");
  }

  // What Git's own repack says, which does not touch the repository.
  ProcessResult GitRepackOfACopy() const {
    const std::string copy = dir_ / "copy";
    fs::remove_all(copy);
    fs::copy(repo_.path(), copy, fs::copy_options::recursive);
    return RunGit({"repack", "-q", "-a", "-d"}, copy);
  }

  // A reflog names a commit that only the lender has. It needs a blob that is
  // only here, packed. Returns "<commit>:<path of the blob>".
  std::string NeedFromThere() const {
    const std::string tree = repo_.WriteTree(
        TreeEntryBytes("100644", "x", repo_.WriteBlob("for the lender\n")));
    repo_.PackAll();
    CommitFields fields;
    fields.tree = tree;
    const std::string commit = lender_.WriteCommit(fields);
    WriteFile(repo_.git_dir() + "/logs/HEAD",
              FakeId('0') + ' ' + commit + " A <a> 1 +0000\tx\n");
    return commit + ":x";
  }

  RepoBuilder lender_{dir_ / "lender"};
};

TEST_F(MissingAlternateTest, CommandsGoOnWhereGitDoes) {
  const RepoBuilder between(dir_ / "between");
  Borrow(between, Lent());
  const std::string file = dir_ / "a-file";
  WriteFile(file, "");
  TakeAway();
  const std::vector<std::pair<std::string, std::string>> cases = {
      {Lent(), Lent()},
      {between.path() + "/objects", Lent()},
      {file, file},
      {file + "/below", file + "/below"}};
  const std::string out = dir_ / "out.zpack";
  for (const auto& [alternate, missing] : cases) {
    SCOPED_TRACE(alternate);
    Borrow(repo_, alternate);
    ProcessResult result = GitRepackOfACopy();
    ASSERT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    ASSERT_THAT(result.err, HasSubstr("alternate"));
    result = RunZpack({"convert", "-q", "-f", repo_.path(), out});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, WarnsOf(missing));
    result = RunZpack({"verify", "-q", "--against", repo_.path(), out});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, WarnsOf(missing));
    result = Repack({"-d"});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, WarnsOf(missing));
    EXPECT_THAT(Packs(), SizeIs(1));
  }
}

TEST_F(MissingAlternateTest, JsonNamesIt) {
  Borrow(repo_, Lent());
  TakeAway();
  const std::string out = dir_ / "out.zpack";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"convert", "--json", repo_.path(), out},
        {"verify", "--json", "--against", repo_.path(), out},
        {"repack", "--json", repo_.path()}}) {
    const ProcessResult result = RunZpack(arguments);
    const auto rows =
        nlohmann::json::parse(result.out).at("missing_alternates");
    ASSERT_THAT(rows, SizeIs(1)) << result.out;
    EXPECT_EQ(rows.at(0).at("path"), Lent());
  }
}

TEST_F(MissingAlternateTest, WhatRefsNeedFromItIsNamed) {
  Borrow(repo_, Lent());
  const std::string blob = lender_.WriteBlob("lent\n");
  repo_.SetRef("refs/tags/lent", blob);
  const std::string good = dir_ / "good.zpack";
  ASSERT_TRUE(RunZpack({"convert", "-q", repo_.path(), good}).ok());
  TakeAway();
  EXPECT_NE(GitRepackOfACopy().exit_code, 0);
  const auto packs = Packs();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"convert", repo_.path(), dir_ / "bad.zpack"},
        {"repack", "-d", repo_.path()}}) {
    const ProcessResult result = RunZpack(arguments);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("is incomplete: 1 object is missing: " + blob),
                      HasSubstr("alternate '" + Lent() + "' does not exist")));
  }
  EXPECT_FALSE(Exists(dir_ / "bad.zpack"));
  EXPECT_EQ(Packs(), packs);
  const ProcessResult result =
      RunZpack({"verify", "--against", repo_.path(), good});
  EXPECT_EQ(result.exit_code, 1) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, AllOf(WarnsOf(Lent()), HasSubstr(blob)));
}

TEST_F(MissingAlternateTest, RepackLosesNothingThatItMayNeed) {
  Borrow(repo_, Lent());
  const std::string needed = NeedFromThere();
  ASSERT_TRUE(Has(needed));
  const std::string saved = dir_ / "saved";
  fs::copy(repo_.path(), saved, fs::copy_options::recursive);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-d"},
        {"-d", "-A", "--unpack-unreachable=now"},
        {"-d", "--cruft", "--cruft-expiration=now"}}) {
    SCOPED_TRACE(::testing::PrintToString(options));
    fs::remove_all(repo_.path());
    fs::copy(saved, repo_.path(), fs::copy_options::recursive);
    const std::string added = repo_.WriteBlob("new\n");
    repo_.SetRef("refs/tags/new", added);
    TakeAway();
    ProcessResult result = Repack(options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err,
                AllOf(WarnsOf(Lent()),
                      HasSubstr("1 pack with unreachable objects stays")));
    // The old one stays; what was loose is packed.
    EXPECT_THAT(Packs(), SizeIs(2));
    EXPECT_THAT(LooseObjects(), SizeIs(0));
    BringBack();
    EXPECT_TRUE(Has(needed));
    EXPECT_TRUE(Has(added));
    result = Repack(options);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(Packs(), SizeIs(1));
    EXPECT_TRUE(Has(needed));
  }
}

TEST_F(MissingAlternateTest, ShallowBoundariesThatItHasStay) {
  Borrow(repo_, Lent());
  const std::string boundary = lender_.SimpleCommit("boundary\n");
  WriteFile(repo_.git_dir() + "/shallow", boundary + '\n');
  TakeAway();
  EXPECT_EQ(Repack({"-d"}).exit_code, 0);
  EXPECT_EQ(ReadFile(repo_.git_dir() + "/shallow"), boundary + '\n');
}

}  // namespace
}  // namespace zpack::testing
