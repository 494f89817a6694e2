// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of blobs as blocks of deltas. Each block can be decoded
// without the others. Thread-compatible: one encoder per worker.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "delta/delta_planner.h"
#include "format/delta_block.h"
#include "writer/stretch_output.h"
#include "zpack/result.h"

namespace zpack {

class DeltaStretchEncoder {
 public:
  // Closes a block when one more blob would make reading any of its blobs
  // decode more than `block_size` bytes on top of the blob's own size, or when
  // the block would exceed format::kMaxBlockContent. `encoder` must outlive
  // this object.
  DeltaStretchEncoder(const DeltaPlannerOptions& options, uint64_t block_size,
                      BlockEncoder& encoder)
      : planner_(options), block_size_(block_size), output_(encoder) {}

  // Begins a stretch whose first object has number `first`. Blocks are appended
  // to `out`, which must outlive the stretch.
  void Begin(ObjectNumber first, std::vector<EncodedBlock>& out);
  // Adds the next blob of the stretch.
  Status Add(Bytes content, PathNumber path);
  // Ends the stretch.
  Status Finish();

 private:
  // Appends a blob to the open block, as the planner says.
  void AddPlanned(ByteView content, PathNumber path);
  // True if the open block holds too much, and not only one blob.
  bool IsOverfull() const;
  Status CloseBlock();

  DeltaPlanner planner_;
  uint64_t block_size_;
  StretchOutput output_;
  format::DeltaBlockBuilder builder_;
};

}  // namespace zpack
