// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'list-refs <file> <pattern>...' takes the refs that 'git for-each-ref' takes.

#include "read/ref_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

class RefPatternsTest : public ::testing::Test {
 protected:
  RefPatternsTest() : repo_(dir_ / "repo") {
    const std::string tip = repo_.History(1);
    for (const char* const name :
         {"refs/heads/a", "refs/heads/a-b", "refs/heads/ab/c", "refs/heads/b/c",
          "refs/heads/b/c2/d", "refs/tags/v1", "refs/tags/v1.0",
          "refs/tags/v2.0-rc1", "refs/remotes/o/a", "refs/x/y/heads/a",
          "refs/heads/-z", "refs/heads/!x", "refs/heads/\xc3\xa4"}) {
      repo_.SetRef(name, tip);
    }
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(RefPatternsTest, MatchWhatForEachRefMatches) {
  const std::vector<std::vector<std::string>> sets = {
      {"refs/heads"},
      {"refs/heads/"},
      {"refs/heads/a"},
      {"refs/heads/b"},
      {"refs/heads/b/"},
      {"refs/head"},
      {"refs/heads/*"},
      {"refs/heads/a*"},
      {"refs/*/a"},
      {"refs/**/a"},

      {"refs/**"},
      {"refs/heads/**"},
      {"refs/heads/b**"},
      {"refs/tags/v[0-9].0*"},
      {"refs/tags/v[!1]*"},
      {"refs/tags/v?"},
      {"refs/heads/[a-c]"},
      {"refs/heads/[]-]z"},
      {"refs/heads/[-z]z"},
      {"refs/heads/[!a]x"},
      {"refs/heads/[[:punct:]]*"},
      {"refs/heads/[[:alpha:]]"},
      {"refs/heads/[[:nonsense:]]"},
      {"refs/heads/\\a"},
      {"refs/heads/\\*"},
      {"refs/heads/[a"},
      {"*"},
      {"a"},
      {"heads/a"},
      {"refs/*/*/d"},
      {"refs/heads/**/d"},
      {"refs/heads/b/**/d"},
      {"refs/heads/b/c2/**/d"},
      {"refs"},
      {"refs/tags", "refs/heads/a"},
      {"refs/none"},
      {"refs/heads/??"}};
  for (const std::vector<std::string>& patterns : sets) {
    std::vector<std::string> git = {"for-each-ref",
                                    "--format=%(objectname) %(refname)"};
    git.insert(git.end(), patterns.begin(), patterns.end());
    std::vector<std::string> ours = {"list-refs", file_};
    ours.insert(ours.end(), patterns.begin(), patterns.end());
    EXPECT_EQ(RunZpack(ours).out, repo_.TryGit(git).out)
        << ::testing::PrintToString(patterns);
  }
}

TEST_F(RefPatternsTest, HeadIsListedIfItMatches) {
  const std::string head = repo_.Git({"rev-parse", "HEAD"}) + " HEAD\n";
  EXPECT_EQ(RunZpack({"list-refs", file_, "HEAD"}).out, head);
  EXPECT_EQ(RunZpack({"list-refs", file_, "refs/none"}).out, "");
}

TEST_F(RefPatternsTest, JsonTakesPatterns) {
  const auto json = nlohmann::json::parse(
      RunZpack({"list-refs", "--json", file_, "refs/tags/v1"}).out);
  ASSERT_EQ(json["refs"].size(), 1U);
  EXPECT_EQ(json["refs"][0]["name"], "refs/tags/v1");
  EXPECT_EQ(RunZpack({"list-refs", "--fingerprint", file_, "x"}).exit_code,
            129);
}

TEST(RefPatterns, TakeNoExponentialTime) {
  std::string pattern = "refs/";
  for (int i = 0; i < 500; ++i) pattern += "*a";
  const std::string name = "refs/" + std::string(4000, 'a') + "b";
  EXPECT_FALSE(cli::MatchesRefPattern(name, {pattern}));
  EXPECT_TRUE(cli::MatchesRefPattern(name, {pattern + "*b"}));
}

}  // namespace
}  // namespace zpack::testing
