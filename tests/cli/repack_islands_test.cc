// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack --delta-islands': no object is a delta against an object that is
// missing in one of its islands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;

class RepackIslandsTest : public RepackFixture {
 protected:
  // Forks of one repository with a shared past, similar files, tags and trees.
  RepackIslandsTest() {
    repo_.Git({"config", "pack.island", "refs/forks/([^/]*)/"});
    const std::string base = repo_.History(5);
    repo_.Git({"update-ref", "-d", "refs/heads/main"});
    for (int fork = 0; fork < 4; ++fork) {
      std::string tip = base;
      for (int i = 0; i < 5; ++i) {
        tip = Commit(kText + "fork " + std::to_string(fork) + ", change " +
                         std::to_string(i) + "\n",
                     tip);
      }
      repo_.SetRef("refs/forks/" + std::to_string(fork) + "/main", tip);
      repo_.SetRef("refs/forks/" + std::to_string(fork) + "/v1",
                   repo_.WriteTag(tip, "commit", "v1"));
    }
  }

  std::string Commit(const std::string& content,
                     const std::string& parent) const {
    const std::string blob = repo_.WriteBlob(content);
    const std::string tree = repo_.WriteTree(
        TreeEntryBytes("40000", "a",
                       repo_.WriteTree(TreeEntryBytes("100644", "b", blob))) +
        TreeEntryBytes("100644", "file", blob));
    CommitFields fields;
    fields.tree = tree;
    fields.parents = {parent};
    return repo_.WriteCommit(fields);
  }

  // The base of each delta.
  std::map<std::string, std::string> Bases() const {
    std::map<std::string, std::string> bases;
    for (const std::string& line :
         SplitLines(repo_.Git({"cat-file", "--batch-all-objects",
                               "--batch-check=%(objectname) %(deltabase)"}))) {
      const std::string base = line.substr(IdDigits() + 1);
      if (base != std::string(IdDigits(), '0')) {
        bases[line.substr(0, IdDigits())] = base;
      }
    }
    return bases;
  }

  // The forks that reach each object.
  std::map<std::string, std::set<int>> Forks() const {
    std::map<std::string, std::set<int>> forks;
    for (int fork = 0; fork < 4; ++fork) {
      for (const std::string& line : SplitLines(
               repo_.Git({"rev-list", "--objects",
                          "--glob=refs/forks/" + std::to_string(fork)}))) {
        forks[line.substr(0, IdDigits())].insert(fork);
      }
    }
    return forks;
  }

  // The objects of the only pack, by the offsets of their entries.
  std::map<size_t, std::string> IdsByOffset() const {
    std::map<size_t, std::string> ids;
    const std::string index = pack_directory() + '/' + Packs()[0] + ".idx";
    for (const std::string& line :
         SplitLines(repo_.Git({"show-index"}, ReadFile(index)))) {
      ids[std::stoul(line)] = line.substr(line.find(' ') + 1, IdDigits());
    }
    return ids;
  }

  // Deltas whose base is missing in a fork.
  int Crossing() const {
    const auto forks = Forks();
    int crossing = 0;
    for (const auto& [id, base] : Bases()) {
      const auto delta_forks = forks.find(id);
      if (delta_forks == forks.end()) continue;
      const auto base_forks = forks.find(base);
      crossing += base_forks == forks.end() ||
                          !std::ranges::includes(base_forks->second,
                                                 delta_forks->second)
                      ? 1
                      : 0;
    }
    return crossing;
  }

  const std::string kText = RawToHex(RandomBytes(1, 3000));
};

TEST_F(RepackIslandsTest, NoDeltaLeavesAnIsland) {
  ASSERT_TRUE(Repack({"-d", "-F"}).ok());
  EXPECT_GT(Crossing(), 0);
  // Deltas that exist are copied only within islands.
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-d", "-i"},
        {"-d", "-i", "-F"},
        {"-d", "-i", "-f"},
        {"-d", "-i", "-F", "--max-pack-size", "1m"}}) {
    SCOPED_TRACE(::testing::PrintToString(options));
    ASSERT_TRUE(Repack(options).ok());
    EXPECT_EQ(Crossing(), 0);
    EXPECT_GT(Bases().size(), 10U);
    EXPECT_TRUE(repo_.TryGit({"fsck", "--full", "--strict"}).ok());
  }
  ASSERT_TRUE(Repack({"-d", "-F"}).ok());
  EXPECT_GT(Crossing(), 0);
  repo_.Git({"config", "repack.useDeltaIslands", "true"});
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_EQ(Crossing(), 0);
}

TEST_F(RepackIslandsTest, TagsAloneLeadToWhatIslandsHave) {
  for (int fork = 0; fork < 4; ++fork) {
    repo_.Git(
        {"update-ref", "-d", "refs/forks/" + std::to_string(fork) + "/main"});
  }
  ASSERT_TRUE(Repack({"-d", "-i", "-F"}).ok());
  EXPECT_EQ(Crossing(), 0);
  EXPECT_GT(Bases().size(), 10U);
}

