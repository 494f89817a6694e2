// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the objects of planned stretches and encodes them. Thread-compatible:
// one worker per thread.

#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "base/progress_phase.h"
#include "format/link_numbers.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "writer/encoding_options.h"
#include "writer/stretch_encoders.h"
#include "writer/write_order.h"
#include "zpack/result.h"

namespace zpack {

// The objects to be encoded. A planned stretch is a range of positions in
// `order`, and `order` holds ranks of `list`.
struct EncodingInput {
  ObjectSource& source;
  const ObjectList& list;
  FarVersions far;
  IndexedVector<WritePosition, ListRank> order;
  // Object number of the first object in `order`. The numbers of the other
  // objects follow.
  ObjectNumber first_number;

  ObjectNumber Number(WritePosition position) const {
    return first_number + position.value();
  }
};

class BlockWorker {
 public:
  // All references must outlive the worker.
  BlockWorker(const EncodingInput& input, const format::FileNumbers& numbers,
              const EncodingOptions& options, const ProgressPhase& phase,
              std::stop_token stop);

  // Appends the blocks of `plan` to those of `to`. If `plan` is a segment of a
  // large object, `segment` is its content, and the memory of `segment` is
  // released.
  Status Encode(const PlannedStretch& plan, Bytes& segment,
                const BlockDestination& to);

  BlockEncoder& encoder() { return encoder_; }

 private:
  Status EncodeSegment(const PlannedStretch& plan, Bytes& segment,
                       EncodedBlocks& out);
  Status EncodeObjects(const PlannedStretch& plan, EncodedBlocks& out);
  template <typename StretchEncoder>
  Status EncodeStretch(const PlannedStretch& plan, StretchEncoder& stretch,
                       const BlockDestination& to);
  Status EncodeStretch(const PlannedStretch& plan, DeltaStretchEncoder& stretch,
                       const BlockDestination& to);
  // Prefetches the objects of `plan` from index `begin` on.
  void Prefetch(const PlannedStretch& plan, uint32_t begin);
  // As ReadFarVersion.
  Result<std::optional<Bytes>> ReadFar(const FarVersion& far) const;
  // Reads object `index` of `plan`, one after the other, and prefetches those
  // after it.
  Status ReadNext(const PlannedStretch& plan, uint32_t index, Bytes& object);
  Status Read(const PlannedStretch& plan, uint32_t index, Bytes& object);
  // Encodes a block of whole objects, or of one segment.
  Status EncodeBlock(const PlannedStretch& plan,
                     const std::vector<uint64_t>& sizes, ByteView contents,
                     EncodedBlocks& out);

  const EncodingInput& input_;
  const ProgressPhase& phase_;
  std::stop_token stop_;
  BlockEncoder encoder_;
  StretchEncoders stretches_;  // use encoder_
  std::vector<ObjectId> ids_;  // objects to prefetch
};

}  // namespace zpack
