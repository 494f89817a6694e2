// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// list-refs prints what 'git show-ref --head' and 'git ls-remote' print.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

class ListRefsTest : public ::testing::Test {
 protected:
  ListRefsTest() : repo_(dir_ / "repo"), tip_(repo_.History(2)) {
    const std::string tag = repo_.WriteTag(tip_, "commit", "v1");
    repo_.SetRef("refs/tags/v1", tag);
    repo_.SetRef("refs/tags/nested", repo_.WriteTag(tag, "tag", "nested"));
    repo_.SetRef("refs/tags/light", tip_);
    repo_.SetRef("refs/heads/la\xe4tin", tip_);
    repo_.SetRef("refs/heads/a", tip_);
    repo_.SetRef("refs/remotes/o/main", tip_);
    repo_.WriteLooseRef("refs/remotes/o/HEAD", "ref: refs/remotes/o/main\n");
  }

  ProcessResult List(std::vector<std::string> options) const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
    options.insert(options.begin(), "list-refs");
    options.push_back(file_);
    return RunZpack(options);
  }
  // git ls-remote separates id and name by a tab.
  std::string LsRemote(std::vector<std::string> options) const {
    options.insert(options.begin(), "ls-remote");
    options.push_back(repo_.path());
    std::string out = repo_.Git(options) + '\n';
    std::ranges::replace(out, '\t', ' ');
    return out;
  }

  // What a client of a protocol version sees.
  static std::string LsRemoteOf(const std::string& url,
                                const std::string& version) {
    const std::string directory =
        std::filesystem::path(ZpackBinary()).parent_path();
    const std::string path = "PATH=" + directory + ':' + getenv("PATH");
    ProcessOptions options;
    options.environment = HermeticEnvironment();
    options.environment.push_back(path);
    std::string out = RunProcess({"git", "-c", "protocol.version=" + version,
                                  "ls-remote", "--symref", url},
                                 options)
                          .out;
    std::ranges::replace(out, '\t', ' ');
    return out;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(ListRefsTest, PrintsWhatShowRefPrints) {
  EXPECT_EQ(List({}).out, repo_.Git({"show-ref", "--head"}) + '\n');
}

TEST_F(ListRefsTest, FingerprintIsTheHashOfShowRef) {
  const std::string shown = repo_.Git({"show-ref"}) + '\n';
  EXPECT_EQ(List({"--fingerprint"}).out, Sha1(shown) + '\n');
  const auto json =
      nlohmann::json::parse(RunZpack({"show", "--json", dir_ / "x.zpack"}).out);
  EXPECT_EQ(json["refs_fingerprint"], Sha1(shown));
}

TEST_F(ListRefsTest, WithoutRefsThereIsNoFingerprint) {
  const RepoBuilder empty(dir_ / "empty");
  ASSERT_TRUE(RunZpack({"convert", "-q", empty.path(), dir_ / "e.zpack"}).ok());
  EXPECT_EQ(RunZpack({"list-refs", "--fingerprint", dir_ / "e.zpack"}).out, "");
  EXPECT_TRUE(
      nlohmann::json::parse(RunZpack({"show", "--json", dir_ / "e.zpack"}).out)
          .at("refs_fingerprint")
          .is_null());
}

TEST_F(ListRefsTest, DereferencesAsShowRefDoes) {
  EXPECT_EQ(List({"-d"}).out, repo_.Git({"show-ref", "--head", "-d"}) + '\n');
  EXPECT_EQ(List({"--dereference"}).out, LsRemote({}));
}

TEST_F(ListRefsTest, DereferencesSymbolicRefsToTags) {
  repo_.WriteLooseRef("refs/tags/alias", "ref: refs/tags/v1\n");
  EXPECT_EQ(List({"-d"}).out, repo_.Git({"show-ref", "--head", "-d"}) + '\n');
}

TEST_F(ListRefsTest, DereferencesHeadOfABranchThatIsATag) {
  repo_.SetRef("refs/heads/odd", repo_.Git({"rev-parse", "v1"}));
  WriteFile(repo_.path() + "/HEAD", "ref: refs/heads/odd\n");
  EXPECT_EQ(List({"-d"}).out, repo_.Git({"show-ref", "--head", "-d"}) + '\n');
}

TEST_F(ListRefsTest, CircularSymbolicRefsEnd) {
  repo_.WriteLooseRef("refs/heads/x", "ref: refs/heads/y\n");
  repo_.WriteLooseRef("refs/heads/y", "ref: refs/heads/x\n");
  const ProcessResult result = List({"-d"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, repo_.Git({"show-ref", "--head", "-d"}) + '\n');
}

TEST_F(ListRefsTest, ShowsWhatSymbolicRefsPointAt) {
  const std::string out = List({"--symref"}).out;
  for (const std::string& line : SplitLines(LsRemote({"--symref"}))) {
    if (line.starts_with("ref: ")) {
      EXPECT_THAT(SplitLines(out), ::testing::Contains(line));
    }
  }
  EXPECT_THAT(
      SplitLines(out),
      ::testing::Contains("ref: refs/remotes/o/main refs/remotes/o/HEAD"));
}

// HEAD and the first ref of chains of every length, up to one that is too long.
TEST_F(ListRefsTest, ChainsOfSymbolicRefsEndWhereGitEndsThem) {
  for (int length = 0; length < 7; ++length) {
    SCOPED_TRACE(length);
    std::string last = length % 2 == 0 ? "main" : "unborn";
    for (int i = 0; i < length; ++i) {
      const std::string name = "link" + std::to_string(i);
      repo_.WriteLooseRef("refs/heads/" + name,
                          "ref: refs/heads/" + last + '\n');
      last = name;
    }
    WriteFile(repo_.path() + "/HEAD", "ref: refs/heads/" + last + '\n');
    const std::string ours = List({"--symref", "-d"}).out;
    for (const char* const version : {"0", "1", "2"}) {
      SCOPED_TRACE(version);
      const std::string git = LsRemoteOf(repo_.path(), version);
      EXPECT_EQ(LsRemoteOf("zpack::" + file_, version), git);
      for (const std::string& line : SplitLines(git)) {
        EXPECT_THAT(SplitLines(ours), ::testing::Contains(line));
      }
    }
  }
}

TEST_F(ListRefsTest, NamesAllRefsThatForEachRefNames) {
  std::vector<std::string> ours;
  for (const std::string& line : SplitLines(List({}).out)) {
    if (!line.ends_with(" HEAD")) ours.push_back(line);
  }
  EXPECT_EQ(ours.size(), 8U);
  for (const std::string& line : SplitLines(
           repo_.Git({"for-each-ref", "--format=%(objectname) %(refname)"}))) {
    EXPECT_THAT(ours, ::testing::Contains(line));
  }
}

TEST_F(ListRefsTest, UnbornHeadAndDanglingRefsHaveNoId) {
  repo_.WriteLooseRef("refs/heads/dangling", "ref: refs/heads/gone\n");
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/unborn"});
  EXPECT_THAT(List({}).out,
              ::testing::Not(::testing::HasSubstr(" HEAD\n" + tip_)));
  const std::string out = List({"--symref"}).out;
  EXPECT_THAT(out, ::testing::HasSubstr("ref: refs/heads/unborn HEAD\n"));
  EXPECT_THAT(
      out, ::testing::HasSubstr("ref: refs/heads/gone refs/heads/dangling\n"));
}

TEST_F(ListRefsTest, NoRefsNoOutput) {
  const RepoBuilder empty(dir_ / "empty");
  const std::string file = dir_ / "empty.zpack";
  ASSERT_TRUE(RunZpack({"convert", "-q", empty.path(), file}).ok());
  const ProcessResult result = RunZpack({"list-refs", file});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

}  // namespace
}  // namespace zpack::testing
