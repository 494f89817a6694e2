// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads many objects in the order in which they are stored. Each block is
// decoded once, on several threads at the same time.

#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "base/visitor.h"
#include "reader/file_blocks.h"
#include "reader/run_reader.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

struct BulkThreads {
  unsigned threads = 0;  // 0: one for each processor
  // Bytes of contents that may wait to be visited.
  uint64_t max_waiting = uint64_t{64} << 20;
  std::stop_token stop = {};
};

// An object, or the reason why it cannot be read. Valid during the visit.
struct BulkEntry {
  ObjectNumber number;
  ObjectId id;
  ObjectInfo info;                                 // empty if there is an error
  std::optional<ByteView> content = std::nullopt;  // absent if it is too large
  const Error* error = nullptr;                    // null if there is none
};

// Calls `visit`, in the calling thread, with each chosen object, in storage
// order, until it returns an error or Visit::kStop. Returns the error of
// `visit`, kInterrupted, or kOutOfMemory. REQUIRES: the index is loaded.
Status ReadObjects(const FileBlocks& file, const BulkChoice& choice,
                   const BulkThreads& threads,
                   const Visitor<const BulkEntry&>& visit);

}  // namespace zpack
