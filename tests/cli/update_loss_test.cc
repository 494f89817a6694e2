// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'convert --update' replaces no file of another repository, and says what the
// older file had and the new one lacks.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/update_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

using UpdateLossTest = UpdateFixture;

// Two repositories often share the empty blob, and licences.
TEST_F(UpdateLossTest, FileOfARepositoryThatSharesOnlyABlobIsKept) {
  const RepoBuilder other(dir_ / "other");
  other.SetRef("refs/heads/main", other.SimpleCommit("other"));
  for (const auto& repo : {std::cref(other), std::cref(repo_)}) {
    repo.get().SetRef("refs/tags/licence", repo.get().WriteBlob("licence"));
  }
  ASSERT_TRUE(RunZpack({"convert", "-q", other.path(), file_}).ok());
  const std::string before = ReadFile(file_);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"-q"}, {"--no-loss"}, {"--reachable"}}) {
    const ProcessResult result = Update(options);
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("'" + file_ +
                                "' is the file of another repository: it "
                                "shares no commit with '"),
                      HasSubstr("use --force to replace it")));
    EXPECT_TRUE(ReadFile(file_) == before);
  }
  const ProcessResult forced = Update({"--force", "-q"});
  EXPECT_EQ(forced.exit_code, 0);
  EXPECT_THAT(forced.err,
              HasSubstr("warning: replaced '" + file_ +
                        "', the file of another repository, which had 3 "
                        "objects that '"));
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
}

// Whether a file may be updated depends on the commits of both sides alone.
TEST_F(UpdateLossTest, ACommitInCommonOrNoCommitMakesTheSameRepository) {
  const auto make = [&](const std::string& name,
                        const std::vector<std::string>& contents) {
    const RepoBuilder repo(dir_ / name);
    std::vector<std::string> parents;
    for (const std::string& content : contents) {
      const std::string blob = repo.WriteBlob(content);
      repo.SetRef("refs/tags/" + content, blob);
      if (content == "licence") continue;
      parents = {repo.SimpleCommit(content, parents)};
      repo.SetRef("refs/heads/main", parents.front());
    }
    return repo.path();
  };
  const std::string nothing = make("nothing", {});
  const std::string blob = make("blob", {"licence"});
  const std::string one = make("one", {"a", "licence"});
  const std::string grown = make("grown", {"a", "b"});
  const std::string other = make("other", {"c", "licence"});
  const std::string others[] = {nothing, blob, one, grown, other};
  for (const std::string& file : others) {
    for (const std::string& source : others) {
      SCOPED_TRACE(file + " then " + source);
      ASSERT_TRUE(RunZpack({"convert", "-qf", file, file_}).ok());
      const bool has_commits = file != nothing && file != blob &&
                               source != nothing && source != blob;
      const bool same = !has_commits || (file == other) == (source == other);
      const ProcessResult result =
          RunZpack({"convert", "--update", source, file_});
      EXPECT_EQ(result.exit_code, same ? 0 : 128) << result.err;
      const std::string now = same ? source : file;
      EXPECT_EQ(RunZpack({"verify", "--against", now, file_}).exit_code, 0);
      // The same rule holds for the other commands.
      ASSERT_TRUE(RunZpack({"convert", "-qf", file, file_}).ok());
      const ProcessResult against =
          RunZpack({"verify", "--against", source, file_});
      EXPECT_EQ(against.exit_code, file == source ? 0 : 1);
      EXPECT_EQ(against.err.contains("another repository"), !same)
          << against.err;
      if (!same) {
        EXPECT_THAT(SplitLines(against.err), ::testing::SizeIs(1));
      }
      const std::string second = dir_ / "second.zpack";
      const ProcessResult based =
          RunZpack({"convert", "-f", "--base", file_, source, second});
      EXPECT_EQ(based.exit_code, 0) << based.err;
      EXPECT_EQ(based.err.contains("another repository"), !same) << based.err;
      const ProcessResult since =
          RunZpack({"verify", "--since", file_, second});
      EXPECT_EQ(since.exit_code, same ? 0 : 128) << since.err;
      EXPECT_EQ(since.err.contains("another repository"), !same) << since.err;
    }
  }
}

