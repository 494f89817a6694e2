// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/parity.h"

#include "base/guarded.h"
#include "base/phase_timer.h"
#include "protect/protect_file.h"
#include "protect/repair_file.h"

namespace zpack {

Result<ProtectStats> Protect(const std::string& path,
                             const ProtectOptions& options) {
  return Guarded([&]() -> Result<ProtectStats> {
    PhaseTimer timer(options.run.progress);
    ProtectOptions timed = options;
    timed.run.progress = &timer;
    ZPACK_ASSIGN_OR_RETURN(ProtectStats stats,
                           ProtectFile(PosixFileSystem(), path, timed));
    stats.phases = timer.phases();
    return stats;
  });
}

Result<RepairReport> Repair(const std::string& path,
                            const RepairOptions& options) {
  return Guarded([&]() -> Result<RepairReport> {
    PhaseTimer timer(options.run.progress);
    RepairOptions timed = options;
    timed.run.progress = &timer;
    ZPACK_ASSIGN_OR_RETURN(RepairReport report,
                           RepairFile(PosixFileSystem(), path, timed));
    report.phases = timer.phases();
    return report;
  });
}

}  // namespace zpack
