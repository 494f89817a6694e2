// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/similarity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/matchers.h"
#include "support/rename_fixture.h"
#include "zpack/log.h"

namespace zpack::log {
namespace {

using zpack::testing::IsOk;

uint32_t SimilarityOf(const std::string& a, const std::string& b) {
  ContentTable contents;
  BlobSimilarity similarity(contents);
  const auto result =
      similarity.Estimate(similarity.Add(contents.Number(a)),
                          similarity.Add(contents.Number(b)), 1);
  EXPECT_THAT(result, IsOk());
  return result.value_or(0);
}

TEST(RenameSimilarity, IsTheShareOfEqualSpans) {
  EXPECT_EQ(SimilarityOf("a\nb\n", "b\na\n"), kMostSimilar);
  EXPECT_EQ(SimilarityOf("a\nb\n", "a\nc\n"), kMostSimilar / 2);
  EXPECT_EQ(SimilarityOf("a\n", "a\na\na\n"), kMostSimilar / 3);
  EXPECT_EQ(SimilarityOf("a\nrest", "b\nrest"), kMostSimilar / 6 * 4);
  // Long lines are cut after 64 bytes.
  const std::string start(64, 'x');
  EXPECT_EQ(SimilarityOf(start + "ab", start + "cd"), kMostSimilar * 64 / 66);
  EXPECT_EQ(SimilarityOf("ab" + start, "cd" + start), kMostSimilar * 2 / 66);
}

TEST(RenameSimilarity, EndsOfLinesCountOnlyInBinaryTexts) {
  EXPECT_EQ(SimilarityOf("ab\r\ncd\r\n", "ab\ncd\n"), kMostSimilar / 8 * 6);
  const std::string nul(1, '\0');
  EXPECT_EQ(SimilarityOf("ab\r\ncd\r\n" + nul, "ab\ncd\n" + nul),
            kMostSimilar / 9);
  EXPECT_EQ(SimilarityOf("a\r", "b\r"), 0u);
  // A NUL far from the start makes no text binary.
  const std::string lines(8000, '\n');
  EXPECT_EQ(SimilarityOf(lines + nul + "\r\n", lines + nul + "\n"),
            kMostSimilar * 8002 / 8003);
}

TEST(RenameSimilarity, TablesWithoutPlaceAreMadeAgain) {
  ContentTable contents;
  BlobSimilarity similarity(contents, 0);
  const auto one = similarity.Add(contents.Number("a\nb\n"));
  const auto other = similarity.Add(contents.Number("a\nc\n"));
  for (int i = 0; i < 3; ++i) {
    const auto result = similarity.Estimate(one, other, 1);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(*result, kMostSimilar / 2);
  }
  EXPECT_EQ(contents.texts_read, 4);  // the target only once
  similarity.Forget(one);
}

TEST(RenameSimilarity, TablesThatAreForgottenAreNotKept) {
  ContentTable contents;
  BlobSimilarity similarity(contents);
  const auto one = similarity.Add(contents.Number("a\nb\n"));
  const auto other = similarity.Add(contents.Number("a\nc\n"));
  ASSERT_THAT(similarity.Estimate(one, other, 1), IsOk());
  ASSERT_THAT(similarity.Estimate(one, other, 1), IsOk());
  EXPECT_EQ(contents.texts_read, 2);
  similarity.Forget(one);
  ASSERT_THAT(similarity.Estimate(one, other, 1), IsOk());
  EXPECT_EQ(contents.texts_read, 3);
}

TEST(RenameSimilarity, ManySpansAreJoined) {
  std::string text;
  for (int i = 0; i < 600'000; ++i) text += std::to_string(i) + '\n';
  const SpanTable table(AsBytes(text));
  EXPECT_EQ(table.CountShared(table), text.size());
  EXPECT_LT(table.memory(), 1u << 20);
}

}  // namespace
}  // namespace zpack::log
