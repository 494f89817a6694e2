// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/prepared_deltas.h"

#include <algorithm>
#include <utility>

namespace zpack {

void PreparedDeltas::Prepare(const DeltaPlannerOptions& options,
                             DeltaEncoder& encoder) {
  // If the depth is limited, the limits of the planner depend on the depths of
  // the candidates, which are not known yet, and are seldom larger.
  const bool any_depth = options.max_depth == DeltaPlannerOptions::kAnyDepth;
  const uint64_t slack = any_depth ? 1 : 2;
  uint64_t cost = options.Whole(content_->size());
  for (SharedContent& base : candidates_) {
    if (cost < options.GoodForPath()) break;
    PreparedDelta delta;
    delta.limit = slack * cost;
    delta.is_found = encoder.Encode(*base, *content_, delta.limit, delta.delta);
    if (delta.is_found) {
      delta.least_limit = encoder.least_limit();
      cost = std::min(cost, delta.delta.cost);
    }
    delta.base = std::move(base);
    deltas_.push_back(std::move(delta));
  }
  candidates_.clear();
  if (options.similar != 0 && cost >= options.GoodForAll()) {
    sketch_ = MakeSketch(*content_);
  }
}

const PreparedDelta* PreparedDeltas::Find(const SharedContent& base,
                                          uint64_t limit) const {
  const auto found = std::ranges::find(deltas_, base, &PreparedDelta::base);
  return found == deltas_.end() || found->limit < limit ? nullptr : &*found;
}

}  // namespace zpack
