// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What belongs to a repository in addition to objects and refs survives convert
// and restore: reflogs and with them the stash, description, info, hooks,
// objects of Git LFS.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/repository_files_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using RepositoryFilesTest = RepositoryFilesFixture;

TEST_F(RepositoryFilesTest, StashAndReflogsSurvive) {
  for (const char* content : {"stashed", "stashed later"}) {
    WriteFile(repo_.path() + "/file", content);
    repo_.Git({"stash", "push", "-m", content});
  }
  // Only the reflog reaches this commit.
  repo_.Git({"reset", "-q", "--hard", "HEAD~1"});
  const std::string stashes = repo_.Git({"stash", "list"});
  const std::string reflog = repo_.Git({"reflog"});
  ASSERT_THAT(stashes, HasSubstr("stash@{1}: On main: stashed"));
  ASSERT_TRUE(Convert().ok());
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
  ASSERT_TRUE(Restore().ok());
  const RepoBuilder restored = RepoBuilder::Existing(restored_);
  // Git lists stashes in a work tree only.
  EXPECT_EQ(RunGit({"--git-dir=" + restored_, "--work-tree=.", "stash", "list"},
                   repo_.path())
                .out,
            stashes + '\n');
  EXPECT_EQ(restored.Git({"reflog"}), reflog);
  restored.Git({"gc", "-q", "--prune=now"});
  EXPECT_EQ(restored.Git({"cat-file", "blob", "stash@{1}:file"}), "stashed");
  restored.Git({"fsck", "--full", "--strict"});
}

// Git does not read such a line, either. The second reflog is too large to be
// kept.
TEST_F(RepositoryFilesTest, AReflogThatEndsInALineIsNamed) {
  ASSERT_THAT(Convert().err, Not(HasSubstr("logs/")));
  const std::string log = ReadFile(InGitDir("logs/HEAD"));
  const std::string branch = InGitDir("logs/refs/heads/main");
  std::string lines = ReadFile(branch);
  while (lines.size() <= (size_t{17} << 20)) lines += lines;
  WriteFile(InGitDir("logs/HEAD"), log + log.substr(0, log.size() - 2));
  WriteFile(branch, lines + "0123");
  const ProcessResult converted = Convert();
  ASSERT_TRUE(converted.ok()) << converted.err;
  for (const char* const name : {"logs/HEAD", "logs/refs/heads/main"}) {
    EXPECT_THAT(converted.err,
                HasSubstr("warning: not included: the last line of '" +
                          std::string(name) + "', which does not end\n"));
  }
  ASSERT_TRUE(Restore().ok());
  EXPECT_TRUE(ReadFile(restored_ + "/logs/refs/heads/main") == lines);
}

TEST_F(RepositoryFilesTest, DescriptionInfoAndLfsSurvive) {
  WriteFile(InGitDir("description"), "a project\n");
  WriteFile(InGitDir("info/exclude"), "*.o\n");
  WriteFile(InGitDir("info/attributes"), "*.bin -delta\n");
  std::string large = RandomBytes(1, 9 << 20);  // three pieces
  const std::string name = WriteLfs(large);
  const std::string empty = WriteLfs("");
  ASSERT_TRUE(Convert().ok());
  EXPECT_THAT(ListFiles(), AllOf(HasSubstr("\tdescription\n"), HasSubstr(name),
                                 HasSubstr("\tinfo/attributes\n")));
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored("description"), "a project\n");
  EXPECT_EQ(InRestored("info/exclude"), "*.o\n");
  EXPECT_EQ(InRestored("info/attributes"), "*.bin -delta\n");
  EXPECT_EQ(InRestored(name), large);
  EXPECT_TRUE(fs::exists(restored_ + '/' + empty));
  EXPECT_EQ(RunZpack({"cat-extra", file_, name}).out, large);
  EXPECT_EQ(RunZpack({"cat-extra", file_, "description"}).out, "a project\n");
  const ProcessResult missing = RunZpack({"cat-extra", file_, "info/grafts"});
  EXPECT_EQ(missing.exit_code, 128);
  EXPECT_THAT(missing.err, HasSubstr("no file 'info/grafts' in"));
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
}

