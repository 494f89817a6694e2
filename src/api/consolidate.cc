// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/consolidate.h"

#include "base/guarded.h"
#include "base/phase_timer.h"
#include "base/posix_file.h"
#include "convert/consolidate_file.h"

namespace zpack {

Result<ConsolidateStats> Consolidate(const std::string& path,
                                     const std::string& output,
                                     const ConsolidateOptions& options) {
  return Guarded([&]() -> Result<ConsolidateStats> {
    PhaseTimer timer(options.run.progress);
    ConsolidateOptions timed = options;
    timed.run.progress = &timer;
    ZPACK_ASSIGN_OR_RETURN(
        ConsolidateStats stats,
        ConsolidateFile(PosixFileSystem(), path, output, timed));
    stats.phases = timer.phases();
    return stats;
  });
}

}  // namespace zpack
