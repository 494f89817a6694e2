// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_links.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "object/object_hasher.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

const std::string kA(40, 'a');
const std::string kB(40, 'b');
const std::string kRaw(20, '\x11');

CommitLinks Links(const std::string& commit) {
  return ParseCommitLinks(AsBytes(commit), ObjectFormat::kSha1);
}

TEST(ObjectHasher, GivesGitsIdOfTheEmptyTreeAndBlob) {
  ObjectHasher hasher(ObjectFormat::kSha1);
  EXPECT_EQ(hasher.Hash(ObjectType::kTree, {}).ToHex(),
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  EXPECT_EQ(hasher.Hash(ObjectType::kBlob, {}).ToHex(),
            "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
}

TEST(ObjectHasher, GivesGitsSha256IdOfTheEmptyBlob) {
  EXPECT_EQ(
      ObjectHasher(ObjectFormat::kSha256).Hash(ObjectType::kBlob, {}).ToHex(),
      "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
}

TEST(ParseCommitLinks, ReadsTreeAndParents) {
  const CommitLinks links =
      Links("tree " + kA + "\nparent " + kB + "\nparent " + kA +
            "\nauthor x\n\nparent " + kB + "\n");
  EXPECT_EQ(links.tree.ToHex(), kA);
  ASSERT_EQ(links.parents.size(), 2U);
  EXPECT_EQ(links.parents[0].ToHex(), kB);
}

TEST(ParseCommitLinks, TakesWhatItCanFromOddCommits) {
  EXPECT_TRUE(Links("").tree.empty());
  EXPECT_TRUE(Links("no header at all").tree.empty());
  EXPECT_EQ(Links("tree " + kA).tree.ToHex(), kA);
  EXPECT_TRUE(Links("tree " + kA + "x\n").tree.empty());
  EXPECT_TRUE(Links("\ntree " + kA + "\n").tree.empty());
}

TEST(ParseCommitTime, ReadsTheCommittersSeconds) {
  const auto time = [](const std::string& committer) {
    return ParseCommitTime(
        AsBytes("tree x\nparent y\nauthor A <a> 1 +0\n" + committer + "\n"));
  };
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(time("committer A <a@b> 1234 +0000"), 1234U);
  EXPECT_EQ(time("committer A> <a@b>\t 01234+0000"), 1234U);
  EXPECT_EQ(time("committer A <a@b>"), 0U);
  EXPECT_EQ(time("committer A <a@b> "), 0U);
  EXPECT_EQ(time("committer A <a@b> +5"), 0U);
  EXPECT_EQ(time("committer A <a@b> -5 +0000"), kMost - 4);
  EXPECT_EQ(time("committer A <a@b> 99999999999999999999"), kMost);
  EXPECT_EQ(time("committer A <a@b> -99999999999999999999"), kMost);
  EXPECT_EQ(time("x\ncommitter A <a@b> 5"), 0U);
  EXPECT_EQ(ParseCommitTime(AsBytes("committer A <a@b> 5 +0000\n")), 0U);
  EXPECT_EQ(ParseCommitTime(AsBytes("")), 0U);
}

std::string Entry(const std::string& name, char id,
                  const std::string& mode = "100644") {
  return mode + ' ' + name + '\0' + std::string(20, id);
}

// Names of the entries of `content` that `known` does not have.
std::vector<std::string> NewNames(const std::string& content,
                                  const std::string& known) {
  NewTreeEntries entries(AsBytes(content), AsBytes(known), ObjectFormat::kSha1);
  TreeEntry entry;
  std::vector<std::string> names;
  while (entries.Next(entry)) names.emplace_back(entry.name);
  return names;
}

TEST(NewTreeEntries, PassesOverWhatBothTreesHave) {
  const std::string known = Entry("a", 'x') + Entry("b", 'x') + Entry("d", 'x');
  EXPECT_THAT(NewNames(known, known), IsEmpty());
  EXPECT_THAT(NewNames(known, ""), ElementsAre("a", "b", "d"));
  EXPECT_THAT(NewNames("", known), IsEmpty());
  EXPECT_THAT(NewNames(Entry("a", 'x'), known), IsEmpty());
  EXPECT_THAT(NewNames(Entry("d", 'x'), known), IsEmpty());
  EXPECT_THAT(NewNames(Entry("b", 'x') + Entry("c", 'x') + Entry("d", 'x') +
                           Entry("e", 'x'),
                       known),
              ElementsAre("c", "e"));
}

// Each entry is read once, not once for each of the other tree: this would take
// minutes.
TEST(NewTreeEntries, TakesNoLongerWhereNothingIsAlike) {
  std::string many;
  for (int i = 100'000; i < 400'000; ++i) {
    many += Entry("a" + std::to_string(i), 'x');
  }
  for (const char first : {'A', 'z'}) {
    const std::string one = Entry(std::string(1 << 22, first), 'x');
    EXPECT_EQ(NewNames(one, many).size(), 1U);
    EXPECT_EQ(NewNames(many, one).size(), 300'000U);
  }
}

TEST(NewTreeEntries, TellsAnotherIdOrModeApart) {
  const std::string known = Entry("a", 'x') + Entry("b", 'x') + Entry("c", 'x');
  EXPECT_THAT(
      NewNames(Entry("a", 'y') + Entry("b", 'x', "100755") + Entry("c", 'x'),
               known),
      ElementsAre("a", "b"));
}

TEST(NewTreeEntries, StopsWhereItIsNoTree) {
  const std::string known = Entry("a", 'x') + "garbage";
  EXPECT_THAT(NewNames(Entry("a", 'y') + "garbage", known), ElementsAre("a"));
  EXPECT_THAT(NewNames(Entry("a", 'x') + "garbage", known), IsEmpty());
}

// Whatever the order of entries: all that is new is found, and what is passed
// over is known.
TEST(NewTreeEntries, MissesNothingInUnsortedTrees) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::array<std::string, 2> trees;
    std::array<std::vector<std::string>, 2> entries;
    for (size_t i = 0; i < 2; ++i) {
      for (unsigned n = random() % 8; n > 0; --n) {
        entries[i].push_back(
            Entry(std::string(1 + random() % 2, 'a' + random() % 3),
                  random() % 2 == 0 ? 'x' : 'y'));
        trees[i] += entries[i].back();
      }
    }
    NewTreeEntries iterator(AsBytes(trees[0]), AsBytes(trees[1]),
                            ObjectFormat::kSha1);
    std::vector<std::string> found;
    TreeEntry next;
    while (iterator.Next(next)) {
      found.push_back(Entry(std::string(next.name), next.id[0]));
    }
    size_t at = 0;
    for (const std::string& entry : entries[0]) {
      const bool known =
          std::ranges::find(entries[1], entry) != entries[1].end();
      if (at < found.size() && found[at] == entry) {
        ++at;
      } else {
        EXPECT_TRUE(known) << "round " << round;
      }
    }
    EXPECT_EQ(at, found.size());
  }
}

TEST(ParseTagTarget, ReadsTheFirstLineOnly) {
  EXPECT_EQ(ParseTagTarget(AsBytes("object " + kA + "\ntype blob\n"),
                           ObjectFormat::kSha1)
                .ToHex(),
            kA);
  EXPECT_TRUE(ParseTagTarget(AsBytes("type blob\nobject " + kA + "\n"),
                             ObjectFormat::kSha1)
                  .empty());
}

TEST(TreeIterator, ReadsModesNamesAndIds) {
  const std::string content = "100644 a b"s + '\0' + kRaw + "40000 d"s + '\0' +
                              kRaw + "160000 m"s + '\0' + kRaw;
  TreeIterator entries(AsBytes(content), ObjectFormat::kSha1);
  TreeEntry entry;
  ASSERT_TRUE(entries.Next(entry));
  EXPECT_EQ(entry.name, "a b");
  EXPECT_EQ(entry.mode, 0100644U);
  EXPECT_FALSE(entry.is_tree());
  ASSERT_TRUE(entries.Next(entry));
  EXPECT_TRUE(entry.is_tree());
  ASSERT_TRUE(entries.Next(entry));
  EXPECT_TRUE(entry.is_gitlink());
  EXPECT_FALSE(entries.Next(entry));
  EXPECT_TRUE(entries.complete());
}

TEST(TreeIterator, ReadsZeroPaddedModes) {
  const std::string content = "040000 d"s + '\0' + kRaw;
  TreeIterator entries(AsBytes(content), ObjectFormat::kSha1);
  TreeEntry entry;
  ASSERT_TRUE(entries.Next(entry));
  EXPECT_TRUE(entry.is_tree());
}

TEST(TreeIterator, StopsWhereTheRestIsNoEntry) {
  for (const std::string& content :
       {"100644 a"s, "100644 a\0short"s, "x 100644"s, "100644"s, " a\0"s,
        "999 a\0"s + kRaw}) {
    TreeIterator entries(AsBytes(content), ObjectFormat::kSha1);
    TreeEntry entry;
    EXPECT_FALSE(entries.Next(entry)) << content;
    EXPECT_FALSE(entries.complete());
  }
}

TEST(ParseTagHeader, ReadsLinesInTheirOrderUpToTheFirstOther) {
  const std::string hex(40, 'a');
  const auto parse = [](std::string_view content) {
    return ParseTagHeader(AsBytes(content), ObjectFormat::kSha1);
  };
  const std::string whole =
      "object " + hex + "\ntype commit\ntag v1 x\ntagger A\n\nmessage\n";
  EXPECT_EQ(parse(whole).target.ToHex(), hex);
  EXPECT_EQ(parse(whole).type, "commit");
  EXPECT_EQ(parse(whole).name, "v1 x");
  const std::string nul =
      "object " + hex + "\ntype tag\ntag a" + std::string(1, '\0') + "b\n";
  EXPECT_EQ(parse(nul).name, "a");
  const std::string no_name = "object " + hex + "\ntype blob\n\ntag x\n";
  EXPECT_EQ(parse(no_name).type, "blob");
  EXPECT_EQ(parse(no_name).name, std::nullopt);
  const std::string no_type = "object " + hex + "\ntag x\ntype blob\n";
  EXPECT_EQ(parse(no_type).target.ToHex(), hex);
  EXPECT_EQ(parse(no_type).type, "");
  EXPECT_EQ(parse(no_type).name, std::nullopt);
  EXPECT_TRUE(parse("type blob\nobject " + hex).target.empty());
  EXPECT_TRUE(parse("object abc\ntype blob\n").target.empty());
  EXPECT_TRUE(parse("").target.empty());
}

}  // namespace
}  // namespace zpack
