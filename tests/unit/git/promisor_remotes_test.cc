// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/promisor_remotes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "git/libgit2_options.h"
#include "git/repository_source.h"
#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;

class PromisorRemotesTest : public ::testing::Test {
 protected:
  Result<PromisorRemotes> Read(const std::string& settings) const {
    const Libgit2Options options;
    testing::WriteFile(repo_.path() + "/config", config_ + settings);
    ZPACK_ASSIGN_OR_RETURN(const auto source, OpenRepository(repo_.path()));
    return source->ReadPromisorRemotes();
  }
  std::vector<PromisorRemote> Remotes(const std::string& settings) const {
    const auto read = Read(settings);
    EXPECT_THAT(read, IsOk());
    return read ? read->remotes : std::vector<PromisorRemote>();
  }

  testing::TempDir dir_;
  testing::RepoBuilder repo_{dir_ / "repo"};
  std::string config_ = testing::ReadFile(repo_.path() + "/config");
};

TEST_F(PromisorRemotesTest, OtherRemotesPromiseNothing) {
  EXPECT_THAT(Remotes("[remote \"a\"]\n\turl = x\n"
                      "[remote \"b\"]\n\turl = x\n\tpromisor = false\n"),
              IsEmpty());
}

TEST_F(PromisorRemotesTest, AFilterIsAPromiseThatNothingTakesBack) {
  EXPECT_THAT(
      Remotes("[remote \"a\"]\n\turl = x\n"
              "[remote \"b\"]\n\turl = y\n\tpartialclonefilter = blob:none\n"
              "[remote \"a\"]\n\tpromisor\n"
              "[remote \"b\"]\n\tpromisor = false\n"),
      ElementsAre(PromisorRemote{"b", "y", "blob:none"},
                  PromisorRemote{"a", "x", ""}));
}

TEST_F(PromisorRemotesTest, HaveTheFirstUrlAndTheLastFilter) {
  EXPECT_THAT(Remotes("[remote \"A.b\"]\n\turl = one\n\turl = two\n\tpromisor\n"
                      "\tpartialclonefilter = blob:none\n"
                      "\tpartialCloneFilter = tree:0\n"),
              ElementsAre(PromisorRemote{"A.b", "one", "tree:0"}));
}

TEST_F(PromisorRemotesTest, AnEmptyUrlForgetsThoseBefore) {
  EXPECT_THAT(Remotes("[remote \"a\"]\n\turl = one\n\turl =\n\turl = two\n"
                      "\turl = three\n\tpromisor\n"),
              ElementsAre(PromisorRemote{"a", "two", ""}));
}

TEST_F(PromisorRemotesTest, TheRemoteOfTheExtensionIsLast) {
  EXPECT_THAT(
      Remotes("[remote \"a\"]\n\turl = x\n"
              "[remote \"b\"]\n\turl = y\n\tpromisor = true\n"
              "[extensions]\n\tpartialClone = a\n"),
      ElementsAre(PromisorRemote{"b", "y", ""}, PromisorRemote{"a", "x", ""}));
}

TEST_F(PromisorRemotesTest, CredentialsAreLeftOut) {
  const auto read = Read(
      "[remote \"a\"]\n\turl = https://me:hunter@h/x\n\tpromisor\n"
      "[remote \"b\"]\n\turl = https://hunter@h/x\n\tpromisor\n"
      "[remote \"c\"]\n\turl = ssh://git:hunter@h/x\n\tpromisor\n"
      "[remote \"d\"]\n\turl = git@h:x\n\tpromisor\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->remotes,
              ElementsAre(PromisorRemote{"a", "https://h/x", ""},
                          PromisorRemote{"b", "https://h/x", ""},
                          PromisorRemote{"c", "ssh://git@h/x", ""},
                          PromisorRemote{"d", "git@h:x", ""}));
  EXPECT_THAT(read->left_out,
              ElementsAre(HasSubstr("remote 'a'"), HasSubstr("remote 'b'"),
                          HasSubstr("remote 'c'")));
}

TEST_F(PromisorRemotesTest, NamesThatNoFileCanHoldAreLeftOut) {
  const auto read = Read("[remote \"a b\"]\n\turl = x\n\tpromisor\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->remotes, IsEmpty());
  EXPECT_THAT(read->left_out, ElementsAre(HasSubstr("'a b'")));
}

TEST_F(PromisorRemotesTest, AValueThatIsNoBooleanIsAnError) {
  EXPECT_THAT(Read("[remote \"a\"]\n\tpromisor = perhaps\n"),
              HasCode(ErrorCode::kGit));
}

TEST_F(PromisorRemotesTest, SettingsReadTheSameAgain) {
  const std::vector<PromisorRemote> remotes = {
      {"a\"b", "x \\\"#;", "combine:tree:0+blob:none"}, {"c", "", ""}};
  const auto settings =
      MissingRemoteSettings(repo_.path() + "/config", remotes);
  ASSERT_THAT(settings, IsOk());
  EXPECT_EQ(
      Remotes("[extensions]\n" + PartialCloneExtension(remotes) + *settings),
      remotes);
}

TEST_F(PromisorRemotesTest, AUrlThatIsThereIsNotAddedAgain) {
  testing::WriteFile(repo_.path() + "/config",
                     "[remote \"a\"]\n\turl = there\n");
  const auto settings =
      MissingRemoteSettings(repo_.path() + "/config", {{"a", "again", ""}});
  ASSERT_THAT(settings, IsOk());
  EXPECT_EQ(*settings, "[remote \"a\"]\n\tpromisor = true\n");
}

TEST_F(PromisorRemotesTest, SettingsThatAreThereAreNotAddedAgain) {
  const std::string config = repo_.path() + "/config";
  testing::WriteFile(config,
                     "[remote \"a\"]\n\turl = x\n\tpromisor = true\n"
                     "\tpartialclonefilter = blob:none\n");
  const auto same = MissingRemoteSettings(config, {{"a", "x", "blob:none"}});
  ASSERT_THAT(same, IsOk());
  EXPECT_EQ(*same, "");
  const auto other = MissingRemoteSettings(config, {{"a", "x", "tree:0"}});
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ(*other, "[remote \"a\"]\n\tpartialclonefilter = \"tree:0\"\n");
}

}  // namespace
}  // namespace zpack
