// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects the streams of a block of deltas (FORMAT.md, "Deltas").
// Thread-compatible.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "delta/delta_planner.h"
#include "format/block.h"
#include "writer/block_streams.h"

namespace zpack {

class DeltaBlockBuilder {
 public:
  // Appends an object. `plan.base` is a position in this block.
  void Add(ByteView content, const PlannedDelta& plan);
  // Removes the last object. REQUIRES: the last call was Add.
  void Undo();
  void Clear();

  uint32_t object_count() const { return object_count_; }
  // Bytes of all streams before compression.
  uint64_t raw_size() const { return streams_.raw_size(); }
  // Bytes that reading the smallest object of the block decodes, minus the size
  // of that object; 0 for an empty block.
  uint64_t read_cost() const;

  // Bytes of all objects.
  uint64_t content_size() const { return content_size_; }
  // Sum over all objects of the bytes of the object and of all its bases.
  uint64_t chains_size() const { return chains_size_; }

  // The views are valid until the builder changes.
  std::vector<BlockEncoder::RawStream> Streams() const {
    return streams_.Views();
  }

 private:
  BlockStreams streams_ = {
      format::StreamKind::kSizes,          format::StreamKind::kBases,
      format::StreamKind::kLiteralLengths, format::StreamKind::kCopyLengths,
      format::StreamKind::kCopyOffsets,    format::StreamKind::kLiterals};
  uint32_t object_count_ = 0;
  uint64_t smallest_object_ = UINT64_MAX;
  uint64_t content_size_ = 0;
  uint64_t chains_size_ = 0;
  // By object: bytes of the object and of all its bases.
  IndexedVector<CandidateNumber, uint64_t> chains_;
  // Values before the last Add:
  uint64_t undo_smallest_ = UINT64_MAX;
  uint64_t undo_content_ = 0;
};

}  // namespace zpack
