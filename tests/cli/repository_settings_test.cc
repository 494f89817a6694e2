// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a file says about the place where the repository was, and how it is used
// there: settings, linked worktrees, alternates, and files that the user names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/bytes.h"
#include "support/repository_files_fixture.h"
#include "support/sample_file.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using RepositorySettingsTest = RepositoryFilesFixture;

TEST_F(RepositorySettingsTest, SettingsComeBackInactiveAndWithoutSecrets) {
  repo_.Git({"config", "remote.origin.url", "https://me:hunter@h/x"});
  repo_.Git({"config", "http.https://h/.extraHeader", "hunter"});
  repo_.Git({"config", "alias.last", "log -1"});
  const ProcessResult converted = Convert();
  ASSERT_TRUE(converted.ok());
  EXPECT_THAT(converted.err,
              AllOf(HasSubstr("not included: user and password in setting "
                              "'remote.origin.url'"),
                    HasSubstr("'http.https://h/.extraheader', which may")));
  const std::string stored = RunZpack({"cat-extra", file_, "config"}).out;
  EXPECT_THAT(stored, AllOf(HasSubstr("url = \"https://h/x\""),
                            HasSubstr("last"), Not(HasSubstr("hunter")),
                            Not(HasSubstr("repositoryformatversion"))));
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored("config.archived"), stored);
  EXPECT_THAT(InRestored("config"), Not(HasSubstr("alias")));
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
  ASSERT_TRUE(Restore({"--trust"}).ok());
  EXPECT_FALSE(fs::exists(restored_ + "/config.archived"));
  const RepoBuilder restored = RepoBuilder::Existing(restored_);
  EXPECT_EQ(restored.Git({"config", "alias.last"}), "log -1");
  EXPECT_EQ(restored.Git({"config", "core.bare"}), "true");
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
}

TEST_F(RepositorySettingsTest, TrustedSettingsCannotMoveTheRepository) {
  MemorySource source = SampleHistory(1);
  source.files["config"] =
      "[core]\n\tbare = false\n\tworktree = /\n\teditor = vi\n"
      "[extensions]\n\tpartialClone = x\n";
  WriteFile(file_, std::string(AsText(FileOf(source))));
  ASSERT_TRUE(Restore({"--trust"}).ok());
  const RepoBuilder restored = RepoBuilder::Existing(restored_);
  EXPECT_EQ(restored.Git({"config", "core.bare"}), "true");
  EXPECT_EQ(restored.Git({"config", "core.editor"}), "vi");
  EXPECT_THAT(InRestored("config"),
              AllOf(Not(HasSubstr("worktree")), Not(HasSubstr("partial"))));
}

// core.sharedRepository is in the settings, so it has to hold.
TEST_F(RepositorySettingsTest, TrustedPermissionsAreApplied) {
  const auto mode = [&](const std::string& name) {
    const auto status = fs::status(restored_ + '/' + name);
    return static_cast<unsigned>(status.permissions());
  };
  repo_.Git({"config", "core.sharedRepository", "0600"});
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore({"--trust"}).ok());
  for (const char* const name : {"", "objects", "refs/heads"}) {
    EXPECT_EQ(mode(name), 0700U) << name;
  }
  for (const char* const name : {"HEAD", "config", "packed-refs"}) {
    EXPECT_EQ(mode(name), 0600U) << name;
  }
  // As Git, which reads such a repository.
  MemorySource source = SampleHistory(1);
  source.files["config"] = "[core]\n\tsharedRepository = what\n";
  WriteFile(file_, std::string(AsText(FileOf(source))));
  EXPECT_TRUE(Restore({"--trust"}).ok());
  fs::remove_all(restored_);
  repo_.Git({"config", "core.sharedRepository", "group"});
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore({"--trust"}).ok());
  EXPECT_EQ(mode("") & 02070U, 02070U);
  EXPECT_EQ(mode("objects/pack") & 02070U, 02070U);
  EXPECT_EQ(mode("config") & 0060U, 0060U);
  for (const std::string& pack : ListDirectory(restored_ + "/objects/pack")) {
    EXPECT_EQ(mode("objects/pack/" + pack) & 0222U, 0U) << pack;
  }
}