TEST_F(UpdateLossTest, SaysWhatTheRepositoryNoLongerHas) {
  repo_.Git({"branch", "side"});
  const std::string commit = repo_.SimpleCommit("of the side");
  repo_.SetRef("refs/heads/side", commit);
  WriteLfs("large");
  const Json first = UpdateJson();
  EXPECT_TRUE(first["lost"].is_null());
  const std::string content = ReadFile(file_);
  const size_t objects = ReadState(repo_.path()).objects.size();
  // A push that removes the branch, and a collection of garbage.
  repo_.Git({"update-ref", "-d", "refs/heads/side"});
  repo_.Git({"reflog", "expire", "--expire=now", "--all"});
  repo_.Git({"gc", "-q", "--prune=now"});
  fs::remove_all(InGitDir("lfs"));
  const size_t lost = objects - ReadState(repo_.path()).objects.size();
  ASSERT_GT(lost, 0U);
  const std::string what = fmt::format(
      "'{}', which had 1 ref, {} objects and 1 object of Git LFS that '{}' "
      "does not have\n",
      file_, lost, repo_.git_dir());

  const ProcessResult refused = Update({"--no-loss", "-q"});
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(
      refused.err,
      AllOf(StartsWith("fatal: '" + file_ + "' has 1 ref, "),
            HasSubstr("such as 'refs/heads/side'"), HasSubstr("--no-loss")));
  EXPECT_TRUE(ReadFile(file_) == content);
  ExpectOnlyTheFile();

  EXPECT_THAT(Update({"--dry-run", "-q"}).err,
              HasSubstr("warning: would replace " + what));
  EXPECT_TRUE(ReadFile(file_) == content);
  const Json dry = UpdateJson({"--dry-run"});
  EXPECT_EQ(Update({"-q"}).err, "warning: replaced " + what);
  EXPECT_EQ(dry["lost"]["refs"], 1);
  EXPECT_EQ(dry["lost"]["objects"], lost);
  EXPECT_EQ(dry["lost"]["lfs_objects"], 1);
  const Json nothing = UpdateJson({"--no-loss"});
  EXPECT_EQ(nothing["update"], "unchanged");
  EXPECT_EQ(nothing["lost"]["refs"], 0);
  EXPECT_EQ(nothing["lost"]["objects"], 0);
}

// With --reachable, the file loses what the repository still has.
TEST_F(UpdateLossTest, NoLossKeepsWhatIsNoLongerReachable) {
  const std::string blob = repo_.WriteBlob("nothing names this");
  ASSERT_EQ(Outcome(), "created");
  const ProcessResult refused = Update({"--no-loss", "--reachable"});
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("such as " + blob));
  EXPECT_EQ(UpdateJson({"--reachable"})["lost"]["objects"], 1);
}

// The older file of '--base' stays in any case. A program learns that the new
// one is no substitute.
TEST_F(UpdateLossTest, ABaseThatHasMoreIsNamed) {
  const std::string blob = repo_.WriteBlob("gone");
  ASSERT_EQ(Outcome(), "created");
  fs::remove(repo_.LooseObjectPath(blob));
  const std::string second = dir_ / "second.zpack";
  std::vector<std::string> convert = {"convert", "--json",     "--base",
                                      file_,     repo_.path(), second};
  const Json lost = Json::parse(RunZpack(convert).out)["lost"];
  EXPECT_EQ(lost["objects"], 1);
  EXPECT_EQ(lost["refs"], 0);
  fs::remove(second);
  convert.insert(convert.begin() + 1, {"--no-loss", "--force"});
  const ProcessResult refused = RunZpack(convert);
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("such as " + blob));
  EXPECT_FALSE(fs::exists(second));
}

TEST_F(UpdateLossTest, NoLossNeedsAnOlderFile) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--no-loss"},
        {"--no-loss", "--update", "--force"}}) {
    EXPECT_EQ(Convert(options).exit_code, 129);
  }
}

TEST_F(UpdateLossTest, FileOfAnotherRepositoryIsKept) {
  const RepoBuilder other(dir_ / "other");
  other.SetRef("refs/heads/main", other.SimpleCommit("other"));
  ASSERT_TRUE(RunZpack({"convert", "-q", other.path(), file_}).ok());
  const std::string before = ReadFile(file_);
  const ProcessResult result = Update();
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err,
              HasSubstr("'" + file_ + "' is the file of another repository"));
  EXPECT_TRUE(ReadFile(file_) == before);
  EXPECT_EQ(Outcome({"--force"}), "updated");
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());

  // An empty repository that has got its first commit is the same repository.
  const RepoBuilder empty(dir_ / "empty");
  ASSERT_TRUE(RunZpack({"convert", "-qf", empty.path(), file_}).ok());
  EXPECT_EQ(Outcome(), "updated");
}

// The file is all there is of them.
TEST_F(UpdateLossTest, ObjectsThatAreOnlyPromisedNowAreKept) {
  ASSERT_EQ(Outcome(), "created");
  const std::string content = ReadFile(file_);
  repo_.Git({"config", "uploadpack.allowFilter", "true"});
  const std::string clone = dir_ / "partial.git";
  ASSERT_TRUE(RunGit({"clone", "-q", "--bare", "--filter=blob:none",
                      "file://" + repo_.path(), clone},
                     dir_.path())
                  .ok());
  std::vector<std::string> update = {"convert", "--update", "--allow-promised",
                                     clone, file_};
  const ProcessResult refused = RunZpack(update);
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("lacks and only promises"));
  EXPECT_TRUE(ReadFile(file_) == content);
  update.insert(update.begin() + 1, "--force");
  EXPECT_EQ(RunZpack(update).exit_code, 0);
}

}  // namespace
}  // namespace zpack::testing
