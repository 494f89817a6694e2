// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One phase of progress. The constructor begins the phase, and the destructor
// ends it. Advance may be called from any thread.

#pragma once

#include <chrono>
#include <cstdint>

#include "base/guarded.h"
#include "zpack/progress.h"

namespace zpack {

class ProgressPhase {
 public:
  // `sink` may be null.
  ProgressPhase(ProgressSink* sink, Phase phase, uint64_t total_objects,
                uint64_t total_bytes)
      : sink_(sink) {
    if (sink_ != nullptr) sink_->Begin(phase, total_objects, total_bytes);
  }
  ~ProgressPhase() {
    if (sink_ != nullptr) CleanUp([this] { sink_->End(); });
  }
  ProgressPhase(const ProgressPhase&) = delete;
  ProgressPhase& operator=(const ProgressPhase&) = delete;

  void Advance(uint64_t objects, uint64_t bytes) const {
    if (sink_ != nullptr) sink_->Advance(objects, bytes);
  }

 private:
  ProgressSink* sink_;
};

}  // namespace zpack
