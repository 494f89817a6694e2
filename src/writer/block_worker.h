// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the objects of planned blocks and encodes them. Thread-compatible: one
// per worker.

#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "base/progress_phase.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "writer/block_encoder.h"
#include "writer/commit_stretch_encoder.h"
#include "writer/delta_stretch_encoder.h"
#include "writer/encoded_block.h"
#include "writer/encoding_options.h"
#include "writer/object_numbers.h"
#include "writer/tree_stretch_encoder.h"
#include "writer/write_order.h"
#include "zpack/result.h"

namespace zpack {

// What is encoded: planned blocks say which positions of `order` they hold, and
// that holds ranks of `list`.
struct EncodingInput {
  ObjectSource& source;
  const ObjectList& list;
  IndexedVector<WritePosition, ListRank> order;
  // The object number of the first of `order`; those of the others follow.
  ObjectNumber first_number;

  ObjectNumber Number(WritePosition position) const {
    return first_number + position.value();
  }
};

class BlockWorker {
 public:
  // All outlive the worker.
  BlockWorker(const EncodingInput& input, const FileNumbers& numbers,
              const EncodingOptions& options, const ProgressPhase& phase,
              std::stop_token stop);

  // Appends the blocks of `plan` to `out`. `segment` is the content of a
  // segment, which is given back.
  Status Encode(const PlannedStretch& plan, Bytes& segment,
                std::vector<EncodedBlock>& out);

  BlockEncoder& encoder() { return encoder_; }

 private:
  Status EncodeSegment(const PlannedStretch& plan, Bytes& segment,
                       std::vector<EncodedBlock>& out);
  Status EncodeObjects(const PlannedStretch& plan,
                       std::vector<EncodedBlock>& out);
  template <typename StretchEncoder>
  Status EncodeStretch(const PlannedStretch& plan, StretchEncoder& stretch,
                       std::vector<EncodedBlock>& out);
  // Asks for the memory of some objects of `plan`, from `begin` on.
  void Prefetch(const PlannedStretch& plan, uint32_t begin);
  // Reads object `index` of `plan`.
  Status Read(const PlannedStretch& plan, uint32_t index, Bytes& object);
  // Encodes a block of whole objects, or a segment.
  Status EncodeBlock(const PlannedStretch& plan,
                     const std::vector<uint64_t>& sizes, ByteView contents,
                     std::vector<EncodedBlock>& out);

  const EncodingInput& input_;
  const ProgressPhase& phase_;
  std::stop_token stop_;
  BlockEncoder encoder_;
  DeltaStretchEncoder deltas_;    // uses encoder_
  TreeStretchEncoder trees_;      // uses encoder_
  CommitStretchEncoder commits_;  // uses encoder_
  std::vector<ObjectId> ids_;     // to be prefetched
};

}  // namespace zpack
