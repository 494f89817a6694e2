// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/log_commit_text.h"

#include <gtest/gtest.h>

#include "log/color_words.h"
#include "log/text_width.h"

namespace zpack::cli {
namespace {

TEST(CommitText, HasHeadersAndMessage) {
  const CommitText text(
      "tree 0\nauthor A <a@x> 1 +0000\ncommitter B <b@x> 2 +0100\n\n"
      "\nsubject\nmore\n\n\nbody\n");
  EXPECT_EQ(text.author(), "A <a@x> 1 +0000");
  EXPECT_EQ(text.committer(), "B <b@x> 2 +0100");
  EXPECT_EQ(text.message(), "\nsubject\nmore\n\n\nbody\n");
  EXPECT_EQ(text.subject(), "subject\nmore\n\n\nbody\n");
  EXPECT_EQ(text.body(), "body\n");
  EXPECT_EQ(text.encoding(), std::nullopt);
}

TEST(CommitText, IsConvertedToUtf8) {
  const CommitText text("author A\nencoding ISO-8859-1\nx\n\n\xe4\n");
  EXPECT_EQ(text.text(), "author A\nx\n\n\xc3\xa4\n");
  EXPECT_EQ(text.encoding(), "ISO-8859-1");
  const CommitText utf8("encoding utf8\n\n\xe4\n");
  EXPECT_EQ(utf8.text(), "\n\xe4\n");
  const CommitText unknown("encoding nonsense\n\n\xe4\n");
  EXPECT_EQ(unknown.text(), "encoding nonsense\n\n\xe4\n");
}

TEST(CommitText, EndsAtZeroBytes) {
  EXPECT_EQ(CommitText(std::string_view("a\n\nb\0c\n", 7)).message(), "b");
  EXPECT_EQ(CommitText("").message(), "");
  EXPECT_EQ(CommitText("no message").message(), "");
  EXPECT_EQ(CommitText("encoding ").text(), "encoding ");
}

TEST(ParsePerson, TakesBrokenLines) {
  const auto whole = ParsePerson("A U  <a@x> 12 -0100 rest");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->name, "A U");
  EXPECT_EQ(whole->mail, "a@x");
  EXPECT_EQ(whole->date, "12");
  EXPECT_EQ(whole->zone, "-0100");
  const auto nested = ParsePerson("A <<x@y>> 12 +0100");
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->mail, "<x@y");
  EXPECT_EQ(nested->date, "12");
  for (const char* const line :
       {"A <a@x>", "A <a@x> ", "A <a@x> x +0", "A <a@x> 12", "A <a@x> 12 0100",
        "A <a@x> 12 +", "A <a@x> -12 +0100"}) {
    const auto person = ParsePerson(line);
    ASSERT_TRUE(person) << line;
    EXPECT_EQ(person->date, "") << line;
    EXPECT_EQ(person->zone, "") << line;
  }
  EXPECT_FALSE(ParsePerson(""));
  EXPECT_FALSE(ParsePerson("A a@x 12 +0100"));
  EXPECT_FALSE(ParsePerson("A <a@x 12 +0100"));
}

TEST(FileNameOfSubject, HasOnlyPlainCharacters) {
  EXPECT_EQ(FileNameOfSubject("Fix: a  bug!"), "Fix-a-bug");
  EXPECT_EQ(FileNameOfSubject("...a...b.-"), ".a.b");
  EXPECT_EQ(FileNameOfSubject(" !x"), "x");
  EXPECT_EQ(FileNameOfSubject("--"), "");
}

TEST(TextWidth, CountsColumns) {
  EXPECT_EQ(TextWidth("a\xc3\xa4\xe4\xb8\xad"), 4U);
  EXPECT_EQ(TextWidth("a\xcc\x88\n\x1b[31mb\x1b[m"), 2U);
  EXPECT_EQ(TextWidth("\xff\xff\xff"), 3U);
  EXPECT_EQ(PlainTextWidth("a\n"), std::nullopt);
  EXPECT_EQ(PlainTextWidth("\xc3"), std::nullopt);
  EXPECT_EQ(PlainTextWidth("\xc3\xa4"), 1U);
  EXPECT_EQ(ReplaceColumns("abcdef", 2, 3, ".."), "ab..f");
  EXPECT_EQ(ReplaceColumns("\xff", 0, 1, ".."), "\xff");
}

TEST(ColorSequence, KnowsTheWordsOfGit) {
  EXPECT_EQ(ColorSequence("red"), "\033[31m");
  EXPECT_EQ(ColorSequence("bold brightred #0f0"), "\033[1;91;48;2;0;255;0m");
  EXPECT_EQ(ColorSequence("reset no-ul 201"), "\033[;24;38;5;201m");
  EXPECT_EQ(ColorSequence("normal"), "");
  EXPECT_EQ(ColorSequence(""), "");
  EXPECT_EQ(ColorSequence("reset"), "\033[m");
  EXPECT_EQ(ColorSequence("red green blue"), std::nullopt);
  EXPECT_EQ(ColorSequence("256"), std::nullopt);
  EXPECT_EQ(ColorSequence("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace zpack::cli