TEST_F(RepositorySettingsTest, MalformedSettingsAreAnError) {
  // Nobody needs these, and they may have any secret.
  repo_.Git({"config", "--unset", "core.logAllRefUpdates"});
  WriteFile(InGitDir("config.archived"), "not a setting");
  EXPECT_THAT(
      Convert().err,
      HasSubstr("not included: 'config.archived', which is no configuration"));
  MemorySource source = SampleHistory(1);
  source.files["config"] = "not a setting";
  WriteFile(file_, std::string(AsText(FileOf(source))));
  const ProcessResult restored = Restore({"--trust"});
  EXPECT_EQ(restored.exit_code, 128);
  EXPECT_THAT(restored.err, HasSubstr("config"));
  EXPECT_FALSE(fs::exists(restored_));
}

TEST_F(RepositorySettingsTest, LinkedWorktreesComeBack) {
  const std::string side = dir_ / "side";
  repo_.Git({"worktree", "add", "-q", "-b", "side", side});
  repo_.Git({"worktree", "lock", "--reason", "away", side});
  RunGit({"checkout", "-q", "--detach"}, side);
  // Only HEAD of the worktree and its log name this commit.
  RunGit({"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q",
          "--allow-empty", "-m", "lonely"},
         side);
  const std::string commit = RunGit({"rev-parse", "HEAD"}, side).out;
  ASSERT_TRUE(Convert().ok());
  EXPECT_THAT(ListFiles(), AllOf(HasSubstr("\tworktrees/side/HEAD\n"),
                                 HasSubstr("\tworktrees/side/logs/HEAD\n"),
                                 HasSubstr("\tworktrees/side/gitdir\n"),
                                 HasSubstr("\tworktrees/side/locked\n")));
  ASSERT_TRUE(Restore().ok());
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
  const RepoBuilder restored = RepoBuilder::Existing(restored_);
  restored.Git({"gc", "-q", "--prune=now"});
  EXPECT_THAT(restored.Git({"worktree", "list", "--porcelain"}),
              AllOf(HasSubstr("HEAD " + commit), HasSubstr("locked away")));
  EXPECT_EQ(restored.Git({"cat-file", "-t", "worktrees/side/HEAD"}), "commit");
}

// They belong to the repository that was converted.
TEST_F(RepositorySettingsTest,
       LinkedWorktreesDoNotKeepTheCopyFromBeingReplaced) {
  const std::string side = dir_ / "side";
  repo_.Git({"worktree", "add", "-q", "-b", "side", side});
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore().ok());
  EXPECT_TRUE(Restore().ok());
  fs::remove_all(side);
  EXPECT_TRUE(Restore().ok());
  // Now there is one that belongs to the copy.
  RepoBuilder::Existing(restored_).Git(
      {"worktree", "add", "-q", dir_ / "of-the-copy", "main"});
  const ProcessResult refused = Restore();
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("has linked worktrees in 'worktrees'"));
}

TEST_F(RepositorySettingsTest, AlternatesAreNamed) {
  RepoBuilder borrower(dir_ / "borrower", RepoBuilder::Kind::kBare);
  const std::string alternates =
      borrower.git_dir() + "/objects/info/alternates";
  WriteFile(alternates, repo_.git_dir() + "/objects\n");
  borrower.Git({"fetch", "-q", repo_.path(), "main:main"});
  ASSERT_TRUE(RunZpack({"convert", borrower.path(), file_}).ok());
  EXPECT_EQ(RunZpack({"cat-extra", file_, "objects/info/alternates"}).out,
            repo_.git_dir() + "/objects\n");
  // Even with trust the repository stands alone.
  const ProcessResult restored = Restore({"--trust"});
  ASSERT_TRUE(restored.ok());
  EXPECT_THAT(restored.err, HasSubstr("'objects/info/alternates.archived'"));
  EXPECT_FALSE(fs::exists(restored_ + "/objects/info/alternates"));
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
  EXPECT_TRUE(VerifyAgainst(borrower.path()).ok());
}

