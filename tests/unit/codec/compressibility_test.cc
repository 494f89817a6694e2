// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/compressibility.h"

#include <gtest/gtest.h>

#include "support/deltas.h"
#include "support/matchers.h"
#include "support/repo_builder.h"

namespace zpack {
namespace {

using testing::IsOk;
using testing::Random;
using testing::RandomText;
using testing::ToBytes;

Bytes Noise(size_t size, uint64_t seed = 1) {
  return ToBytes(testing::RandomBytes(seed, size));
}

class CompressibilityTest : public ::testing::Test {
 protected:
  bool IsIncompressible(ByteView content) {
    const auto result = compressibility_.IsIncompressible(content);
    EXPECT_THAT(result, IsOk());
    return result.value_or(false);
  }

  Compressibility compressibility_;
};

TEST_F(CompressibilityTest, SeesNoiseOfAnySize) {
  for (const size_t size :
       {512U, 513U, 5000U, 32767U, 32768U, 32769U, 40000U, 1000000U}) {
    EXPECT_TRUE(IsIncompressible(Noise(size))) << size;
  }
}

TEST_F(CompressibilityTest, DoesNotCareAboutWhatIsSmall) {
  for (const size_t size : {0U, 1U, 100U, 511U}) {
    EXPECT_FALSE(IsIncompressible(Noise(size))) << size;
  }
}

TEST_F(CompressibilityTest, SeesThatTextCompresses) {
  Random random(1);
  for (const size_t size : {512U, 5000U, 100000U, 1000000U}) {
    EXPECT_FALSE(IsIncompressible(RandomText(random, size))) << size;
    EXPECT_FALSE(IsIncompressible(Bytes(size, 0))) << size;
  }
}

TEST_F(CompressibilityTest, SeesTextBehindAHeaderOfNoise) {
  Random random(2);
  Bytes content = Noise(100000);
  Append(content, RandomText(random, 300000));
  EXPECT_FALSE(IsIncompressible(content));
}

TEST_F(CompressibilityTest, IsNotFooledByAHeaderOfText) {
  Random random(3);
  Bytes content = RandomText(random, 500);
  Append(content, Noise(1000000));
  EXPECT_TRUE(IsIncompressible(content));
}

TEST_F(CompressibilityTest, ReadsTheSampleAtTheEnd) {
  // All the noise but that is outside of the samples in between.
  Bytes content = Noise(1000000);
  std::ranges::fill(std::span(content).last(8192), 0);
  EXPECT_FALSE(IsIncompressible(content));
}

TEST_F(CompressibilityTest, JudgesEachContentByItself) {
  Random random(4);
  const Bytes noise = Noise(20000);
  const Bytes text = RandomText(random, 20000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(IsIncompressible(noise));
    EXPECT_FALSE(IsIncompressible(text));
  }
}

}  // namespace
}  // namespace zpack