// What all forks have is the base, although it is smaller.
TEST_F(RepackIslandsTest, SharedObjectsAreBases) {
  const std::string shared =
      Commit(kText, repo_.Git({"rev-parse", "refs/forks/0/main~5"}));
  for (int fork = 0; fork < 4; ++fork) {
    repo_.SetRef("refs/forks/" + std::to_string(fork) + "/shared", shared);
  }
  ASSERT_TRUE(Repack({"-d", "-i", "-F"}).ok());
  EXPECT_EQ(Crossing(), 0);
  const auto bases = Bases();
  const std::string base = repo_.Git({"rev-parse", shared + ":file"});
  EXPECT_EQ(bases.count(base), 0U);
  EXPECT_GT(std::ranges::count_if(
                bases, [&](const auto& one) { return one.second == base; }),
            0);
}

// As in Git, the last pattern counts, and its groups name the island.
TEST_F(RepackIslandsTest, PatternsAreThoseOfGit) {
  repo_.Git({"config", "--add", "pack.island", "refs/forks/[01]()/"});
  repo_.Git({"config", "--add", "pack.island", "refs/forks/[23]/()"});
  // All forks are one island.
  ASSERT_TRUE(Repack({"-d", "-i", "-F"}).ok());
  EXPECT_GT(Crossing(), 0);
  repo_.Git({"config", "--add", "pack.island", "refs/(forks)/([^/]*)/"});
  ASSERT_TRUE(Repack({"-d", "-i"}).ok());
  EXPECT_EQ(Crossing(), 0);
}

// What no island has may be a delta against anything.
TEST_F(RepackIslandsTest, OtherObjectsAreFree) {
  const std::string tip =
      Commit(kText + "other\n", repo_.Git({"rev-parse", "refs/forks/0/main"}));
  repo_.SetRef("refs/heads/other", tip);
  ASSERT_TRUE(Repack({"-d", "-i", "-F"}).ok());
  EXPECT_EQ(Crossing(), 0);
  EXPECT_EQ(Bases().count(repo_.Git({"rev-parse", tip + ":file"})), 1U);
}

TEST_F(RepackIslandsTest, FilteredObjectsStayInTheirIslands) {
  const std::string filter = "--filter=blob:none";
  repo_.PackAll();
  ASSERT_TRUE(Repack({"-d", "-F", filter}).ok());
  ASSERT_EQ(Packs().size(), 2U);
  EXPECT_GT(Crossing(), 0);
  for (const char* const option : {"-i", "-iF"}) {
    ASSERT_TRUE(Repack({"-d", option, filter}).ok());
    ASSERT_EQ(Packs().size(), 2U);
    EXPECT_EQ(Crossing(), 0);
  }
}

// As in Git, what the core island has comes first.
TEST_F(RepackIslandsTest, CoreIslandComesFirst) {
  repo_.Git({"config", "pack.islandCore", "2"});
  for (const bool by_git : {false, true}) {
    if (by_git) {
      repo_.Git({"repack", "-q", "-a", "-d", "-i", "-F"});
    } else {
      ASSERT_TRUE(Repack({"-d", "-i", "-F"}).ok());
    }
    ASSERT_EQ(Packs().size(), 1U);
    const auto forks = Forks();
    size_t last_of_core = 0;
    size_t first_of_others = std::string::npos;
    for (const auto& [offset, id] : IdsByOffset()) {
      const auto at = forks.find(id);
      if (at != forks.end() && at->second.contains(2)) {
        last_of_core = std::max(last_of_core, offset);
      } else {
        first_of_others = std::min(first_of_others, offset);
      }
    }
    EXPECT_LT(last_of_core, first_of_others);
  }
}

// The pattern has no group, so its island has no name.
TEST_F(RepackIslandsTest, AnIslandWithoutANameIsNotTheCore) {
  const auto order = [&](const std::string& pattern) {
    repo_.Git({"config", "--replace-all", "pack.island", pattern});
    EXPECT_TRUE(Repack({"-d", "-i", "-F"}).ok());
    std::vector<std::string> in_order;
    for (const auto& [offset, id] : IdsByOffset()) in_order.push_back(id);
    return in_order;
  };
  EXPECT_EQ(order("refs/forks/2/"), order("(refs/forks/2)/"));
}

TEST_F(RepackIslandsTest, MalformedPatternIsAnError) {
  repo_.Git({"config", "--add", "pack.island", "refs/(forks"});
  ExpectRefusal("failed to load island regex for 'pack.island'", {"-d", "-i"});
  EXPECT_EQ(Repack({"-d"}).exit_code, 0);
}

}  // namespace
}  // namespace zpack::testing
