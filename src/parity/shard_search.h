// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds shards that inserted or lost bytes have moved. A function without
// state; any thread.

#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/file.h"
#include "parity/packet_scanner.h"
#include "zpack/result.h"

namespace zpack {

// Where the bytes of a shard are: an offset in the file, or one of these.
struct ShardPlace {
  static constexpr uint64_t kHome = UINT64_MAX;
  static constexpr uint64_t kErased = UINT64_MAX - 1;
  // There is no checksum that could tell.
  static constexpr uint64_t kUnknown = UINT64_MAX - 2;
};

// Searches `ranges` of `file` for shards that are kErased in `places`,
// and sets their offsets. Two consecutive shards must be found side by side: by
// chance, one checksum is right at one of 2^32 offsets. The time does not
// depend on the content, except for reading the file a few times. kIo,
// kInterrupted.
Status SearchShards(const RandomAccessFile& file, const FoundSet& set,
                    const std::vector<FileRange>& ranges,
                    const std::stop_token& stop, std::vector<uint64_t>& places);

}  // namespace zpack
