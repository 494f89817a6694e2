// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds what resembles a content among the contents added before.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "delta/content_sketch.h"

namespace zpack {

// `Number` is what contents are told apart by.
template <typename Number>
class SketchIndex {
 public:
  struct Similar {
    Number number{};
    unsigned features = 0;  // in which they agree, at least 1
  };

  // For each feature only the content added last is kept, so that time and
  // answers stay bounded. REQUIRES: sketch.valid.
  void Add(const ContentSketch& sketch, Number number);

  // At most kSketchFeatures contents, the most similar first, of equal ones
  // that with the greatest number. The view lives until the next call.
  const std::vector<Similar>& Find(const ContentSketch& sketch);

  void Clear() { last_.clear(); }

 private:
  std::unordered_map<uint64_t, Number> last_;  // by feature and its position
  std::vector<Similar> found_;
};

}  // namespace zpack
