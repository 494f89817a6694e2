// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'git-zpack show --stats' names what did not fit the columns, and why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class StatisticsTest : public ::testing::Test {
 protected:
  StatisticsTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(3);
  }

  // An odd object, which the statistics should name for this reason.
  void Odd(const std::string& type, const std::string& reason,
           const std::string& content) {
    const std::string id = repo_.WriteObject(type, content);
    Sum& sum = expected_[{type, reason}];
    sum.ids.insert(id);
    sum.bytes += content.size();
  }

  // What the statistics say of the repository.
  Json Verbatim() {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
    const ProcessResult result = RunZpack({"show", "--stats", "--json", file_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out).at("verbatim");
  }

  struct Sum {
    std::set<std::string> ids;
    uint64_t bytes = 0;
  };
  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::map<std::pair<std::string, std::string>, Sum> expected_;
};

TEST_F(StatisticsTest, UsualObjectsAreNotVerbatim) {
  EXPECT_EQ(Verbatim(), Json::array());
  EXPECT_THAT(RunZpack({"show", "--stats", file_}).out,
              HasSubstr("\nstored verbatim: none\n"));
}

TEST_F(StatisticsTest, BlocksOfAGroupCostTheBlocksBeforeThem) {
  for (int i = 0; i < 8; ++i) {
    repo_.WriteBlob(RawToHex(RandomBytes(i, 15'000)));
  }
  const auto most = [&](const std::string& profile) -> uint64_t {
    Require(RunZpack({"convert", "-q", "--force", "--profile", profile,
                      "--block-size", "64k", repo_.path(), file_})
                .ok(),
            "convert");
    const ProcessResult result = RunZpack({"show", "--stats", "--json", file_});
    return Json::parse(result.out)["block_data"]["maximum"];
  };
  EXPECT_LT(most("balanced"), 100'000U);
  EXPECT_GT(most("max"), 200'000U);
}

TEST_F(StatisticsTest, NamesEveryOddObjectAndWhatIsOddAboutIt) {
  const std::string tree = "tree " + repo_.WriteTree("") + '\n';
  const std::string author = "author A <a@example.com> 7 +0000\n";
  const std::string committer = "committer A <a@example.com> 7 +0000\n";
  const std::string blob = repo_.WriteBlob("x");
  Odd("commit", "no valid tree line", author + committer + "\nno tree\n");
  Odd("commit", "malformed parent",
      tree + "parent 12\n" + author + committer + "\nx\n");
  Odd("commit", "malformed author", tree + committer + "\nx\n");
  Odd("commit", "malformed author", tree + "author A\n" + committer + "\nx\n");
  Odd("commit", "malformed committer", tree + author + "\nx\n");
  for (const char* const time :
       {"07", "+7", "-0", "x", "99999999999999999999"}) {
    Odd("commit", "unusual time",
        tree + author + "committer A <a@example.com> " + time + " +0000\n\n");
  }
  for (const char* const mode : {"100664", "0100644", "040000", "7"}) {
    Odd("tree", "unusual mode", TreeEntryBytes(mode, "x", blob));
  }
  Odd("tree", "malformed entry", "100644 no end");
  Odd("tree", "malformed entry", TreeEntryBytes("100644", "x", blob) + "y");

  const Json verbatim = Verbatim();
  uint64_t last = UINT64_MAX;
  for (const Json& row : verbatim) {
    const auto at = expected_.find({row.at("type"), row.at("reason")});
    ASSERT_NE(at, expected_.end()) << row;
    const auto& [ids, bytes] = at->second;
    EXPECT_EQ(row.at("objects"), ids.size()) << row;
    EXPECT_EQ(row.at("content_bytes"), bytes) << row;
    EXPECT_EQ(row.at("examples").size(), std::min<size_t>(ids.size(), 3));
    for (const std::string id : row.at("examples")) {
      EXPECT_TRUE(ids.contains(id)) << row;
    }
    EXPECT_LE(bytes, last) << "most bytes first";
    last = bytes;
    expected_.erase(at);
  }
  for (const auto& [key, sum] : expected_) {
    ADD_FAILURE() << key.first << ", " << key.second;
  }

  const std::string text = RunZpack({"show", "--stats", file_}).out;
  EXPECT_THAT(text, HasSubstr("unusual mode\n"));
  for (const Json& row : verbatim) {
    for (const std::string id : row.at("examples")) {
      EXPECT_THAT(text, HasSubstr(id));
    }
  }
}

}  // namespace
}  // namespace zpack::testing