TEST_F(RepositoryFilesTest, HooksComeBackInactive) {
  WriteHook("pre-commit");
  WriteHook("update.sample");
  ASSERT_TRUE(Convert().ok());
  EXPECT_THAT(ListFiles(),
              AllOf(HasSubstr("100755"), HasSubstr("\thooks/pre-commit\n"),
                    Not(HasSubstr("sample"))));
  const ProcessResult restored = Restore();
  ASSERT_TRUE(restored.ok());
  EXPECT_THAT(restored.err,
              HasSubstr("hint: 'config.archived', "
                        "'hooks/pre-commit.archived' end in '.archived', so "
                        "that Git does not use them; read them"));
  EXPECT_FALSE(fs::exists(restored_ + "/hooks/pre-commit"));
  EXPECT_TRUE(fs::exists(restored_ + "/hooks/pre-commit.archived"));
  // It counts as the hook that it was.
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
  ASSERT_TRUE(Restore({"--trust"}).ok());
  EXPECT_NE(fs::status(restored_ + "/hooks/pre-commit").permissions() &
                fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
}

TEST_F(RepositoryFilesTest, NamesAFewInactiveFiles) {
  const auto hint = [&] {
    EXPECT_TRUE(Convert().ok());
    return Restore({"--without", "config"}).err;
  };
  WriteHook("a");
  EXPECT_THAT(hint(), HasSubstr("hint: 'hooks/a.archived' ends in '.archived', "
                                "so that Git does not use it; read it before"));
  for (const char* const name : {"b", "c", "d", "e", "f", "g"}) WriteHook(name);
  EXPECT_THAT(hint(), HasSubstr("'hooks/d.archived', 'hooks/e.archived' and 2 "
                                "more end in '.archived'"));
}

TEST_F(RepositoryFilesTest, DefaultsOfGitAreNotStored) {
  WriteFile(InGitDir("description"),
            "Unnamed repository; edit this file 'description' to name the "
            "repository.\n");
  WriteFile(
      InGitDir("info/exclude"),
      "# git ls-files --others --exclude-from=.git/info/exclude\n"
      "# Lines that start with '#' are comments.\n"
      "# For a project mostly in C, the following would be a good set of\n"
      "# exclude patterns (uncomment them if you want to use them):\n"
      "# *.[oa]\n# *~\n");
  WriteFile(InGitDir("info/attributes"), "");
  fs::remove_all(InGitDir("logs"));
  repo_.Git({"config", "--unset", "core.logAllRefUpdates"});
  const ProcessResult converted = Convert();
  EXPECT_THAT(converted.err, Not(HasSubstr(" files ")));
  EXPECT_THAT(ListFiles(), IsEmpty());
  EXPECT_THAT(RunZpack({"show", file_}).out, Not(HasSubstr("FTAB")));
}

TEST_F(RepositoryFilesTest, ChangedDefaultsAreStored) {
  const std::string description =
      "Unnamed repository; edit this file 'description' to name the "
      "repository.\nTicket 4711\n";
  WriteFile(InGitDir("description"), description);
  WriteFile(InGitDir("info/exclude"), "# *.o, until 2024\n");
  WriteFile(InGitDir("info/attributes"), "# *.png -text\n");
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored("description"), description);
  EXPECT_EQ(InRestored("info/exclude"), "# *.o, until 2024\n");
  EXPECT_EQ(InRestored("info/attributes"), "# *.png -text\n");
  WriteFile(InGitDir("description"), "");
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored("description"), "");
}

// Of a restored repository that got settings and hooks of its own. Nobody has
// ever activated these, so they are not mixed.
TEST_F(RepositoryFilesTest, InactiveFilesBesideActiveOnesAreNotForgotten) {
  repo_.Git({"config", "--unset", "core.logAllRefUpdates"});
  WriteFile(InGitDir("config.archived"),
            "[remote \"up\"]\n\turl = https://user:word@example.com/x\n"
            "[http]\n\textraHeader = Authorization: x\n");
  WriteFile(InGitDir("hooks/update.archived"), "old\n");
  WriteHook("update");
  const ProcessResult alone = Convert();
  EXPECT_THAT(
      alone.err,
      AllOf(HasSubstr("not included: 'hooks/update.archived', because "
                      "'hooks/update' is there, too"),
            HasSubstr("setting 'http.extraheader', which may hold a secret")));
  EXPECT_EQ(RunZpack({"cat-extra", file_, "config"}).out,
            "[remote \"up\"]\n\turl = \"https://example.com/x\"\n");
  repo_.Git({"config", "user.name", "New"});
  EXPECT_THAT(Convert().err,
              HasSubstr("not included: 'config.archived', because 'config' has "
                        "settings, too"));
  EXPECT_EQ(RunZpack({"cat-extra", file_, "config"}).out,
            "[user]\n\tname = \"New\"\n");
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
}

TEST_F(RepositoryFilesTest, SettingsOfTheWorktreeAreKept) {
  repo_.Git({"config", "--unset", "core.logAllRefUpdates"});
  repo_.Git({"config", "extensions.worktreeConfig", "true"});
  repo_.Git({"config", "--worktree", "user.email", "one@example.com"});
  repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "linked"});
  const RepoBuilder linked = RepoBuilder::Existing(dir_ / "linked");
  linked.Git({"config", "--worktree", "user.email", "two@example.com"});
  EXPECT_THAT(Convert().err, HasSubstr("not included: the settings of one "
                                       "worktree in '"));
  EXPECT_EQ(RunZpack({"cat-extra", file_, "config"}).out,
            "[user]\n\temail = \"one@example.com\"\n");
  ASSERT_TRUE(RunZpack({"convert", "-qf", dir_ / "linked", file_}).ok());
  EXPECT_THAT(RunZpack({"cat-extra", file_, "config"}).out,
              HasSubstr("two@example.com"));
}

