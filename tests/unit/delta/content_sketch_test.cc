// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/content_sketch.h"

#include <gtest/gtest.h>

#include "support/deltas.h"

namespace zpack {
namespace {

using testing::Random;
using testing::RandomText;

constexpr size_t kSize = 20000;
constexpr unsigned kSketchSeeds = 50;

unsigned Shared(const ContentSketch& a, const ContentSketch& b) {
  unsigned shared = 0;
  for (size_t i = 0; i < kSketchFeatures; ++i) {
    shared += a.features[i] == b.features[i] ? 1 : 0;
  }
  return shared;
}

TEST(ContentSketch, IsNotValidForShortContent) {
  EXPECT_FALSE(MakeSketch({}).valid);
  EXPECT_FALSE(MakeSketch(AsBytes("abc")).valid);
}

TEST(ContentSketch, IsValidForText) {
  for (unsigned seed = 0; seed < kSketchSeeds; ++seed) {
    Random random(seed);
    EXPECT_TRUE(MakeSketch(RandomText(random, 2000)).valid) << seed;
  }
}

TEST(ContentSketch, IsTheSameForTheSameContent) {
  Random random(1);
  const Bytes text = RandomText(random, kSize);
  EXPECT_EQ(MakeSketch(text).features, MakeSketch(Bytes(text)).features);
}

TEST(ContentSketch, SharesNothingWithUnrelatedContent) {
  for (unsigned seed = 0; seed < kSketchSeeds; ++seed) {
    Random random(seed);
    const ContentSketch a = MakeSketch(RandomText(random, kSize));
    const ContentSketch b = MakeSketch(RandomText(random, kSize));
    EXPECT_EQ(Shared(a, b), 0U) << "seed " << seed;
  }
}

TEST(ContentSketch, SharesNearlyAllWithContentThatHasALineMore) {
  unsigned shared = 0;
  for (unsigned seed = 0; seed < kSketchSeeds; ++seed) {
    Random random(seed);
    const Bytes text = RandomText(random, kSize);
    Bytes longer = RandomText(random, 40);
    Append(longer, text);
    shared += Shared(MakeSketch(text), MakeSketch(longer));
  }
  EXPECT_GT(shared, kSketchSeeds * kSketchFeatures * 95 / 100);
}

TEST(ContentSketch, SharesNearlyAllWhereverTheTextStands) {
  unsigned shared = 0;
  for (unsigned seed = 0; seed < kSketchSeeds; ++seed) {
    Random random(seed);
    const Bytes first = RandomText(random, kSize / 2);
    const Bytes second = RandomText(random, kSize / 2);
    Bytes a = first;
    Append(a, second);
    Bytes b = second;
    Append(b, first);
    shared += Shared(MakeSketch(a), MakeSketch(b));
  }
  EXPECT_GT(shared, kSketchSeeds * kSketchFeatures * 95 / 100);
}

TEST(ContentSketch, SharesAsMuchAsTheContentsDo) {
  // Half of each text is the other's: a third of all samples of both.
  unsigned shared = 0;
  for (unsigned seed = 0; seed < 4 * kSketchSeeds; ++seed) {
    Random random(seed);
    const Bytes half = RandomText(random, kSize / 2);
    Bytes a = half;
    Append(a, RandomText(random, kSize / 2));
    Bytes b = half;
    Append(b, RandomText(random, kSize / 2));
    shared += Shared(MakeSketch(a), MakeSketch(b));
  }
  const unsigned all = 4 * kSketchSeeds * kSketchFeatures;
  EXPECT_GT(shared, all * 25 / 100);
  EXPECT_LT(shared, all * 42 / 100);
}

}  // namespace
}  // namespace zpack
