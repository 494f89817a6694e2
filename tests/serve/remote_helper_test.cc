// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Git reads a .zpack file through git-remote-zpack as it reads a repository.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RemoteHelperTest : public ServeFixture {
 protected:
  std::string Url() const { return "zpack::" + file_; }

  // The dialogue itself, without Git.
  ProcessResult Talk(const std::string& input,
                     const std::vector<std::string>& entries = {}) const {
    return Run({Programs() + "/git-remote-zpack", "origin", file_}, entries,
               input);
  }

  std::string CountOf(const std::string& clone) const {
    return GitIn(clone, {"rev-list", "--count", "HEAD"});
  }
};

TEST_F(RemoteHelperTest, ClonesAllRefsAndObjects) { ExpectCloneOf(Url()); }

TEST_F(RemoteHelperTest, ClonesWithEachProtocolVersion) {
  for (const std::string version : {"0", "1", "2"}) {
    ExpectCloneOf(Url(), {"-c", "protocol.version=" + version});
    const ProcessResult result =
        Git({"-c", "protocol.version=" + version, "ls-remote", Url()},
            {"GIT_TRACE_PACKET=1"});
    const auto announced = HasSubstr("< version " + version);
    if (version == "0") {
      EXPECT_THAT(result.err, Not(HasSubstr("< version")));
    } else {
      EXPECT_THAT(result.err, announced);
    }
  }
}

TEST_F(RemoteHelperTest, ShallowClonesDeepen) {
  const std::string clone = dir_ / "shallow";
  GitOut({"clone", "-q", "--depth", "1", Url(), clone});
  EXPECT_EQ(CountOf(clone), "1");
  GitIn(clone, {"fetch", "-q", "--deepen", "2"});
  EXPECT_EQ(CountOf(clone), "3");
  GitIn(clone, {"fetch", "-q", "--unshallow"});
  EXPECT_EQ(CountOf(clone), "5");
  EXPECT_FALSE(Exists(clone + "/.git/shallow"));
  EXPECT_EQ(GitIn(clone, {"fsck", "--strict"}), "");
}

TEST_F(RemoteHelperTest, PartialClonesFetchBlobsWhenNeeded) {
  const std::string clone = dir_ / "partial";
  GitOut({"clone", "-q", "--filter=blob:none", "--no-checkout", Url(), clone});
  const std::vector<std::string> missing = {"rev-list", "--objects",
                                            "--missing=print", "HEAD"};
  EXPECT_THAT(GitIn(clone, missing), HasSubstr("\n?"));
  GitIn(clone, {"checkout", "-q", "main"});
  EXPECT_EQ(GitIn(clone, {"status", "--porcelain"}), "");
  EXPECT_EQ(GitIn(clone, {"log", "-p", "--format=%H"}),
            GitIn(repo_.path(), {"log", "-p", "--format=%H"}));
}

TEST_F(RemoteHelperTest, FetchesWhatANewerFileHas) {
  const std::string clone = dir_ / "clone.git";
  GitOut({"clone", "-q", "--mirror", Url(), clone});
  const std::string tip = repo_.Git({"rev-parse", "main"});
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("newer", {tip}));
  repo_.Git({"branch", "-D", "other"});
  Convert(file_);
  GitIn(clone, {"fetch", "-q", "--prune"});
  ExpectMirror(clone);
}

// Git has it without an object.
TEST_F(RemoteHelperTest, ClonesRefsToAnEmptyTreeThatIsNotStored) {
  repo_.SetRef("refs/heads/main", repo_.WriteCommit({}));
  repo_.SetRef("refs/tags/tree", kEmptyTree);
  repo_.SetRef("refs/tags/tag", repo_.WriteTag(kEmptyTree, "tree", "tag"));
  Convert(file_);
  for (const std::string version : {"0", "2"}) {
    const std::string clone = dir_ / ("clone" + version);
    GitOut({"-c", "protocol.version=" + version, "clone", "-q", "--mirror",
            Url(), clone});
    ExpectMirror(clone);
  }
  const std::string clone = dir_ / "one.git";
  GitOut({"init", "-q", "--bare",
          "--object-format=" + std::string(ObjectFormatName(TestFormat())),
          clone});
  GitIn(clone,
        {"fetch", "-q", "--no-tags", Url(), "refs/tags/tree:refs/tags/tree"});
  // The client knows it, and asks for nothing.
  EXPECT_EQ(GitIn(clone, {"cat-file", "--batch-check", "--batch-all-objects"}),
            "");
}

