// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// git-zpack shell as the forced command of a key.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using std::string_literals::operator""s;
using ::testing::HasSubstr;

class ShellTest : public ServeFixture {
 protected:
  ShellTest() {
    Convert(dir_ / "secret.zpack");
    fs::create_directories(root_ + "/group");
    fs::copy_file(file_, root_ + "/group/deep.zpack");
    fs::create_symlink(dir_ / "secret.zpack", root_ + "/out.zpack");
    fs::create_symlink("../secret.zpack", root_ + "/out2.zpack");
    fs::create_symlink(dir_.path(), root_ + "/updir");
    fs::create_symlink(file_, root_ + "/absolute.zpack");
    fs::create_symlink("../project.zpack", root_ + "/group/relative.zpack");
    fs::create_directory(root_ + "/directory.zpack");
  }

  ProcessResult Shell(const std::string& command) const {
    return Run({ZpackBinary(), "shell", "--root", root_},
               {"SSH_ORIGINAL_COMMAND=" + command});
  }
  // Whether the command is one for the shell that leads to a file.
  bool IsServed(const std::string& command) const {
    return Shell(command).out.find(" refs/heads/main") != std::string::npos;
  }
};

TEST_F(ShellTest, ServesEachNameOfAFile) {
  for (const std::string path :
       {"project", "/project", "project.git", "/project.git", "project.zpack",
        "/project.zpack", "project/", "group/deep", "/group/deep.git",
        "group/relative", "absolute"}) {
    EXPECT_TRUE(IsServed("git-upload-pack '" + path + "'")) << path;
  }
  EXPECT_TRUE(IsServed("git upload-pack 'project'"));
  EXPECT_TRUE(IsServed("git-zpack upload-pack 'project'"));
}

TEST_F(ShellTest, TakesTheCommandAsAnArgument) {
  const ProcessResult result = Run({ZpackBinary(), "shell", "--root", root_,
                                    "-c", "git-upload-pack 'project'"});
  EXPECT_THAT(result.out, HasSubstr(" refs/heads/main"));
}

TEST_F(ShellTest, RemovesTheQuotesThatGitWrites) {
  fs::copy_file(file_, root_ + "/it's a !.zpack");
  EXPECT_TRUE(IsServed(R"(git-upload-pack 'it'\''s a '\!'')"));
  fs::copy_file(file_, root_ + "/$(id)`id`.zpack");
  EXPECT_TRUE(IsServed("git-upload-pack '$(id)`id`'"));
}

TEST_F(ShellTest, RefusesOtherCommands) {
  for (const std::string command :
       {"ls", "git-upload-archive 'project'", "git-shell", "git-upload-pack",
        "git-upload-packx 'project'", "GIT-UPLOAD-PACK 'project'",
        " git-upload-pack 'project'", "git  upload-pack 'project'",
        "git-zpack convert 'a' 'b'", "/bin/sh -c 'id'", "\x1b[2J"}) {
    ExpectFatal(Shell(command), "command not allowed");
  }
  ExpectFatal(Shell("git-receive-pack 'project'"), "read-only: cannot push");
  ExpectFatal(Shell(""), "interactive shell is not available");
}

TEST_F(ShellTest, RefusesOtherQuotes) {
  for (const std::string argument :
       {"project", "\"project\"", "'project", "project'", "'project'x",
        "'project' 'x'", "'project';id", "'project' ", R"('a'\x'b')",
        R"('a'\'')", R"('a'\)", "'a''b'", "--strict 'project'", "'project'\n",
        ""}) {
    ExpectFatal(Shell("git-upload-pack " + argument), "bad quotes");
  }
}

