// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/progress_phase.h"

namespace zpack {

std::string_view PhaseTitle(Phase phase) {
  switch (phase) {
    case Phase::kOpeningRepository:
      return "Opening repository";
    case Phase::kEnumeratingObjects:
      return "Enumerating objects";
    case Phase::kCountingObjects:
      return "Counting objects";
    case Phase::kGroupingPaths:
      return "Grouping paths";
    case Phase::kCompressingObjects:
      return "Compressing objects";
    case Phase::kWritingObjects:
      return "Writing objects";
    case Phase::kCheckingChecksums:
      return "Checking checksums";
    case Phase::kVerifyingObjects:
      return "Verifying objects";
    case Phase::kCheckingConnectivity:
      return "Checking connectivity";
    case Phase::kComparingObjects:
      return "Comparing objects";
    case Phase::kReadingBlocks:
      return "Reading blocks";
    case Phase::kMakingParity:
      return "Making parity";
    case Phase::kFindingDamage:
      return "Finding damage";
    case Phase::kRepairing:
      return "Repairing";
  }
  return "";
}

}  // namespace zpack
