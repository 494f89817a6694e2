// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/sketch_index.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/index_spaces.h"

namespace zpack {
namespace {

using Found = std::vector<std::pair<uint32_t, unsigned>>;

using Sketches = SketchIndex<CandidateNumber>;

// A sketch with `features` first, and then some that no other call gives.
ContentSketch Sketch(const std::vector<uint32_t>& features) {
  static uint32_t unique = 1000;
  ContentSketch sketch;
  for (size_t i = 0; i < kSketchFeatures; ++i) {
    sketch.features[i] = i < features.size() ? features[i] : unique++;
  }
  sketch.valid = true;
  return sketch;
}

Found Find(Sketches& index, const ContentSketch& sketch) {
  Found found;
  for (const auto& [number, features] : index.Find(sketch)) {
    found.emplace_back(number.value(), features);
  }
  return found;
}

TEST(SketchIndex, FindsNothingInNothing) {
  Sketches index;
  EXPECT_EQ(Find(index, Sketch({1, 2, 3})), Found());
}

TEST(SketchIndex, CountsTheFeaturesInCommon) {
  Sketches index;
  index.Add(Sketch({1, 2, 3}), CandidateNumber(7));
  EXPECT_EQ(Find(index, Sketch({1, 2, 3})), (Found{{7, 3}}));
  EXPECT_EQ(Find(index, Sketch({1, 9, 3})), (Found{{7, 2}}));
  EXPECT_EQ(Find(index, Sketch({9, 9, 9})), Found());
}

TEST(SketchIndex, ComparesFeaturesOfTheSamePlaceOnly) {
  Sketches index;
  index.Add(Sketch({1, 2}), CandidateNumber(7));
  EXPECT_EQ(Find(index, Sketch({2, 1})), Found());
}

TEST(SketchIndex, PutsTheMostSimilarFirst) {
  Sketches index;
  index.Add(Sketch({1, 2, 3}), CandidateNumber(5));
  index.Add(Sketch({9, 9, 9, 4}), CandidateNumber(6));
  index.Add(Sketch({9, 9, 9, 9, 5, 6}), CandidateNumber(7));
  EXPECT_EQ(Find(index, Sketch({1, 2, 3, 4, 5, 6})),
            (Found{{5, 3}, {7, 2}, {6, 1}}));
}

TEST(SketchIndex, PutsTheLastAddedFirstOfEqualOnes) {
  Sketches index;
  index.Add(Sketch({1, 2}), CandidateNumber(5));
  index.Add(Sketch({9, 9, 3, 4}), CandidateNumber(6));
  EXPECT_EQ(Find(index, Sketch({1, 2, 3, 4})), (Found{{6, 2}, {5, 2}}));
}

TEST(SketchIndex, KeepsTheLastContentOfEachFeature) {
  Sketches index;
  index.Add(Sketch({1, 2, 3}), CandidateNumber(5));
  index.Add(Sketch({1, 2}), CandidateNumber(6));
  EXPECT_EQ(Find(index, Sketch({1, 2, 3})), (Found{{6, 2}, {5, 1}}));
}

TEST(SketchIndex, NamesAtMostOneContentAFeature) {
  Sketches index;
  const ContentSketch wanted = Sketch({1, 2, 3, 4, 5, 6, 7, 8});
  for (uint32_t i = 0; i < kSketchFeatures; ++i) {
    ContentSketch one = Sketch({});
    one.features[i] = wanted.features[i];
    index.Add(one, CandidateNumber(i));
  }
  EXPECT_EQ(Find(index, wanted).size(), kSketchFeatures);
}

TEST(SketchIndex, FindsNothingForASketchThatIsNotValid) {
  Sketches index;
  ContentSketch sketch = Sketch({1, 2, 3});
  index.Add(sketch, CandidateNumber(5));
  sketch.valid = false;
  EXPECT_EQ(Find(index, sketch), Found());
}

TEST(SketchIndex, ForgetsWhenCleared) {
  Sketches index;
  const ContentSketch sketch = Sketch({1, 2, 3});
  index.Add(sketch, CandidateNumber(5));
  index.Clear();
  EXPECT_EQ(Find(index, sketch), Found());
}

}  // namespace
}  // namespace zpack
