// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/commit_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace zpack::format {
namespace {

const std::string kTree = "tree " + std::string(40, 'a') + '\n';
const std::string kParent = "parent " + std::string(40, 'b') + '\n';
const std::string kAuthor =
    "author A U Thor <a@example.com> 1700000000 +0100\n";
const std::string kCommitter = "committer C <c@example.com> -7 -0000\n";
const std::string kUsual = kTree + kParent + kAuthor + kCommitter;

// Splits `content` and puts it together again.
std::string Again(const std::string& content) {
  CommitText text;
  const CommitFlaw flaw =
      SplitCommit(AsBytes(content), ObjectFormat::kSha1, text);
  if (flaw != CommitFlaw::kNone) return "odd";
  Bytes out;
  AppendCommit(text, out);
  return std::string(AsText(out));
}

TEST(CommitText, SplitsACommitIntoItsParts) {
  const std::string content =
      kTree + kParent + kParent + kAuthor + kCommitter +
      "gpgsig -----BEGIN\n \n -----END\nencoding latin1\n\nSubject\n\nBody\n";
  CommitText text;
  ASSERT_EQ(SplitCommit(AsBytes(content), ObjectFormat::kSha1, text),
            CommitFlaw::kNone);
  EXPECT_EQ(text.tree.ToHex(), std::string(40, 'a'));
  ASSERT_EQ(text.parents.size(), 2U);
  EXPECT_EQ(text.parents[1].ToHex(), std::string(40, 'b'));
  EXPECT_EQ(text.author.identity, "A U Thor <a@example.com>");
  EXPECT_EQ(text.author.time, 1700000000);
  EXPECT_EQ(text.author.time_zone, "+0100");
  EXPECT_EQ(text.committer.time, -7);
  EXPECT_EQ(AsText(text.headers),
            "gpgsig -----BEGIN\n \n -----END\nencoding latin1\n");
  EXPECT_EQ(AsText(text.message), "\nSubject\n\nBody\n");
  EXPECT_EQ(Again(content), content);
}

TEST(CommitText, KnowsPartsThatSplitAgain) {
  const std::string whole = kUsual + "a b\n\nmessage\n";
  CommitText good;
  ASSERT_EQ(SplitCommit(AsBytes(whole), ObjectFormat::kSha1, good),
            CommitFlaw::kNone);
  EXPECT_TRUE(IsSplit(good));
  const auto split = [&](const auto& edit) {
    CommitText text = good;
    edit(text);
    Bytes content;
    AppendCommit(text, content);
    CommitText again;
    const bool same =
        SplitCommit(content, ObjectFormat::kSha1, again) == CommitFlaw::kNone &&
        again.author.identity == text.author.identity &&
        again.author.time_zone == text.author.time_zone &&
        again.committer.identity == text.committer.identity &&
        again.committer.time_zone == text.committer.time_zone &&
        AsText(again.headers) == AsText(text.headers);
    EXPECT_EQ(IsSplit(text), same) << AsText(content);
    return same;
  };
  for (const std::string_view identity :
       {"", "A", "A <a> ", "A\nparent x <a>", "\n>"}) {
    EXPECT_FALSE(split([&](CommitText& t) { t.author.identity = identity; }));
    EXPECT_FALSE(
        split([&](CommitText& t) { t.committer.identity = identity; }));
  }
  for (const std::string_view zone : {"+0\nx", "\n", ">", "a> 1 +0"}) {
    EXPECT_FALSE(split([&](CommitText& t) { t.author.time_zone = zone; }));
    EXPECT_FALSE(split([&](CommitText& t) { t.committer.time_zone = zone; }));
  }
  for (const std::string_view headers :
       {"a", "\n", "\na\n", "a\n\n", "a\n\nb\n"}) {
    EXPECT_FALSE(split([&](CommitText& t) { t.headers = AsBytes(headers); }));
  }
  EXPECT_FALSE(split([](CommitText& t) { t.message = AsBytes("x\n"); }));
  EXPECT_TRUE(split([](CommitText& t) { t.author.time_zone = ""; }));
  EXPECT_TRUE(split([](CommitText& t) { t.headers = {}; }));
  EXPECT_TRUE(split([](CommitText& t) {
    t.headers = AsBytes("without an end");
    t.message = {};
  }));
}

TEST(CommitText, TakesWhatItCanGiveBack) {
  for (const std::string& content :
       {kUsual + "\n", kUsual, kUsual + "\nno line feed",
        kUsual + "header without an end", kUsual + "a\nb\n",
        kTree + kAuthor + kCommitter + "\nno parent\n",
        kUsual + "\n\n\nempty lines\n\n", kUsual + '\n' + std::string(3, '\0'),
        kTree + "author > 0 \ncommitter <> 9223372036854775807 odd zone\n\n",
        kTree + "author a <b> c <d> -9223372036854775808 +\n" + kCommitter}) {
    EXPECT_EQ(Again(content), content);
  }
}

TEST(CommitText, SaysWhatIsOddAboutEverythingElse) {
  const std::string rest = kAuthor + kCommitter;
  const std::string zero(1, '\0');
  const std::vector<std::pair<CommitFlaw, std::string>> odd = {
      {CommitFlaw::kTree, ""},
      {CommitFlaw::kTree, "tree " + std::string(40, 'a')},
      {CommitFlaw::kTree, kParent + kTree + rest},
      {CommitFlaw::kTree, "tree " + std::string(39, 'a') + '\n' + rest},
      {CommitFlaw::kTree, "tree " + std::string(64, 'a') + '\n' + rest},
      {CommitFlaw::kParent, kTree + "parent x\n" + rest},
      {CommitFlaw::kParent, kTree + kParent + "parent \n" + rest},
      {CommitFlaw::kAuthor, kTree},
      {CommitFlaw::kAuthor, kTree + kCommitter + kAuthor},
      {CommitFlaw::kAuthor, kTree + "author a <b>\n" + kCommitter},
      {CommitFlaw::kAuthor, kTree + "author a <b> 7\n" + kCommitter},
      {CommitFlaw::kAuthor, kTree + "author a 7 +0000\n" + kCommitter},
      {CommitFlaw::kCommitter, kTree + kAuthor},
      {CommitFlaw::kCommitter, kTree + kAuthor + "committer\n"},
      {CommitFlaw::kTime, kTree + "author a <b> 007 +0000\n" + kCommitter},
      {CommitFlaw::kTime, kTree + "author a <b> -0 +0000\n" + kCommitter},
      {CommitFlaw::kTime, kTree + "author a <b> +7 +0000\n" + kCommitter},
      {CommitFlaw::kTime, kTree + "author a <b>  7 +0000\n" + kCommitter},
      {CommitFlaw::kTime,
       kTree + "author a <b> 9223372036854775808 +0000\n" + kCommitter},
      {CommitFlaw::kTime, kTree + kAuthor + "committer a <b> 00 +0000\n"},
      {CommitFlaw::kZeroByte,
       kTree + "author a" + zero + " <b> 7 +0000\n" + kCommitter},
      {CommitFlaw::kZeroByte,
       kTree + kAuthor + "committer <> 7 +" + zero + '\n'},
      {CommitFlaw::kIdInCapitals, "tree " + std::string(40, 'A') + '\n' + rest},
  };
  CommitText text;
  for (const auto& [flaw, content] : odd) {
    EXPECT_EQ(SplitCommit(AsBytes(content), ObjectFormat::kSha1, text), flaw)
        << content;
  }
  EXPECT_EQ(FlawName(CommitFlaw::kTime), "unusual time");
}

}  // namespace
}  // namespace zpack::format
