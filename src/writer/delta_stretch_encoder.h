// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of blobs as blocks of deltas, each of which decodes by
// itself. Thread-compatible: one per worker.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "delta/delta_planner.h"
#include "writer/delta_block_builder.h"
#include "writer/stretch_output.h"
#include "zpack/result.h"

namespace zpack {

class DeltaStretchEncoder {
 public:
  // Blocks are full when reading any of their objects would decode more than
  // `block_size` bytes besides the object's own size.
  DeltaStretchEncoder(const DeltaPlannerOptions& options, uint64_t block_size,
                      BlockEncoder& encoder)
      : planner_(options), block_size_(block_size), output_(encoder) {}

  // Begins a stretch with object number `first`. Blocks are appended to `out`,
  // which outlives the stretch.
  void Begin(ObjectNumber first, std::vector<EncodedBlock>& out);
  // Adds the next blob of the stretch.
  Status Add(Bytes content, PathNumber path);
  // Ends the stretch.
  Status Finish();

 private:
  Status CloseBlock();

  DeltaPlanner planner_;
  uint64_t block_size_;
  StretchOutput output_;
  DeltaBlockBuilder builder_;
};

}  // namespace zpack
