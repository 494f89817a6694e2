// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What 'restore' makes for people who only have Git: a bundle, or a work tree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RestoreBundleTest : public ::testing::Test {
 protected:
  RestoreBundleTest() : repo_(dir_ / "repo") {
    tip_ = repo_.History(6);
    repo_.SetRef("refs/heads/main", tip_);
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip_, "commit", "v1"));
    repo_.SetRef("refs/other/blob", repo_.WriteBlob("a ref names it"));
    unreachable_ = repo_.WriteBlob("nothing names it");
    Convert();
  }

  void Convert() const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
  }
  ProcessResult Bundle(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"restore", "--bundle", bundle_});
    options.push_back(file_);
    return RunZpack(options);
  }
  ProcessResult Git(const std::vector<std::string>& arguments) const {
    return repo_.TryGit(arguments);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string unreachable_;
  std::string file_ = dir_ / "x.zpack";
  std::string bundle_ = dir_ / "x.bundle";
};

TEST_F(RestoreBundleTest, GitVerifiesAndClonesTheBundle) {
  const ProcessResult made = Bundle();
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("and not the 1 object that no ref reaches"));
  const ProcessResult verified = Git({"bundle", "verify", bundle_});
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  // The heads are those that Git writes itself.
  const std::string of_git = dir_ / "git.bundle";
  repo_.Git({"bundle", "create", "-q", of_git, "--all", "HEAD"});
  EXPECT_EQ(Git({"bundle", "list-heads", bundle_}).out,
            Git({"bundle", "list-heads", of_git}).out);
  const std::string clone = dir_ / "clone.git";
  const ProcessResult cloned = Git({"clone", "-q", "--mirror", bundle_, clone});
  ASSERT_EQ(cloned.exit_code, 0) << cloned.err;
  const auto ids = [](const RepoBuilder& repo) {
    return SplitLines(repo.Git(
        {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}));
  };
  std::vector<std::string> expected = ids(repo_);
  std::erase(expected, unreachable_);
  const RepoBuilder copy = RepoBuilder::Existing(clone);
  EXPECT_EQ(ids(copy), expected);
  EXPECT_EQ(copy.Git({"for-each-ref"}), repo_.Git({"for-each-ref"}));
  EXPECT_EQ(copy.TryGit({"fsck", "--full", "--strict"}).exit_code, 0);
}

TEST_F(RestoreBundleTest, AnExistingFileStaysUnlessForced) {
  WriteFile(bundle_, "mine");
  const ProcessResult refused = Bundle();
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("already exists\nhint: use --force"));
  EXPECT_EQ(ReadFile(bundle_), "mine");
  EXPECT_EQ(Bundle({"--force"}).exit_code, 0);
  EXPECT_EQ(Git({"bundle", "verify", bundle_}).exit_code, 0);
  bundle_ = file_;
  const std::string content = ReadFile(file_);
  EXPECT_EQ(Bundle({"--force"}).exit_code, 128);
  EXPECT_EQ(ReadFile(file_), content);
}

TEST_F(RestoreBundleTest, WhatABundleCannotHoldIsRefused) {
  const RepoBuilder empty(dir_ / "empty");
  file_ = dir_ / "empty.zpack";
  Require(RunZpack({"convert", "-q", empty.path(), file_}).ok(), "convert");
  EXPECT_THAT(Bundle().err, HasSubstr("refusing to create an empty bundle"));
  const std::string shallow = dir_ / "shallow";
  repo_.Git({"clone", "-q", "--bare", "--depth=2", "file://" + repo_.path(),
             shallow});
  file_ = dir_ / "shallow.zpack";
  Require(RunZpack({"convert", "-q", shallow, file_}).ok(), "convert");
  EXPECT_THAT(Bundle().err, HasSubstr("shallow repository"));
  EXPECT_FALSE(std::filesystem::exists(bundle_));
}

TEST_F(RestoreBundleTest, DamageLeavesNoBundle) {
  const nlohmann::json show =
      nlohmann::json::parse(RunZpack({"show", "--json", file_}).out);
  std::string bytes = ReadFile(file_);
  for (const nlohmann::json& block : show["blocks"]) {
    bytes[block["offset"].get<size_t>() + block["size"].get<size_t>() / 2] ^= 1;
  }
  WriteFile(file_, bytes);
  const std::vector<std::string> before = ListDirectory(dir_.path());
  const ProcessResult result = Bundle();
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("git zpack salvage"));
  EXPECT_EQ(ListDirectory(dir_.path()), before);
}