TEST_F(RepositorySettingsTest, OtherFilesComeOnlyByName) {
  WriteFile(InGitDir("svn/metadata"), "revision 1\n");
  WriteFile(InGitDir("svn/deep/map"), "0 1\n");
  WriteFile(InGitDir("FETCH_HEAD"), "nothing\n");
  ASSERT_TRUE(Convert().ok());
  EXPECT_THAT(ListFiles(), Not(HasSubstr("svn")));
  ASSERT_TRUE(Convert({"--with", "svn/", "--with", "FETCH_HEAD"}).ok());
  EXPECT_THAT(ListFiles(),
              AllOf(HasSubstr("\tsvn/metadata\n"), HasSubstr("\tFETCH_HEAD\n"),
                    HasSubstr("\tsvn/deep/map\n")));
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored("svn/deep/map.archived"), "0 1\n");
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
  // It would be lost.
  EXPECT_EQ(Restore({"--trust"}).exit_code, 128);
  fs::remove_all(restored_);
  ASSERT_TRUE(Restore({"--trust"}).ok());
  EXPECT_EQ(InRestored("svn/deep/map"), "0 1\n");
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
  WriteFile(InGitDir("svn/metadata"), "revision 2\n");
  EXPECT_EQ(VerifyAgainst(repo_.path()).exit_code, 1);
}

TEST_F(RepositorySettingsTest, OtherFilesBelongToNobodyElse) {
  for (const char* path : {"objects", "refs/heads", "HEAD", "Config", "hooks",
                           "../repo", "/etc", "", "a//b", "lfs/objects/x",
                           "worktrees/x", "info/Exclude", "x.archived"}) {
    const ProcessResult refused = Convert({"--with", path});
    EXPECT_EQ(refused.exit_code, 128) << path;
    EXPECT_THAT(refused.err, HasSubstr("cannot include '")) << path;
    EXPECT_FALSE(fs::exists(file_)) << path;
  }
  const ProcessResult missing = Convert({"--with", "svn"});
  EXPECT_EQ(missing.exit_code, 128);
  EXPECT_THAT(missing.err, HasSubstr("cannot include 'svn': no such file in"));
  // A symbolic link on the way.
  WriteFile(dir_ / "outside/secret", "secret\n");
  fs::create_symlink(dir_ / "outside", InGitDir("link"));
  EXPECT_EQ(Convert({"--with", "link/secret"}).exit_code, 128);
}

TEST_F(RepositorySettingsTest, OtherFilesThatCannotBeStoredAreNamed) {
  const auto expect_reason = [&](const std::string& path,
                                 const std::string& reason) {
    const ProcessResult refused = Convert({"--with", path});
    EXPECT_EQ(refused.exit_code, 128) << path;
    EXPECT_THAT(refused.err, HasSubstr("cannot include '" + path + "' of '" +
                                       repo_.path() + "': " + reason));
  };
  fs::create_directory(InGitDir("links"));
  fs::create_symlink("/etc/passwd", InGitDir("links/one"));
  expect_reason("links", "'links/one' is not a regular file");
  WriteFile(InGitDir("names/a\nb"), "");
  expect_reason("names", "'\"names/a\\nb\"' is not a name of other");
  WriteFile(InGitDir("info/exclude"), "*.o\n");
  expect_reason("info", "'info/exclude' is not a name of other");
  fs::create_directory(InGitDir("empty"));
  expect_reason("empty", "it has no files of its own");
}

}  // namespace
}  // namespace zpack::testing
