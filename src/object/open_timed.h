// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a source with progress.

#pragma once

#include <memory>

#include "base/progress_phase.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Calls `open`, which returns a source or an error, and reports the call as
// Phase::kOpeningRepository. Opening reads the indexes of all packs.
template <typename Open>
Result<std::unique_ptr<ObjectSource>> OpenTimed(const Open& open,
                                                const RunOptions& run) {
  const ProgressPhase phase(run.progress, Phase::kOpeningRepository, 1, 0);
  Result<std::unique_ptr<ObjectSource>> source = open();
  if (source) phase.Advance(1, 0);
  return source;
}

}  // namespace zpack