TEST_F(ShellTest, ServesNothingOutsideOfTheRoot) {
  for (const std::string path :
       {"../secret", "/../secret", "group/../../secret", "group/../project",
        "./project", "group//deep", "//project", "", "/", ".git", ".zpack",
        "group/", "group/.git", ".", ".."}) {
    const ProcessResult result = Shell("git-upload-pack '" + path + "'");
    EXPECT_EQ(result.exit_code, 128) << path;
    EXPECT_EQ(result.out, "") << path;
    EXPECT_THAT(result.err, ::testing::StartsWith("fatal: "));
  }
  for (const std::string path :
       {"out", "out2", "updir/secret", "directory", "nothing", "updir", "~/x",
        "project.zpack/x"}) {
    const ProcessResult result = Shell("git-upload-pack '" + path + "'");
    EXPECT_EQ(result.out, "") << path;
    ExpectFatal(result, "does not appear to be a .zpack file");
  }
  const ProcessResult absolute =
      Shell("git-upload-pack '" + (dir_ / "secret.zpack") + "'");
  EXPECT_EQ(absolute.exit_code, 128);
  EXPECT_EQ(absolute.out, "");
}

TEST_F(ShellTest, NeedsARoot) {
  EXPECT_EQ(Run({ZpackBinary(), "shell"}, {"SSH_ORIGINAL_COMMAND=x"}).exit_code,
            129);
  const std::string missing = dir_ / "missing";
  ExpectFatal(Run({ZpackBinary(), "shell", "--root", missing, "-c",
                   "git-upload-pack 'x'"}),
              "cannot open '" + missing + "'");
}

TEST_F(ShellTest, ServesFilesThatDependOnOthers) {
  AddOnto(file_, "second.zpack");
  AddOnto(root_ + "/second.zpack", "third.zpack");
  fs::create_symlink("../third.zpack", root_ + "/group/link.zpack");
  fs::create_directory(root_ + "/a file for each id");
  fs::rename(root_ + "/second.zpack", root_ + "/a file for each id/2");
  fs::create_symlink("a file for each id/2", root_ + "/second.zpack");
  EXPECT_TRUE(IsServed("git-upload-pack 'third'"));
  EXPECT_TRUE(IsServed("git-upload-pack 'group/link'"));
  // Found by its hash.
  fs::rename(root_ + "/second.zpack", root_ + "/renamed.zpack");
  EXPECT_TRUE(IsServed("git-upload-pack 'third'"));
  EXPECT_TRUE(IsServed("git-upload-pack 'group/link'"));
}

TEST_F(ShellTest, TakesNoFileOutsideOfTheRootForOneThatIsNeeded) {
  AddOnto(file_, "second.zpack");
  fs::rename(file_, dir_ / "project.zpack");
  const std::string missing =
      "'second.zpack' depends on 'project.zpack' (file hash ";
  const std::string place = "which is not in '" + root_ + "'";
  fs::create_symlink("second.zpack", root_ + "/project.zpack");
  for (const std::string& target :
       {dir_ / "nothing", dir_ / "project.zpack", "../project.zpack"s,
        "updir/project.zpack"s}) {
    fs::remove(root_ + "/project.zpack");
    fs::create_symlink(target, root_ + "/project.zpack");
    fs::remove(root_ + "/found by its hash.zpack");
    fs::create_symlink(target, root_ + "/found by its hash.zpack");
    const ProcessResult result = Shell("git-upload-pack 'second'");
    EXPECT_EQ(result.out, "");
    ExpectFatal(result, missing);
    ExpectFatal(result, place);
  }
  // What the server names may be anywhere.
  EXPECT_THAT(Run({ZpackBinary(), "shell", "--root", root_},
                  {"SSH_ORIGINAL_COMMAND=git-upload-pack 'second'",
                   "ZPACK_BACKING=" + dir_.path()})
                  .out,
              HasSubstr(" refs/heads/more"));
}

// Of a damaged file, the message has the name that the client knows.
TEST_F(ShellTest, NamesTheFileByItsNameBelowTheRoot) {
  WriteFile(root_ + "/bad.zpack", "text");
  const ProcessResult result = Shell("git-upload-pack 'bad'");
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("bad.zpack"));
  EXPECT_THAT(result.err + result.out, ::testing::Not(HasSubstr("/proc/")));
  fs::create_directory(root_ + "/other");
  AddOnto(file_, "other/second.zpack");
  const ProcessResult lacks = Shell("git-upload-pack 'other/second'");
  ExpectFatal(lacks, "'other/second.zpack' depends on 'project.zpack' (file ");
  ExpectFatal(lacks, "which is not in 'other'");
}

}  // namespace
}  // namespace zpack::testing