// The client has it as the older version of trees that it fetches.
TEST_F(RemoteHelperTest, TheEmptyTreeNeedNotBeStored) {
  const std::string clone = dir_ / "clone.git";
  const std::string filled =
      repo_.WriteTree(TreeEntryBytes("100644", "f", repo_.WriteBlob("f\n")));
  std::vector<std::string> parents;
  for (const std::string& entries :
       {std::string(), TreeEntryBytes("40000", "d", kEmptyTree),
        TreeEntryBytes("40000", "d", filled)}) {
    CommitFields fields;
    fields.tree = entries.empty() ? kEmptyTree : repo_.WriteTree(entries);
    fields.parents = parents;
    parents = {repo_.WriteCommit(fields)};
    repo_.SetRef("refs/heads/main", parents.front());
    Convert(file_);
    if (entries.empty()) {
      GitOut({"clone", "-q", "--mirror", Url(), clone});
    } else {
      GitIn(clone, {"fetch", "-q"});
    }
    ExpectRefsAndObjects(clone);
  }
}

TEST_F(RemoteHelperTest, TagsOfTheEmptyTreeComeWithIt) {
  repo_.SetRef("refs/heads/main", repo_.WriteCommit({}));
  repo_.SetRef("refs/tags/annotated",
               repo_.WriteTag(kEmptyTree, "tree", "annotated"));
  Convert(file_);
  const std::string clone = dir_ / "clone";
  GitOut({"clone", "-q", "--single-branch", Url(), clone});
  EXPECT_EQ(GitIn(clone, {"tag"}), "annotated");
}

// Text that does not compress well.
std::string Noise(unsigned seed) {
  std::string text;
  for (int line = 0; line < 1000; ++line) {
    seed = seed * 1664525 + 1013904223;
    text += std::to_string(seed) + '\n';
  }
  return text;
}

// The client also has an old commit from which a branch was merged. Only the
// newest version of the file makes a small delta.
TEST_F(RemoteHelperTest, ThinPacksHaveTheNewestVersionAsBase) {
  const std::string old = repo_.SimpleCommit(Noise(1), {}, 1700000000);
  const std::string known = repo_.SimpleCommit(Noise(2), {old}, 1700000100);
  repo_.SetRef("refs/heads/main", known);
  Convert(file_);
  const std::string clone = dir_ / "clone";
  GitOut({"clone", "-q", "--bare", Url(), clone});

  const std::string side = repo_.SimpleCommit("side\n", {old}, 1700000200);
  repo_.SetRef(
      "refs/heads/main",
      repo_.SimpleCommit(Noise(2) + "new\n", {known, side}, 1700000300));
  Convert(file_);
  const std::string sent = dir_ / "sent.pack";
  GitOut({"-C", clone, "fetch", "-q", Url(), "main:new"},
         {"GIT_TRACE_PACKFILE=" + sent});
  EXPECT_EQ(GitIn(clone, {"cat-file", "-s", "new:file"}),
            std::to_string(Noise(2).size() + 4));
  EXPECT_LT(fs::file_size(sent), Noise(2).size() / 10);
}

TEST_F(RemoteHelperTest, ListsTheRefsOfTheRepository) {
  EXPECT_EQ(GitOut({"ls-remote", "--symref", Url()}),
            GitOut({"ls-remote", "--symref", repo_.path()}));
}

TEST_F(RemoteHelperTest, RefusesToPush) {
  const std::string before = ReadFile(file_);
  ExpectFatal(Git({"-C", repo_.path(), "push", Url(), "main"}),
              "a .zpack file is read-only: cannot push");
  EXPECT_EQ(ReadFile(file_), before);
}

