// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Partial clones of a .zpack file fetch what they lack when they need it, with
// every version of the protocol.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

class ServedPartialCloneTest : public ServeFixture {
 protected:
  std::string Url() const { return "zpack::" + file_; }

  // The first line that a client of protocol version 0 gets, with settings
  // '<name>=<value>'.
  std::string Capabilities(const std::vector<std::string>& settings) const {
    std::vector<std::string> entries = {"GIT_CONFIG_COUNT=" +
                                        std::to_string(settings.size())};
    for (size_t i = 0; i < settings.size(); ++i) {
      const size_t end = settings[i].find('=');
      const std::string number = std::to_string(i);
      entries.push_back("GIT_CONFIG_KEY_" + number + '=' +
                        settings[i].substr(0, end));
      entries.push_back("GIT_CONFIG_VALUE_" + number + '=' +
                        settings[i].substr(end + 1));
    }
    const ProcessResult result =
        Run({ZpackBinary(), "upload-pack", "--advertise-refs", file_}, entries);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.substr(0, result.out.find('\n'));
  }

  // The remote helper below `count` processes that look like Git fetching
  // objects that it lacks.
  ProcessResult Nested(int count) const {
    const std::string script = R"(
        if test "$1" -gt 1
        then bash -c "$0" "$0" $(($1 - 1)) "$2" "$3"
        else git-remote-zpack origin "$2"
        fi
        exit $?)";
    return Run({"bash", "-c", script, script, std::to_string(count), file_,
                "fetch.negotiationAlgorithm=noop"});
  }
};

TEST_F(ServedPartialCloneTest, ChecksOutWithEachVersionOfTheProtocol) {
  for (const std::string version : {"0", "1", "2"}) {
    for (const std::string filter :
         {"blob:none", "tree:0", "blob:limit=1", "combine:blob:none+tree:1"}) {
      const std::string clone = dir_ / ("clone-" + version + '-' + filter);
      const ProcessResult cloned =
          Git({"clone", "-q", "-c", "protocol.version=" + version,
               "--filter=" + filter, Url(), clone});
      ASSERT_EQ(cloned.exit_code, 0) << version << filter << cloned.err;
      EXPECT_EQ(GitIn(clone, {"status", "--porcelain"}), "");
      EXPECT_EQ(GitIn(clone, {"log", "-p", "--format=%H"}),
                GitIn(repo_.path(), {"log", "-p", "--format=%H"}));
    }
  }
}

TEST_F(ServedPartialCloneTest, ChecksOutOverSshAndOverPipesWithoutGitProtocol) {
  const std::string clone = dir_ / "clone";
  GitOut({"clone", "-q", "-c", "protocol.version=0", "--filter=blob:none", "-c",
          "remote.origin.uploadpack=git-zpack upload-pack", "-u",
          "git-zpack upload-pack", "file://" + file_, clone});
  EXPECT_EQ(GitIn(clone, {"status", "--porcelain"}), "");
}

// A client that asks for a depth wants each ref that is new to it, even if it
// has the commit. It may lack the files of that commit.
TEST_F(ServedPartialCloneTest, WantsThatTheClientHasHideNoFileOfOtherHistory) {
  const std::string file =
      TreeEntryBytes("100644", "file", repo_.WriteBlob("shared"));
  const std::string other =
      TreeEntryBytes("100644", "other", repo_.WriteBlob("alone"));
  CommitFields fields;
  fields.tree = repo_.WriteTree(file);
  repo_.SetRef("refs/heads/one", repo_.WriteCommit(fields));
  fields.tree = repo_.WriteTree(file + other);
  repo_.SetRef("refs/heads/two", repo_.WriteCommit(fields));
  Convert(file_);
  for (const std::string version : {"0", "1", "2"}) {
    const std::string clone = dir_ / ("clone-" + version);
    GitOut({"init", "-q", "--bare", clone});
    GitIn(clone, {"remote", "add", "origin", Url()});
    const std::string protocol = "protocol.version=" + version;
    GitIn(clone, {"-c", protocol, "fetch", "-q", "--filter=tree:0", "origin",
                  "refs/heads/one:refs/first"});
    GitIn(clone, {"-c", protocol, "fetch", "-q", "--shallow-since=@1600000000",
                  "--filter=object:type=blob", "origin",
                  "+refs/heads/*:refs/heads/*"});
    EXPECT_THAT(GitIn(clone, {"cat-file", "--batch-all-objects",
                              "--batch-check=%(objectname)"}),
                ::testing::HasSubstr(HashObject("blob", "shared")))
        << version;
  }
}

