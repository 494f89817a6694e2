// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which shards of damaged data are whole, which have moved, and which must be
// computed. Plain values and functions without state; any thread.

#pragma once

#include <cstdint>
#include <vector>

#include "base/file.h"
#include "parity/packet_scanner.h"
#include "parity/shard_search.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct CodewordPlan {
  std::vector<uint32_t> lost_data;    // indexes in the codeword, ascending
  std::vector<uint32_t> lost_parity;  // likewise
  uint32_t parity_left = 0;

  bool possible() const { return lost_data.size() <= parity_left; }
};

struct RepairPlan {
  std::vector<uint64_t> places;  // by shard, see ShardPlace
  std::vector<CodewordPlan> codewords;

  // Shards that must be computed; shards that are at another offset.
  uint64_t lost() const;
  uint64_t moved() const;
  bool possible() const;
  // Every shard is in its place.
  bool whole() const { return lost() == 0 && moved() == 0; }
  // The fewest parity shards that a codeword has left over.
  uint64_t spare() const;
};

// Compares each shard of `file` with its checksum, and looks elsewhere for
// those that are not in their place. kIo, kInterrupted.
Result<RepairPlan> MakeRepairPlan(const RandomAccessFile& file,
                                  const FoundSet& set, const RunOptions& run);

}  // namespace zpack