TEST_F(RestoreBundleTest, CheckoutMakesAWorkTree) {
  const std::string place = dir_ / "work";
  const ProcessResult result =
      RunZpack({"restore", "--checkout", file_, place});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, ::testing::EndsWith("hint: to read it: git -C '" +
                                              place + "' log --all\n"));
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", repo_.path(), clone});
  const auto files = [](const std::string& directory) {
    std::vector<std::string> names = ListDirectory(directory);
    std::erase(names, ".git");
    return names;
  };
  EXPECT_THAT(files(place), Not(IsEmpty()));
  EXPECT_EQ(files(place), files(clone));
  const RepoBuilder restored = RepoBuilder::Existing(place);
  EXPECT_EQ(restored.Git({"status", "--porcelain"}), "");
  EXPECT_EQ(restored.Git({"rev-parse", "--is-bare-repository"}), "false");
  EXPECT_EQ(restored.Git({"for-each-ref"}), repo_.Git({"for-each-ref"}));
}

TEST_F(RestoreBundleTest, CheckoutAddsNothingToTheReflogs) {
  const std::string place = dir_ / "work";
  ASSERT_TRUE(RunZpack({"restore", "-q", "--checkout", file_, place}).ok());
  EXPECT_FALSE(std::filesystem::exists(place + "/.git/ORIG_HEAD"));
  EXPECT_FALSE(std::filesystem::exists(place + "/.git/logs/HEAD"));
  const ProcessResult verified =
      RunZpack({"verify", "-q", "--against", place, file_});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

// Whatever Git fails at, the work tree is not there, and the repository is.
TEST_F(RestoreBundleTest, CheckoutSaysThatGitFailed) {
  const auto expect_failure = [&](const ProcessResult& result,
                                  const std::string& place) {
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err,
                HasSubstr("hint: the repository in '" + place + "/.git' is "));
    EXPECT_TRUE(std::filesystem::exists(place + "/.git/HEAD"));
  };
  const std::string place = dir_ / "work";
  ProcessOptions options;
  options.environment = {"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.autocrlf",
                         "GIT_CONFIG_VALUE_0=junk"};
  expect_failure(
      RunZpack({"restore", "-q", "--checkout", file_, place}, options), place);
  repo_.Git({"config", "core.autocrlf", "junk"});
  Require(RunZpack({"convert", "-q", "-f", repo_.path(), file_}).ok(),
          "convert");
  const std::string trusted = dir_ / "trusted";
  expect_failure(
      RunZpack({"restore", "-q", "--checkout", "--trust", file_, trusted}),
      trusted);
  repo_.Git({"config", "--unset", "core.autocrlf"});
  std::filesystem::remove(
      repo_.LooseObjectPath(repo_.Git({"rev-parse", "HEAD"})));
  EXPECT_EQ(
      RunZpack({"convert", "-q", "-f", "--keep-going", repo_.path(), file_})
          .exit_code,
      1);
  const std::string lost = dir_ / "lost";
  expect_failure(RunZpack({"restore", "-q", "--checkout", file_, lost}), lost);
}

TEST_F(RestoreBundleTest, CheckoutReplacesNothing) {
  const std::string place = dir_ / "work";
  std::filesystem::create_directory(place);
  WriteFile(place + "/mine", "mine");
  const ProcessResult result =
      RunZpack({"restore", "--checkout", file_, place});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("not an empty directory"));
  EXPECT_THAT(ListDirectory(place), ::testing::ElementsAre("mine"));
  const RepoBuilder empty(dir_ / "empty");
  file_ = dir_ / "empty.zpack";
  Require(RunZpack({"convert", "-q", empty.path(), file_}).ok(), "convert");
  EXPECT_EQ(
      RunZpack({"restore", "--checkout", file_, dir_ / "unborn"}).exit_code, 0);
}

TEST_F(RestoreBundleTest, StandardOutputIsNoDirectory) {
  for (const char* const command : {"restore", "salvage"}) {
    const ProcessResult result = RunZpack({command, file_, "-"});
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_THAT(result.err, HasSubstr("cannot restore to standard output"));
  }
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(RestoreBundleTest, OptionsThatExcludeEachOther) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"--bundle", bundle_, file_, dir_ / "x"},
           {"--bundle", bundle_, "--trust", file_},
           {"--bundle", "", file_},
           {"--checkout", "--keep-going", file_, dir_ / "x"},
           {"--checkout", "--force", file_, dir_ / "x"},
           {file_}}) {
    std::vector<std::string> all = {"restore"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(RunZpack(all).exit_code, 129)
        << ::testing::PrintToString(arguments);
  }
}

}  // namespace
}  // namespace zpack::testing