TEST_F(RepositoryFilesTest, ReflogsOfTheWorktreesOwnRefsSurvive) {
  const std::string old = repo_.SimpleCommit("old");
  const std::string tip = repo_.Git({"rev-parse", "HEAD"});
  for (const char* const name :
       {"refs/worktree/a", "refs/bisect/bad", "refs/rewritten/x"}) {
    repo_.Git({"update-ref", "--create-reflog", "-m", "one", name, old});
    repo_.Git({"update-ref", "-m", "two", name, tip});
  }
  repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "linked"});
  const RepoBuilder linked = RepoBuilder::Existing(dir_ / "linked");
  linked.Git({"update-ref", "--create-reflog", "refs/worktree/other", tip});
  ASSERT_TRUE(Convert().ok());
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
  EXPECT_THAT(ListFiles(), Not(HasSubstr("refs/worktree/other")));
  ASSERT_TRUE(Restore().ok());
  const RepoBuilder restored = RepoBuilder::Existing(restored_);
  for (const char* const name :
       {"refs/worktree/a", "refs/bisect/bad", "refs/rewritten/x"}) {
    EXPECT_EQ(restored.Git({"rev-parse", std::string(name) + "@{1}"}), old);
  }
  // That of the linked worktree has its own ones alone.
  ASSERT_TRUE(RunZpack({"convert", "-qf", dir_ / "linked", file_}).ok());
  EXPECT_THAT(ListFiles(), AllOf(HasSubstr("logs/refs/worktree/other"),
                                 Not(HasSubstr("refs/bisect"))));
}

TEST_F(RepositoryFilesTest, GroupsCanBeLeftOut) {
  WriteFile(InGitDir("description"), "a project\n");
  WriteHook("pre-commit");
  ASSERT_TRUE(Convert({"--without", "hooks", "--without", "reflogs"}).ok());
  EXPECT_THAT(ListFiles(),
              AllOf(HasSubstr("description"), Not(HasSubstr("hooks")),
                    Not(HasSubstr("logs"))));
  // What was left out on purpose is no difference.
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
  ASSERT_TRUE(Restore({"--without", "description"}).ok());
  EXPECT_THAT(InRestored("description"), HasSubstr("Unnamed repository"));
  const ProcessResult unknown = Convert({"--without", "everything"});
  EXPECT_EQ(unknown.exit_code, 129);
  EXPECT_THAT(unknown.err, HasSubstr("unknown group 'everything'"));
}

TEST_F(RepositoryFilesTest, DifferencesAreReported) {
  WriteFile(InGitDir("info/attributes"), "*.bin -delta\n");
  WriteHook("pre-commit");
  ASSERT_TRUE(Convert().ok());
  WriteFile(InGitDir("description"), "new\n");
  WriteFile(InGitDir("info/attributes"), "*.bin delta\n");
  fs::remove(InGitDir("hooks/pre-commit"));
  const ProcessResult result = VerifyAgainst(repo_.path());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.err,
      AllOf(HasSubstr("file 'description' is missing"),
            HasSubstr("file 'info/attributes' differs from that of the"),
            HasSubstr("file 'hooks/pre-commit' is not in the repository")));
  EXPECT_TRUE(
      RunZpack({"verify", "--allow-newer", "--against", repo_.path(), file_})
          .ok());
}

TEST_F(RepositoryFilesTest, SymbolicLinksAreNotFollowed) {
  WriteFile(dir_ / "secret", "secret\n");
  fs::remove_all(InGitDir("hooks"));
  fs::create_directory(InGitDir("hooks"));
  fs::create_symlink(dir_ / "secret", InGitDir("hooks/pre-commit"));
  fs::create_directories(InGitDir("lfs"));
  fs::create_directories(dir_ / "elsewhere/aa");
  fs::create_symlink(dir_ / "elsewhere", InGitDir("lfs/objects"));
  fs::create_directories(InGitDir("info"));
  fs::remove(InGitDir("info/exclude"));
  fs::create_symlink(dir_ / "secret", InGitDir("info/exclude"));
  const ProcessResult converted = Convert();
  ASSERT_TRUE(converted.ok());
  EXPECT_THAT(converted.err,
              AllOf(HasSubstr("not included: 'hooks/pre-commit' is not a "
                              "regular file"),
                    HasSubstr("not included: 'lfs/objects' is not"),
                    HasSubstr("not included: 'info/exclude' is not")));
  EXPECT_THAT(ListFiles(),
              AllOf(Not(HasSubstr("hooks")), Not(HasSubstr("exclude"))));
}