TEST_F(ServedPartialCloneTest, SettingsLimitWhatClientsMayWant) {
  const std::string tip = " allow-tip-sha1-in-want";
  const std::string reachable = " allow-reachable-sha1-in-want";
  struct Case {
    std::vector<std::string> settings;
    bool tip;
    bool reachable;
  };
  for (const Case& one : std::vector<Case>{
           {{}, true, true},
           {{"uploadpack.allowFilter=true"}, true, true},
           {{"uploadpack.allowFilter=false"}, false, false},
           {{"uploadpack.hideRefs=refs/tags"}, false, false},
           {{"transfer.hideRefs=refs/tags"}, false, false},
           {{"uploadpack.allowAnySHA1InWant=false"}, false, false},
           {{"uploadpack.allowTipSHA1InWant=true"}, true, false},
           {{"uploadpack.allowTipSHA1InWant=false"}, false, false},
           {{"uploadpack.allowReachableSHA1InWant=true"}, false, true},
           // The last one counts for whatever it stands for.
           {{"uploadpack.allowTipSHA1InWant=true",
             "uploadpack.allowReachableSHA1InWant=true",
             "uploadpack.allowAnySHA1InWant=false"},
            false,
            false},
           {{"uploadpack.allowAnySHA1InWant=false",
             "uploadpack.allowTipSHA1InWant=true"},
            true,
            false},
           {{"uploadpack.allowAnySHA1InWant=true",
             "uploadpack.allowTipSHA1InWant=false"},
            false,
            true},
           {{"uploadpack.allowAnySHA1InWant=true",
             "uploadpack.allowReachableSHA1InWant=false"},
            true,
            false},
           {{"uploadpack.hideRefs=refs/tags",
             "uploadpack.allowAnySHA1InWant=true"},
            true,
            true}}) {
    const std::string capabilities = Capabilities(one.settings);
    EXPECT_EQ(capabilities.find(tip) != std::string::npos, one.tip)
        << ::testing::PrintToString(one.settings);
    EXPECT_EQ(capabilities.find(reachable) != std::string::npos, one.reachable)
        << ::testing::PrintToString(one.settings);
  }
}

TEST_F(ServedPartialCloneTest, TheHelperRefusesTheEighthFetchWithinAFetch) {
  EXPECT_EQ(Nested(7).exit_code, 0);
  ExpectFatal(Nested(8),
              "Git fetches missing objects for a fetch of missing objects, 8 "
              "times in a row, and would not end; use protocol version 2");
}

// With protocol version 0, Git 2.39 fetches the parents of commits that the
// filter left out with a fetch that needs these parents.
TEST_F(ServedPartialCloneTest, AFetchThatCallsItselfEnds) {
  const std::string clone = dir_ / "clone";
  const std::string trace = dir_ / "trace";
  GitOut({"init", "-q", "--bare", clone});
  GitIn(clone, {"remote", "add", "origin", Url()});
  const ProcessResult result = Run(
      {"timeout", "60", "git", "-C", clone, "-c", "protocol.version=0", "fetch",
       "-q", "--filter=object:type=tag", "origin", "+refs/*:refs/*"},
      {"GIT_TRACE2_EVENT=" + trace});
  EXPECT_NE(result.exit_code, 124) << "ran until the time was over";
  const std::vector<std::string> lines = SplitLines(ReadFile(trace));
  EXPECT_LT(
      std::ranges::count_if(lines,
                            [](const std::string& line) {
                              return line.starts_with(R"({"event":"start")");
                            }),
      100);
}

}  // namespace
}  // namespace zpack::testing
