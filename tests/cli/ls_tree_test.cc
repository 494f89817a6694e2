// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// ls-tree prints what 'git ls-tree' prints, byte for byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LsTreeTest : public ::testing::Test {
 protected:
  LsTreeTest() : repo_(dir_ / "repo") {
    const std::string blob = repo_.WriteBlob("content");
    repo_.WriteTree("");
    const std::string inner =
        repo_.WriteTree(TreeEntryBytes("100644", "a b", blob) +
                        TreeEntryBytes("100755", "program", blob) +
                        TreeEntryBytes("120000", "to", blob));
    const std::string middle =
        repo_.WriteTree(TreeEntryBytes("100644", "file", blob) +
                        TreeEntryBytes("40000", "inner", inner) +
                        TreeEntryBytes("160000", "module", FakeId('b')));
    const std::string tree = repo_.WriteTree(
        TreeEntryBytes("100644", "\"quoted\\\"", blob) +
        TreeEntryBytes("100644", "di", blob) +
        TreeEntryBytes("40000", "dir", middle) +
        TreeEntryBytes("100664", "dir2", blob) +
        TreeEntryBytes("40000", "empty", kEmptyTree) +
        TreeEntryBytes("100644", "la\xe4tin", blob) +
        TreeEntryBytes("100644", "new\nline", repo_.WriteBlob("")) +
        TreeEntryBytes("40000", "other", middle) +
        TreeEntryBytes("100644", "star*", blob) +
        TreeEntryBytes("160000", "submodule", FakeId('c')) +
        TreeEntryBytes("100644", "utf8-\xc3\xa4", blob));
    CommitFields fields;
    fields.tree = tree;
    commit_ = repo_.WriteCommit(fields);
    repo_.SetRef("refs/heads/main", commit_);
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(commit_, "commit", "v1"));
    repo_.SetRef("refs/tags/of-blob", repo_.WriteTag(blob, "blob", "of-blob"));
  }

  void Convert() const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
  }
  ProcessResult List(std::vector<std::string> options,
                     const std::vector<std::string>& arguments) const {
    options.insert(options.begin(), "ls-tree");
    options.push_back(file_);
    options.insert(options.end(), arguments.begin(), arguments.end());
    return RunZpack(options);
  }
  void ExpectSame(const std::vector<std::string>& options,
                  const std::vector<std::string>& arguments) const {
    std::vector<std::string> git = {"ls-tree"};
    git.insert(git.end(), options.begin(), options.end());
    git.insert(git.end(), arguments.begin(), arguments.end());
    const ProcessResult expected = repo_.TryGit(git);
    const ProcessResult actual = List(options, arguments);
    EXPECT_EQ(actual.exit_code, expected.exit_code)
        << ::testing::PrintToString(git) << actual.err << expected.err;
    EXPECT_EQ(actual.out, expected.out) << ::testing::PrintToString(git);
    if (expected.ok()) {
      EXPECT_THAT(actual.err, IsEmpty());
    }
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string commit_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(LsTreeTest, EveryOptionWithAndWithoutPaths) {
  Convert();
  const std::vector<std::vector<std::string>> options = {
      {},
      {"-r"},
      {"-t"},
      {"-d"},
      {"-r", "-t"},
      {"-r", "-d"},
      {"-l"},
      {"-r", "--long"},
      {"-z"},
      {"-r", "-l", "-z"},
      {"--name-only"},
      {"--name-status"},
      {"-r", "--name-only", "-z"},
      {"-d", "-t"},
      {"--full-tree"}};
  const std::vector<std::vector<std::string>> paths = {
      {},
      {"dir"},
      {"dir/"},
      {"dir/inner"},
      {"dir/inner/"},
      {"dir/inner/a b", "other"},
      {"dir/inner/none"},
      {"none"},
      {"di"},
      {"di/"},
      {"d"},
      {"./dir//inner/../file"},
      {"dir/."},
      {"dir/.."},
      {"dir/inner/.."},
      {"."},
      {"submodule"},
      {"submodule/"},
      {"submodule/x"},
      {"dir/module/"},
      {"star*"},
      {"di*"},
      {"empty/"},
      {"empty", "utf8-\xc3\xa4", "new\nline"},
      {"dir/file", "dir"},
      {"dir", "dir/file"},
      {""},
      {"../x"},
      {"/dir"}};
  for (const auto& some : options) {
    for (const auto& path : paths) {
      std::vector<std::string> arguments = {"HEAD"};
      arguments.insert(arguments.end(), path.begin(), path.end());
      ExpectSame(some, arguments);
    }
  }
}

TEST_F(LsTreeTest, APathThatMatchesNothingPrintsNothing) {
  Convert();
  for (const char* path : {"none", "dir/none", "di/", "dir2/x", "*", "DIR",
                           "submodule/x", "none/", "dir/inner/a"}) {
    SCOPED_TRACE(path);
    ExpectSame({}, {"HEAD", path});
    ExpectSame({"-r", "-t"}, {"HEAD", path});
    const ProcessResult listed = List({}, {"HEAD", path});
    EXPECT_EQ(listed.exit_code, 0);
    EXPECT_THAT(listed.out, IsEmpty());
  }
}

TEST_F(LsTreeTest, IdsOnly) {
  Convert();
  if (repo_.TryGit({"ls-tree", "--object-only", "HEAD"}).exit_code == 129) {
    GTEST_SKIP() << "this Git is too old";
  }
  ExpectSame({"--object-only"}, {"HEAD"});
  ExpectSame({"--object-only", "-r", "-t", "-z"}, {"HEAD", "dir"});
}

TEST_F(LsTreeTest, EveryFormat) {
  Convert();
  if (repo_.TryGit({"ls-tree", "--format=x", "HEAD"}).exit_code == 129) {
    GTEST_SKIP() << "this Git is too old";
  }
  for (const std::string format :
       {"%(objectmode)|%(objecttype)|%(objectname)|%(objectsize)|"
        "%(objectsize:padded)|%(path)",
        "%(objectmode) %(objecttype) %(objectname)%x09%(path)",
        "%(objectmode) %(objecttype) %(objectname) "
        "%(objectsize:padded)%x09%(path)",
        "%(path)",
        "%(objectname)",
        "%(path)%x00%x0A%x4a%n%%",
        "%%(path)",
        "",
        "x",
        "%",
        "a%",
        "%x",
        "%x0",
        "%xg0",
        "%X41",
        "%q",
        "%(",
        "%()",
        "%(path",
        "%(foo)",
        "%(PATH)",
        "%(objectsize:x)",
        "%(objectname) %(x"}) {
    ExpectSame({"--format=" + format}, {"HEAD"});
    ExpectSame({"-r", "-t", "-z", "--format", format}, {"HEAD", "dir"});
    ExpectSame({"-d", "--format=" + format}, {"HEAD"});
    ExpectSame({"--format=" + format}, {"HEAD:empty"});
  }
  ExpectSame({"--format=%(path)", "--format=%(objectmode)"}, {"HEAD"});
}

TEST_F(LsTreeTest, FormatsThatAreWrongAreNamedAsByGit) {
  Convert();
  for (const auto& [format, why] :
       {std::pair("%q", "element 'q' does not start with '('"),
        std::pair("a%(path", "element '(path' does not end in ')'"),
        std::pair("%(path) %(foo)", "%(foo)")}) {
    const std::string option = std::string("--format=") + format;
    const ProcessResult result = List({option}, {"HEAD"});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_EQ(result.err,
              std::string("fatal: bad ls-tree format: ") + why + '\n');
    EXPECT_THAT(result.out, IsEmpty());
  }
  for (const char* option :
       {"-l", "--name-only", "--name-status", "--object-only"}) {
    const ProcessResult result = List({"--format=%(path)", option}, {"HEAD"});
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_THAT(result.err, HasSubstr("--format can't be combined with other "
                                      "format-altering options"));
  }
}

TEST_F(LsTreeTest, ShortIds) {
  Convert();
  for (const char* option :
       {"--abbrev", "--abbrev=4", "--abbrev=1", "--abbrev=-5", "--abbrev=12",
        "--abbrev=40", "--abbrev=100", "--abbrev=0", "--no-abbrev"}) {
    ExpectSame({option, "-r"}, {"HEAD"});
    ExpectSame({option, "-l"}, {"HEAD"});
  }
  ExpectSame({"--abbrev=5", "--object-only"}, {"HEAD"});
  ExpectSame({"--abbrev=5", "--format=%(objectname) %(path)"}, {"HEAD"});
  ExpectSame({"--no-abbrev", "--abbrev=7"}, {"HEAD"});
  ExpectSame({"--abbrev=7", "--no-abbrev"}, {"HEAD"});
  const ProcessResult whole = RunZpack({"ls-tree", file_, "HEAD"});
  EXPECT_EQ(RunZpack({"ls-tree", "--abbrev=99999999999", file_, "HEAD"}).out,
            whole.out);
  ExpectSame({"--abbrev=x"}, {"HEAD"});
  ExpectSame({"--abbrev="}, {"HEAD"});
}

TEST_F(LsTreeTest, EveryTreeIsh) {
  Convert();
  for (const std::string name :
       {"HEAD", "main", "v1", "v1^{}", "HEAD^{tree}", "HEAD:dir",
        "v1:dir/inner", "HEAD:", "HEAD:empty", "HEAD:dir/file", "of-blob",
        "none", "HEAD:none", "HEAD~1", "HEAD:submodule"}) {
    ExpectSame({"-r"}, {name});
  }
  ExpectSame({}, {commit_});
  ExpectSame({}, {commit_.substr(0, 8)});
}

TEST_F(LsTreeTest, OddModes) {
  const std::string blob = repo_.WriteBlob("odd");
  CommitFields fields;
  fields.tree = repo_.WriteTree(TreeEntryBytes("100600", "a", blob) +
                                TreeEntryBytes("100777", "b", blob) +
                                TreeEntryBytes("120777", "c", blob) +
                                TreeEntryBytes("0", "d", blob) +
                                TreeEntryBytes("040000", "e", kEmptyTree));
  repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  Convert();
  ExpectSame({"-r", "-t"}, {"HEAD"});
}

TEST_F(LsTreeTest, MissingFilesHaveNoSize) {
  CommitFields fields;
  fields.tree =
      repo_.WriteTree(TreeEntryBytes("100644", "gone", FakeId('d')) +
                      TreeEntryBytes("40000", "gone dir", FakeId('e')));
  const std::string commit = repo_.WriteCommit(fields);
  Convert();
  ExpectSame({"-l"}, {commit});
  for (const char* format : {"%(objectmode) %(objecttype) %(objectname) "
                             "%(objectsize:padded)%x09%(path)",
                             "%(path)%(objectname)", "%(objectsize)"}) {
    ExpectSame({std::string("--format=") + format}, {commit});
  }
  const ProcessResult result = List({"-r"}, {commit});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr(FakeId('e')));
}