TEST_F(RepositoryFilesTest, SubmodulesAreNamed) {
  WriteFile(InGitDir("modules/sub/HEAD"), "ref: refs/heads/main\n");
  EXPECT_THAT(Convert().err,
              HasSubstr("not included: the repositories of submodules"));
}

TEST_F(RepositoryFilesTest, IncrementalConversionTakesTheNewFiles) {
  ASSERT_TRUE(Convert().ok());
  const std::string older = dir_ / "older.zpack";
  fs::rename(file_, older);
  WriteFile(repo_.path() + "/file", "three");
  repo_.Git({"commit", "-qam", "three"});
  WriteFile(InGitDir("description"), "later\n");
  ASSERT_TRUE(Convert({"--base", older}).ok());
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
  EXPECT_THAT(ListFiles(), HasSubstr("description"));
}

// In a repository that was restored without trust, a hook may be there in both
// forms. So many hooks that the order of equal names would not be kept by
// chance.
TEST_F(RepositoryFilesTest, ActiveFilesWinOverInactiveOnes) {
  for (int i = 0; i < 40; ++i) {
    const std::string name = "hooks/hook-" + std::to_string(i);
    WriteFile(InGitDir(name + ".archived"), "inactive\n");
    WriteFile(InGitDir(name), "active\n");
  }
  ASSERT_TRUE(Convert().ok());
  for (int i = 0; i < 40; ++i) {
    const std::string name = "hooks/hook-" + std::to_string(i);
    EXPECT_EQ(RunZpack({"cat-extra", file_, name}).out, "active\n") << name;
  }
}

TEST_F(RepositoryFilesTest, ResumedConversionHasTheFilesOfNow) {
  WriteFile(InGitDir("description"), "earlier\n");
  const std::string corrupt = WriteLfs("content");
  WriteFile(InGitDir(corrupt), "other");
  const ProcessResult failed = Convert();
  ASSERT_EQ(failed.exit_code, 128);
  ASSERT_THAT(failed.err, HasSubstr("--resume"));
  WriteFile(InGitDir(corrupt), "content");
  WriteFile(InGitDir("description"), "now\n");
  ASSERT_TRUE(Convert({"--resume"}).ok());
  EXPECT_EQ(RunZpack({"cat-extra", file_, "description"}).out, "now\n");
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
}

TEST_F(RepositoryFilesTest, ShowCountsThem) {
  WriteFile(InGitDir("description"), "a project\n");
  ASSERT_TRUE(Convert().ok());
  EXPECT_THAT(RunZpack({"show", file_}).out,
              HasSubstr("files              2 reflogs, 1 description, "
                        "1 config\n"));
}

// Each byte of the two chunks matters.
TEST_F(RepositoryFilesTest, DamageIsFound) {
  WriteHook("pre-commit");
  ASSERT_TRUE(Convert().ok());
  const std::string good = ReadFile(file_);
  for (const char* id : {"FDAT", "FTAB"}) {
    // The first one is the chunk, the second one its row in the table.
    const size_t begin = good.find(id);
    ASSERT_NE(begin, std::string::npos);
    for (size_t at = begin + 4; at < begin + 60; at += 7) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      WriteFile(file_, bad);
      EXPECT_EQ(RunZpack({"verify", file_}).exit_code, 1) << id << ' ' << at;
    }
  }
}

TEST_F(RepositoryFilesTest, ListsFilesAsJson) {
  WriteFile(InGitDir("description"), "a project\n");
  ASSERT_TRUE(Convert({"--without", "reflogs", "--without", "config"}).ok());
  const auto json =
      nlohmann::json::parse(RunZpack({"list-files", "--json", file_}).out);
  ASSERT_EQ(json["files"].size(), 1U);
  EXPECT_EQ(json["files"][0]["name"], "description");
  EXPECT_EQ(json["files"][0]["group"], "description");
  EXPECT_EQ(json["files"][0]["mode"], "100644");
  EXPECT_EQ(json["files"][0]["size"], 10);
  EXPECT_EQ(json["files"][0]["sha256"], Sha256("a project\n"));
}

TEST_F(RepositoryFilesTest, LinkedWorktreeHasItsOwnHeadLog) {
  repo_.Git({"worktree", "add", "-q", "-b", "side", dir_ / "side"});
  const std::string side = RunGit({"reflog"}, dir_ / "side").out;
  ASSERT_TRUE(RunZpack({"convert", "-q", dir_ / "side", file_}).ok());
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(RepoBuilder::Existing(restored_).Git({"reflog"}) + '\n', side);
}

}  // namespace
}  // namespace zpack::testing
