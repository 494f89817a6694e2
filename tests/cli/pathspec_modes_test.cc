// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'git --literal-pathspecs' and its like mean for 'log', 'grep', 'ls-tree' and
// 'archive' what they mean for Git's commands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using Words = std::vector<std::string>;

class PathspecModesTest : public ::testing::Test {
 protected:
  PathspecModesTest() : repo_(dir_ / "repo") {
    const std::string blob = repo_.WriteBlob("word\n");
    const std::string tree =
        repo_.WriteTree(TreeEntryBytes("100644", "b.c", blob) +
                        TreeEntryBytes("100644", "x", blob));
    Commit(TreeEntryBytes("100644", "*.c", blob));
    Commit(TreeEntryBytes("100644", ":(icase)B.c", blob));
    Commit(TreeEntryBytes("100644", "A.c", blob) +
           TreeEntryBytes("40000", "d", tree));
    Commit(TreeEntryBytes("100644", "a.c", blob));
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  void Commit(const std::string& entries) {
    CommitFields commit;
    commit.tree = repo_.WriteTree(entries);
    if (!last_.empty()) commit.parents = {last_};
    last_ = repo_.WriteCommit(commit);
    repo_.SetRef("refs/heads/main", last_);
    repo_.Git({"symbolic-ref", "HEAD", "refs/heads/main"});
  }

  void ExpectSame(Words git, Words ours, const Words& environment) {
    git.insert(git.begin(), {"git", "-C", repo_.path()});
    ProcessOptions options;
    options.environment = environment;
    const ProcessResult wanted = RunProcess(git, options);
    const ProcessResult actual = RunZpack(ours, options);
    const std::string what =
        ::testing::PrintToString(ours) + ::testing::PrintToString(environment);
    EXPECT_EQ(actual.out, wanted.out) << what;
    EXPECT_EQ(actual.exit_code, wanted.exit_code) << what << actual.err;
    EXPECT_EQ(actual.err, wanted.err) << what;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
  std::string last_;
};

TEST_F(PathspecModesTest, AreThoseOfGit) {
  const std::vector<Words> environments = {
      {},
      {"GIT_LITERAL_PATHSPECS=1"},
      {"GIT_GLOB_PATHSPECS=true"},
      {"GIT_NOGLOB_PATHSPECS=YES"},
      {"GIT_ICASE_PATHSPECS=on"},
      {"GIT_ICASE_PATHSPECS=-1k", "GIT_GLOB_PATHSPECS=0x10"},
      {"GIT_ICASE_PATHSPECS=1", "GIT_NOGLOB_PATHSPECS=1"},
      {"GIT_LITERAL_PATHSPECS=1", "GIT_NOGLOB_PATHSPECS=1"},
      {"GIT_LITERAL_PATHSPECS=off", "GIT_GLOB_PATHSPECS=0",
       "GIT_NOGLOB_PATHSPECS=", "GIT_ICASE_PATHSPECS=No"}};
  for (const Words& environment : environments) {
    for (const char* const path :
         {"*.c", "a.c", "A.c", "d/*", "**/x", "?.C", ":!*.c", ":^A.C", ":/d",
          ":/:d", "::A.C", ":(icase)B.c", ":(literal)*.c", ":(glob)*.c",
          ":(exclude)d", ":(top,icase)D", ":()a.c", "D/"}) {
      ExpectSame({"log", "--format=%H", "--name-only", "--", path},
                 {"log", "--format=%H", "--name-only", file_, "--", path},
                 environment);
      ExpectSame({"grep", "-l", "word", "HEAD~1", "--", path},
                 {"grep", "-l", "word", file_, "HEAD~1", "--", path},
                 environment);
    }
    ExpectSame({"log", "--format=%H"}, {"log", "--format=%H", file_},
               environment);
  }
}

TEST_F(PathspecModesTest, ContradictionsAreErrorsAsInGit) {
  for (const Words& environment :
       std::vector<Words>{{"GIT_LITERAL_PATHSPECS=1", "GIT_GLOB_PATHSPECS=1"},
                          {"GIT_LITERAL_PATHSPECS=1", "GIT_ICASE_PATHSPECS=1"},
                          {"GIT_NOGLOB_PATHSPECS=1", "GIT_GLOB_PATHSPECS=1"}}) {
    ExpectSame({"log", "--", "a.c"}, {"log", file_, "--", "a.c"}, environment);
    ExpectSame({"grep", "-l", "word", "HEAD", "--", "a.c"},
               {"grep", "-l", "word", file_, "HEAD", "--", "a.c"}, environment);
    ExpectSame({"ls-tree", "HEAD", "a.c"}, {"ls-tree", file_, "HEAD", "a.c"},
               environment);
    ExpectSame({"log", "--format=%H"}, {"log", "--format=%H", file_},
               environment);
  }
}

// In the words of Git 2.55.
TEST_F(PathspecModesTest, ValuesMustBeBooleans) {
  for (const std::string value : {"maybe", "3g", "1x", "k", "2 "}) {
    const std::string variable = "GIT_ICASE_PATHSPECS";
    ProcessOptions options;
    options.environment = {variable + "=" + value};
    for (const Words& words : std::vector<Words>{
             {"log", file_, "--", "a.c"}, {"ls-tree", file_, "HEAD", "d"}}) {
      const ProcessResult result = RunZpack(words, options);
      EXPECT_EQ(result.exit_code, 128) << value;
      EXPECT_THAT(result.out, ::testing::IsEmpty()) << value;
      EXPECT_EQ(result.err, "fatal: bad boolean environment value '" + value +
                                "' for '" + variable + "'\n");
    }
    EXPECT_EQ(RunZpack({"log", file_}, options).exit_code, 0) << value;
  }
}

TEST_F(PathspecModesTest, PathsWithoutMagicRefuseModesThatChangeThem) {
  for (const Words& environment :
       std::vector<Words>{{"GIT_GLOB_PATHSPECS=1"},
                          {"GIT_ICASE_PATHSPECS=1"},
                          {"GIT_ICASE_PATHSPECS=1", "GIT_GLOB_PATHSPECS=1"},
                          {"GIT_LITERAL_PATHSPECS=1"},
                          {"GIT_NOGLOB_PATHSPECS=1"}}) {
    ExpectSame({"ls-tree", "HEAD", "a.c"}, {"ls-tree", file_, "HEAD", "a.c"},
               environment);
    ExpectSame({"ls-tree", "HEAD"}, {"ls-tree", file_, "HEAD"}, environment);
  }
  ProcessOptions options;
  options.environment = {"GIT_ICASE_PATHSPECS=1"};
  const ProcessResult archive =
      RunZpack({"archive", file_, "HEAD", "a.c"}, options);
  EXPECT_EQ(archive.exit_code, 128);
  EXPECT_THAT(archive.out, ::testing::IsEmpty());
  EXPECT_EQ(archive.err,
            "fatal: a.c: pathspec magic not supported by this command: "
            "'icase'\n");
}

}  // namespace
}  // namespace zpack::testing
