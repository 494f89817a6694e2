// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/quote.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace zpack {
namespace {

TEST(QuoteName, LeavesWhatPrintsAsItIs) {
  EXPECT_EQ(QuoteName(""), "");
  EXPECT_EQ(QuoteName("refs/heads/it's here"), "refs/heads/it's here");
  EXPECT_EQ(QuoteName("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"),
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST(QuoteName, EscapesControlCharactersQuotesAndBackslashes) {
  EXPECT_EQ(QuoteName("a\nb\x1b[2J"), R"("a\nb\033[2J")");
  EXPECT_EQ(QuoteName("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(QuoteName(std::string_view("\0\x7f", 2)), R"("\000\177")");
}

TEST(QuoteName, EscapesC1ControlCharactersInEitherForm) {
  EXPECT_EQ(QuoteName("a\x9b"), R"("a\233")");
  EXPECT_EQ(QuoteName("a\xc2\x9b"), R"("a\302\233")");
  EXPECT_EQ(QuoteName("\xc2\xa0"), "\xc2\xa0");
}

TEST(QuoteName, EscapesWhatTurnsTextOrBreaksLines) {
  EXPECT_EQ(QuoteName("\xe2\x80\xae"), R"("\342\200\256")");
  EXPECT_EQ(QuoteName("\xe2\x80\xa8"), R"("\342\200\250")");
  EXPECT_EQ(QuoteName("\xe2\x81\xa6"), R"("\342\201\246")");
}

TEST(QuoteName, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(QuoteName("\xff"), R"("\377")");
  EXPECT_EQ(QuoteName("\xc3"), R"("\303")") << "cut off";
  EXPECT_EQ(QuoteName("\xc0\xaf"), R"("\300\257")") << "too long a form";
  EXPECT_EQ(QuoteName("\xed\xa0\x80"), R"("\355\240\200")") << "surrogate";
  EXPECT_EQ(QuoteName("\xf4\x90\x80\x80"), R"("\364\220\200\200")");
}

TEST(QuoteName, CutsBetweenCharacters) {
  EXPECT_EQ(QuoteName("abcdef", 6), "abcdef");
  EXPECT_EQ(QuoteName("abcdefg", 6), "abcdef...");
  EXPECT_EQ(QuoteName("abcde\xc3\xbc", 6), "abcde...");
  EXPECT_EQ(QuoteName("\n23456789", 6), "\"\\n23456\"...");
}

TEST(QuoteName, EscapesAllBeyondAsciiWhenAsked) {
  EXPECT_EQ(QuoteName("\xc3\xbc", kWholeName, BeyondAscii::kEscape),
            R"("\303\274")");
}

TEST(EscapeUnprintable, KeepsLinesAndEscapesTheRest) {
  EXPECT_EQ(EscapeUnprintable("a \"b\"\\\n\tc\r\x9b"),
            "a \"b\"\\\n\tc\\r\\233");
}

TEST(QuoteForShell, GivesOneWordThatIsPrintable) {
  EXPECT_EQ(QuoteForShell(""), "''");
  EXPECT_EQ(QuoteForShell("it's $x \"y\""), R"('it'\''s $x "y"')");
  EXPECT_EQ(QuoteForShell("\x1b[2J"), R"('\033[2J')");
}

TEST(MakeError, QuotesEveryNameButNotMessages) {
  const std::string name = "x\ny";
  EXPECT_EQ(
      MakeError(ErrorCode::kIo, "bad ref '{}' of {}", name, 3).error().message,
      R"(bad ref '"x\ny"' of 3)");
  EXPECT_EQ(MakeError(ErrorCode::kIo, "{} in '{}'", MessageText{"'\"a\"'"}, "b")
                .error()
                .message,
            R"('"a"' in 'b')");
  EXPECT_LT(FormatMessage("'{}'", std::string(1 << 20, 'x')).size(), 1100);
}

}  // namespace
}  // namespace zpack