TEST_F(RemoteHelperTest, HasNoArchives) {
  const ProcessResult result = Git({"archive", "--remote=" + Url(), "HEAD"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("no service 'git-upload-archive'"));
}

TEST_F(RemoteHelperTest, TakesPathsAsTheyAre) {
  for (const std::string name :
       {"a b", "%41", "a:b", "-x", "q'uo\"te", "#?", "\xc3\xa4"}) {
    const std::string file = dir_ / (name + ".zpack");
    fs::copy_file(file_, file, fs::copy_options::overwrite_existing);
    EXPECT_NE(GitOut({"ls-remote", "zpack::" + file}), "") << name;
    // Relative to the current directory.
    EXPECT_NE(GitOut({"ls-remote", "zpack::" + name + ".zpack"}), "") << name;
    EXPECT_NE(GitOut({"ls-remote", "zpack::" + name}), "") << name;
  }
  fs::copy_file(file_, home_ + "/mine.zpack");
  EXPECT_NE(GitOut({"ls-remote", "zpack::~/mine.zpack"}), "");
}

TEST_F(RemoteHelperTest, DecodesUrls) {
  fs::copy_file(file_, dir_ / "a b+%.zpack");
  const std::string path = dir_.path() + "/a%20b+%25.zpack";
  for (const std::string prefix :
       {"zpack::file://", "zpack::file://localhost", "zpack://",
        "zpack::zpack://", "zpack://localhost"}) {
    EXPECT_NE(GitOut({"ls-remote", prefix + path}), "") << prefix;
  }
}

TEST_F(RemoteHelperTest, RefusesOtherAddresses) {
  for (const std::string url :
       {"zpack::ftp://host/x", "zpack::file://host/x", "zpack://relative",
        "zpack::file://", "zpack::", "zpack:///a%00b"}) {
    ExpectFatal(Git({"ls-remote", url}), "invalid address");
  }
}

TEST_F(RemoteHelperTest, NamesTheFileThatIsMissing) {
  ExpectFatal(Git({"ls-remote", "zpack::/nonexistent/x.zpack"}),
              "'/nonexistent/x.zpack' does not exist");
  ExpectFatal(Git({"ls-remote", "zpack::x.zpack"}),
              "'x.zpack' does not exist in '" + dir_.path() + "'");
}

TEST_F(RemoteHelperTest, RefusesWhatIsNoZpackFile) {
  WriteFile(dir_ / "text.zpack", "text");
  for (const std::string& path : {dir_ / "text.zpack", root_}) {
    const ProcessResult result = Git({"ls-remote", "zpack::" + path});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, StartsWith("fatal: "));
    EXPECT_THAT(result.err, HasSubstr(path));
  }
}

// Git writes the first request before the empty line has arrived.
TEST_F(RemoteHelperTest, LeavesTheProtocolItsBytes) {
  const ProcessResult result = Talk(
      "capabilities\nconnect git-upload-pack\n"
      "0014command=ls-refs\n00010009peel\n0000",
      {"GIT_PROTOCOL=version=2"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("connect\n\n\n000eversion 2\n"));
  EXPECT_THAT(result.out, HasSubstr(" refs/heads/main\n"));
}

TEST_F(RemoteHelperTest, EndsWhenGitDoes) {
  EXPECT_EQ(Talk("").exit_code, 0);
  EXPECT_EQ(Talk("capabilities\n\n").exit_code, 0);
}

TEST_F(RemoteHelperTest, RefusesUnknownCommands) {
  ExpectFatal(Talk("list for-push\n"), "unknown command 'list for-push'");
  ExpectFatal(Talk("connect git-upload-pack2\n"), "no service");
  ExpectFatal(Talk(std::string(100000, 'x')), "too long");
  ExpectFatal(Talk("\x1b[2J\n"), "unknown command '\"\\033[2J\"'");
}

TEST_F(RemoteHelperTest, ExplainsItself) {
  const std::string program = Programs() + "/git-remote-zpack";
  EXPECT_EQ(Run({program}).exit_code, 129);
  const ProcessResult help = Run({program, "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("git clone zpack::"));
}

}  // namespace
}  // namespace zpack::testing