TEST_F(LsTreeTest, EveryFileHasTheEmptyTree) {
  ASSERT_TRUE(std::filesystem::remove(repo_.LooseObjectPath(kEmptyTree)));
  Convert();
  ExpectSame({}, {kEmptyTree});
  ExpectSame({"-r", "-t"}, {kEmptyTree, "file"});
}

TEST_F(LsTreeTest, WrongUsage) {
  Convert();
  EXPECT_EQ(List({"-l", "--name-only"}, {"HEAD"}).exit_code, 129);
  EXPECT_EQ(List({"--name-only", "--name-status"}, {"HEAD"}).exit_code, 129);
  EXPECT_EQ(List({"--name-only", "--name-only"}, {"HEAD"}).exit_code, 0);
  EXPECT_EQ(List({"--object-only", "--name-only"}, {"HEAD"}).exit_code, 129);
  EXPECT_THAT(List({"-l", "--name-only"}, {"HEAD"}).err,
              HasSubstr("options '--name-only' and '--long' cannot be used "
                        "together"));
  EXPECT_EQ(List({}, {}).exit_code, 129);
  EXPECT_EQ(List({}, {"HEAD", ":(glob)*"}).exit_code, 128);
}

TEST_F(LsTreeTest, DeepTrees) {
  std::string tree = repo_.WriteTree("");
  for (int i = 0; i < 2100; ++i) {
    tree = repo_.WriteTree(TreeEntryBytes("40000", "d", tree));
    if (i == 1000) repo_.SetRef("refs/tags/deep", tree);
  }
  Convert();
  ExpectSame({"-r", "-t"}, {"deep"});
  const ProcessResult result = List({"-r"}, {tree});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("too deep"));
}

}  // namespace
}  // namespace zpack::testing
