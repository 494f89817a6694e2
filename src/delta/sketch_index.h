// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds contents that resemble a given content. Thread-compatible.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "delta/content_sketch.h"

namespace zpack {

// `Number` identifies a content.
template <typename Number>
class SketchIndex {
 public:
  struct Similar {
    Number number{};
    unsigned features = 0;  // number of equal features, at least 1
  };

  // Adds a content. For each feature value, only the content added last is
  // kept, which limits the time and the results of Find. REQUIRES:
  // sketch.valid.
  void Add(const ContentSketch& sketch, Number number);

  // At most kSketchFeatures contents, the most similar first; among equally
  // similar contents, the greatest number first. The view is valid until the
  // next call.
  const std::vector<Similar>& Find(const ContentSketch& sketch);

  void Clear() { last_.clear(); }

 private:
  // By feature value and index of the feature.
  std::unordered_map<uint64_t, Number> last_;
  std::vector<Similar> found_;
};

}  // namespace zpack
