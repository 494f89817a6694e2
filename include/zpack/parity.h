// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Protects a .zpack file against damage, and repairs a damaged file. Several
// threads may call these functions at once; options.h lists what the calls
// share in a process.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/options.h"
#include "zpack/parity_state.h"
#include "zpack/result.h"

namespace zpack {

struct ProtectOptions {
  RunOptions run;
  // Parity in hundredths of a percent of the data, 1 to 10,000. The default
  // restores any run of 5 % of the file.
  uint32_t redundancy = 500;
  ParityPlace place = ParityPlace::kInside;
  // The path of the protected file. Empty for kBeside, and in order to replace
  // the file itself.
  std::string output = {};
  // kYes replaces an existing `output`, or an existing file with the name of
  // the parity that does not hold parity.
  Overwrite overwrite = Overwrite::kNo;
};

struct ProtectStats {
  std::string output;         // the file that was written
  uint64_t data_bytes = 0;    // bytes that are covered
  uint64_t parity_bytes = 0;  // bytes of the parity set
  uint64_t file_bytes = 0;    // bytes of `output`
  uint64_t data_shards = 0;
  uint64_t parity_shards = 0;
  uint64_t shard_bytes = 0;
  uint64_t codewords = 0;
  // A lost or damaged run of up to this many bytes can be restored, wherever it
  // is.
  uint64_t repairable_bytes = 0;
  std::vector<PhaseTime> phases;  // in the order they ran
};

// Adds parity to the file at `path`, or replaces its parity. All checksums and
// the hash of the file are checked before, and those of the result before it
// gets its name. The result replaces `path` atomically.
//
// Errors: kInvalidArgument for options that exclude each other or are out of
// range; kNotFound; kUnsupported if the file is not a .zpack file or has a
// newer format; kCorrupt if the file is damaged: then it must be repaired
// first; kExists; kLimitExceeded; kIo; kNotDurable; kInterrupted; kOutOfMemory.
Result<ProtectStats> Protect(const std::string& path,
                             const ProtectOptions& options);

struct RepairOptions {
  RunOptions run;
  // The file with the parity. Empty to use the file beside the damaged file, or
  // the parity in it.
  std::string parity = {};
  // Path of the repaired file; empty for the path of the damaged file with
  // '.repaired' at the end. If the parity is a file of its own and is damaged,
  // its repaired form is beside the output, with '.zpar' at the end.
  std::string output = {};
  // kYes replaces the damaged files, once the result is proven right. Excludes
  // `output`.
  Overwrite in_place = Overwrite::kNo;
  // kYes replaces existing files at `output`.
  Overwrite overwrite = Overwrite::kNo;
};

// A part of the data that cannot be restored.
struct LostCodeword {
  uint64_t codeword = 0;
  uint64_t lost_shards = 0;
  uint64_t restorable_shards = 0;  // fewer
};

struct RepairReport {
  enum class Outcome : uint8_t {
    kUndamaged,   // nothing was written
    kRepaired,    // `output`, `parity_output` or both were written
    kImpossible,  // nothing was written
  };
  Outcome outcome = Outcome::kUndamaged;
  std::string parity;  // the file in which the parity was found
  ParityPlace place = ParityPlace::kBeside;
  uint64_t data_shards = 0;
  uint64_t parity_shards = 0;
  uint64_t shard_bytes = 0;
  uint64_t codewords = 0;
  uint64_t lost_data_shards = 0;  // damaged or missing
  uint64_t moved_shards = 0;      // found at another offset
  uint64_t lost_parity_shards = 0;
  // With kImpossible: the codewords that lost too much. Empty if the shards
  // were restored and the result was wrong nevertheless.
  std::vector<LostCodeword> lost_codewords;
  // Fewest shards that any codeword could have lost in addition.
  uint64_t spare_shards = 0;
  // As ProtectStats::repairable_bytes, of the repaired or undamaged file.
  uint64_t repairable_bytes = 0;
  std::string output;         // empty if the file itself was undamaged
  std::string parity_output;  // empty unless parity was damaged and is beside
  std::vector<PhaseTime> phases;  // in the order they ran
};

// Repairs the file at `path`: damaged, missing, inserted and lost bytes, of the
// file and of its parity. The result is proven by the SHA-256 of the original
// data, by all checksums and by the hash of the file before it gets its name.
// Without damage, nothing is written.
//
// Errors: kNotFound if there is no such file, or no parity for it; kMismatch if
// the parity was made for another version of the file, which a repair would
// replace: the file is undamaged, or its header is; kInvalidArgument;
// kUnsupported if the parity has a newer version; kExists; kIo; kNotDurable;
// kInterrupted; kOutOfMemory.
Result<RepairReport> Repair(const std::string& path,
                            const RepairOptions& options);

}  // namespace zpack
