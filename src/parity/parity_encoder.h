// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the parity set of data (FORMAT.md, "Parity"). A function without state;
// any thread.

#pragma once

#include <cstdint>
#include <functional>

#include "base/bytes.h"
#include "base/file.h"
#include "base/progress_phase.h"
#include "parity/parity_packet.h"
#include "parity/parity_shape.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Receives bytes of the set and their offset in the set. Called by one thread
// at a time, with the offsets in any order.
using PutInSet = std::function<Status(uint64_t offset, ByteView bytes)>;

// Makes the set of the data that `file` holds by `shape`, and passes each of
// its bytes to `put` once. Reads the data once if the memory of `run` is
// sufficient for all codewords, and otherwise once for each part of the
// codewords that fits. The bytes depend on the data and the shape alone.
//
// Errors: kIo, kInterrupted and those of `put`.
Result<ParityParameters> EncodeParitySet(const RandomAccessFile& file,
                                         const ParityShape& shape,
                                         const RunOptions& run,
                                         const PutInSet& put);

}  // namespace zpack
