// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/text_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "support/deltas.h"

namespace zpack {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using testing::Random;
using testing::RandomText;

std::set<uint32_t> Samples(const Bytes& content, unsigned shift) {
  std::vector<uint32_t> samples;
  AppendTextSamples(content, shift, samples);
  return {samples.begin(), samples.end()};
}

Bytes Joined(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(TextSamplesTest, OnePositionInSoManyIsSampled) {
  Random random{1};
  const Bytes content = RandomText(random, 100'000);
  for (const unsigned shift : {3U, 5U}) {
    std::vector<uint32_t> samples;
    AppendTextSamples(content, shift, samples);
    const size_t expected = content.size() >> shift;
    EXPECT_GT(samples.size(), expected * 8 / 10);
    EXPECT_LT(samples.size(), expected * 12 / 10);
  }
}

TEST(TextSamplesTest, ContentAloneDecides) {
  Random random{2};
  const Bytes passage = RandomText(random, 300);
  const std::set<uint32_t> inner =
      Samples(Bytes(passage.begin() + 16, passage.end()), 3);
  for (const size_t before : {1, 7, 1000}) {
    const Bytes content = Joined(Joined(RandomText(random, before), passage),
                                 RandomText(random, 100));
    const std::set<uint32_t> all = Samples(content, 3);
    // The first positions have other text before them.
    std::set<uint32_t> missing;
    std::ranges::set_difference(inner, all,
                                std::inserter(missing, missing.end()));
    EXPECT_LE(missing.size(), 4);
  }
}

TEST(TextSamplesTest, OtherTextHasOtherSamples) {
  Random random{3};
  const std::set<uint32_t> a = Samples(RandomText(random, 20'000), 3);
  const std::set<uint32_t> b = Samples(RandomText(random, 20'000), 3);
  std::vector<uint32_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  EXPECT_LE(common.size(), a.size() / 10);
}

TEST(TextSamplesTest, FewerSamplesAreAmongTheOthers) {
  Random random{4};
  const Bytes content = RandomText(random, 20'000);
  EXPECT_THAT(Samples(content, 6), IsSubsetOf(Samples(content, 3)));
}

TEST(TextSamplesTest, NothingHasNone) {
  EXPECT_THAT(Samples({}, 3), IsEmpty());
}

}  // namespace
}  // namespace zpack
