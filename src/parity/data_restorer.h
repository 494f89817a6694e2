// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Computes lost shards and puts data together again. A function without state;
// any thread.

#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/file.h"
#include "parity/packet_scanner.h"
#include "parity/repair_plan.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Receives bytes of the data and their offset in the data.
using PutInData = std::function<Status(uint64_t offset, ByteView bytes)>;

struct RepairSources {
  const RandomAccessFile& file;    // the damaged data
  const RandomAccessFile& parity;  // the file that holds the set
  const FoundSet& set;
  const RepairPlan& plan;
};

// Passes all of the data to `put`: first, in order, what is there, and zeros in
// place of lost shards, then the lost shards. The result must still be compared
// with the hash of the data. kIo, kInterrupted and errors of `put`. REQUIRES:
// plan.possible().
Status RestoreData(const RepairSources& sources, const RunOptions& run,
                   const PutInData& put);

}  // namespace zpack
