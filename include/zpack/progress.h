// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How long-running operations report their progress.

#pragma once

#include <cstdint>
#include <string_view>

namespace zpack {

// A part of an operation. Later versions may add phases.
enum class Phase : uint8_t {
  kOpeningRepository,
  kEnumeratingObjects,
  kCountingObjects,
  kGroupingPaths,
  kCompressingObjects,
  kWritingObjects,
  kCheckingChecksums,
  kVerifyingObjects,
  kCheckingConnectivity,
  kComparingObjects,
  kReadingBlocks,
  kMakingParity,
  kFindingDamage,
  kRepairing,
};

// The title that Git shows where Git has such a phase, for example "Counting
// objects"; a title in Git's style for any other phase.
std::string_view PhaseTitle(Phase phase);

// A phase that has ended.
struct PhaseTime {
  Phase phase = Phase::kOpeningRepository;
  double seconds = 0;
};

// Receives progress. Begin and End are called by one thread at a time. Phases
// do not nest. Between a Begin and its End, several threads may call Advance at
// once.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;

  // A phase starts. `total_objects` and `total_bytes` are 0 when the total is
  // not known.
  virtual void Begin(Phase phase, uint64_t total_objects,
                     uint64_t total_bytes) = 0;
  // The phase has processed that many more objects and bytes. Bytes are bytes
  // of object content; in a phase that only reads or writes a file, they are
  // bytes of the file. In kCheckingChecksums and kReadingBlocks, objects are
  // blocks. kCheckingConnectivity and kComparingObjects count no bytes.
  virtual void Advance(uint64_t objects, uint64_t bytes) = 0;
  // The phase has ended. Each Begin that has returned is followed by one End,
  // also if the operation fails or is interrupted.
  virtual void End() = 0;
  // Whether the sink uses totals. If false, an operation passes 0 where it
  // would otherwise read the file an extra time to find the totals.
  virtual bool wants_totals() const { return true; }
};

}  // namespace zpack
