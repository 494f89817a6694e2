// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opening a source.

#pragma once

#include <memory>

#include "base/progress_phase.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Phase Phase::kOpeningRepository, as the indexes of all packs are read: calls
// `open`, which returns a source or an error.
template <typename Open>
Result<std::unique_ptr<ObjectSource>> OpenTimed(const Open& open,
                                                const RunOptions& run) {
  const ProgressPhase phase(run.progress, Phase::kOpeningRepository, 1, 0);
  Result<std::unique_ptr<ObjectSource>> source = open();
  if (source) phase.Advance(1, 0);
  return source;
}

}  // namespace zpack
