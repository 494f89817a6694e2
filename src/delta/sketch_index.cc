// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/sketch_index.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/index_spaces.h"

namespace zpack {
namespace {

uint64_t Key(const ContentSketch& sketch, size_t feature) {
  return uint64_t{sketch.features[feature]} << 8 | feature;
}

}  // namespace

template <typename Number>
void SketchIndex<Number>::Add(const ContentSketch& sketch, Number number) {
  for (size_t i = 0; i < kSketchFeatures; ++i) last_[Key(sketch, i)] = number;
}

template <typename Number>
auto SketchIndex<Number>::Find(const ContentSketch& sketch)
    -> const std::vector<Similar>& {
  found_.clear();
  if (!sketch.valid) return found_;
  for (size_t i = 0; i < kSketchFeatures; ++i) {
    const auto at = last_.find(Key(sketch, i));
    if (at == last_.end()) continue;
    const auto known = std::ranges::find(found_, at->second, &Similar::number);
    if (known == found_.end()) {
      found_.push_back({at->second, 1});
    } else {
      ++known->features;
    }
  }
  std::ranges::sort(found_, std::greater(), [](const Similar& similar) {
    return std::tuple(similar.features, similar.number);
  });
  return found_;
}

template class SketchIndex<CandidateNumber>;
template class SketchIndex<PathNumber>;

}  // namespace zpack
