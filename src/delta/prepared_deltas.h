// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Deltas of an object against candidates of its path, and its sketch, computed
// before a planner asks for them. The planner takes what it would compute
// itself, byte for byte, and computes the rest. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "delta/content_sketch.h"
#include "delta/delta_encoder.h"
#include "delta/delta_planner_options.h"

namespace zpack {

// The content of an object, which several threads may read.
using SharedContent = std::shared_ptr<const Bytes>;

struct PreparedDelta {
  SharedContent base;
  uint64_t limit = 0;        // of the search
  uint64_t least_limit = 0;  // as DeltaEncoder::least_limit
  bool is_found = false;
  Delta delta;

  // Whether a search with `limit`, which is not above that of this search,
  // would have found the delta.
  bool IsFoundWith(uint64_t at_most) const {
    return is_found && least_limit <= at_most;
  }
};

class PreparedDeltas {
 public:
  // The object has the content `content`. The planner probably tries
  // `candidates`, in this order.
  PreparedDeltas(SharedContent content, std::vector<SharedContent> candidates)
      : content_(std::move(content)), candidates_(std::move(candidates)) {}

  // Computes what a planner with `options` probably asks for.
  void Prepare(const DeltaPlannerOptions& options, DeltaEncoder& encoder);

  // The search against `base` with at least this limit; null if there was none.
  const PreparedDelta* Find(const SharedContent& base, uint64_t limit) const;
  const std::optional<ContentSketch>& sketch() const { return sketch_; }

 private:
  SharedContent content_;
  std::vector<SharedContent> candidates_;
  std::vector<PreparedDelta> deltas_;
  std::optional<ContentSketch> sketch_;
};

}  // namespace zpack
