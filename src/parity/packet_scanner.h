// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the packets of a parity set in a file of which any part may be lost or
// moved. Functions without state; any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/file.h"
#include "parity/parity_packet.h"
#include "zpack/result.h"

namespace zpack {

// Calls `visit` for each undamaged packet of the file, in the order of the
// file. kIo, kInterrupted.
Status ScanPackets(
    const RandomAccessFile& file, const std::stop_token& stop,
    const std::function<void(uint64_t offset, const ParityPacket&)>& visit);

// The different parameters in the file, in the order of the file: at most 16,
// those that fit a file of `file_size` bytes best. A file may hold sets of
// other files: of protected files that are stored in it. kIo, kInterrupted;
// kUnsupported if all parameters have a newer version.
Result<std::vector<ParityParameters>> FindParameters(
    const RandomAccessFile& file, uint64_t file_size,
    const std::stop_token& stop);
// By how much the file that has `shape` differs from `file_size` bytes.
uint64_t SizeDifference(const ParityShape& shape, uint64_t file_size);

// The offsets of the first byte and of the byte after the last.
using FileRange = std::pair<uint64_t, uint64_t>;

// What is left of a parity set.
struct FoundSet {
  static constexpr uint64_t kLost = UINT64_MAX;

  ParityParameters parameters;
  // By shard of the data. A checksum counts only if it is known.
  std::vector<uint32_t> checksums;
  std::vector<bool> known;
  // By parity shard: the offset of its payload in the file, or kLost.
  std::vector<uint64_t> parity;
  uint64_t parity_found = 0;
  // Every packet is undamaged and in its place.
  bool intact = false;
  // Ranges of the file that hold packets of the set, in order.
  std::vector<FileRange> packets;

  const ParityShape& shape() const { return parameters.shape; }
};

// Collects what the file has of the set with `parameters`. The undamaged set
// begins at offset `begin`. The size of the result is in proportion to the
// shards of the data. kIo, kInterrupted.
Result<FoundSet> CollectSet(const RandomAccessFile& file, uint64_t begin,
                            const ParityParameters& parameters,
                            const std::stop_token& stop);

}  // namespace zpack
