// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/occurrence_counter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace zpack::log {
namespace {

uint32_t Count(const Needle& needle, std::string_view text) {
  auto counter = OccurrenceCounter::Make(needle);
  EXPECT_TRUE(counter.has_value());
  const auto count = counter->Count(text);
  EXPECT_TRUE(count.has_value());
  return *count;
}

Needle PlainNeedle(const std::string& text) { return {.text = text}; }
Needle Expression(const std::string& text) {
  return {.text = text, .expression = true};
}

TEST(OccurrenceCounterTest, CountsFromLeftToRight) {
  EXPECT_EQ(Count(PlainNeedle("aa"), "aaaaa"), 2);
  EXPECT_EQ(Count(PlainNeedle("a\nb"), "a\nba\nb"), 2);
  EXPECT_EQ(Count(PlainNeedle("x"), ""), 0);
  EXPECT_EQ(Count(PlainNeedle("A"), "aA"), 1);
  EXPECT_EQ(Count({.text = "Ab", .ignore_case = true}, "abAB aB"), 3);
  EXPECT_EQ(Count({.text = "a.b", .ignore_case = true}, "A.B axb"), 1);
}

TEST(OccurrenceCounterTest, CountsInPiecesWhatTheWholeHas) {
  constexpr std::string_view kText = "aaAaabab\naba\nabbAbaabaaaaab";
  for (const char* const text : {"a", "aa", "aba", "b\na", "aaaaa", "zz"}) {
    for (const bool ignore_case : {false, true}) {
      const Needle needle = {.text = text, .ignore_case = ignore_case};
      auto counter = OccurrenceCounter::Make(needle);
      ASSERT_TRUE(counter.has_value());
      ASSERT_TRUE(counter->plain());
      for (size_t size = 1; size <= kText.size(); ++size) {
        uint32_t count = 0;
        std::string rest;
        for (size_t at = 0; at < kText.size(); at += size) {
          count += counter->CountPiece(kText.substr(at, size), rest);
        }
        EXPECT_EQ(count, Count(needle, kText)) << text << size;
        EXPECT_LT(rest.size(), needle.text.size());
      }
    }
  }
}

TEST(OccurrenceCounterTest, CountsMatchesOfExpressions) {
  EXPECT_EQ(Count(Expression("a+"), "aa b a"), 2);
  EXPECT_EQ(Count(Expression("^a"), "aa\na"), 2);
  EXPECT_EQ(Count(Expression("a$"), "aa\na"), 2);
  // Empty matches move on by a byte.
  EXPECT_EQ(Count(Expression("x*"), "ab"), 2);
}

TEST(OccurrenceCounterTest, RefusesWhatIsNoExpression) {
  EXPECT_FALSE(OccurrenceCounter::Make(Expression("a(")).has_value());
}

TEST(LinesWithTest, HasNoQueryForWhatCrossesLines) {
  EXPECT_TRUE(LinesWith(PlainNeedle("a(")).has_value());
  EXPECT_TRUE(LinesWith(Expression("a[b-d]+$")).has_value());
  EXPECT_FALSE(LinesWith(PlainNeedle("a\nb")).has_value());
  for (const char* const expression :
       {"a\nb", "a[[:space:]]", "a\\s", "x*", "^$", "\\bx", "x\\>", "[\t-x]",
        "a\\W", "\\`x"}) {
    EXPECT_FALSE(LinesWith(Expression(expression)).has_value()) << expression;
  }
}

// What a query by line counts is what the whole text has.
TEST(LinesWithTest, LinesAddUpToTheText) {
  constexpr std::string_view kText = "ab aab\n\nb\naaab ab";
  for (const char* const expression :
       {"a+b", "^a", "b$", "a|b", "(ab)+", "[^a]b"}) {
    ASSERT_TRUE(LinesWith(Expression(expression)).has_value()) << expression;
    uint32_t sum = 0;
    for (std::string_view rest = kText;;) {
      const size_t feed = rest.find('\n');
      sum += Count(Expression(expression), rest.substr(0, feed));
      if (feed == std::string_view::npos) break;
      rest.remove_prefix(feed + 1);
    }
    EXPECT_EQ(sum, Count(Expression(expression), kText)) << expression;
  }
}

}  // namespace
}  // namespace zpack::log
