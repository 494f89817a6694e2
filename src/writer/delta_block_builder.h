// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects the streams of a block of deltas (FORMAT.md, "Deltas").
// Thread-compatible.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "delta/delta_planner.h"
#include "format/block.h"
#include "writer/block_encoder.h"

namespace zpack {

class DeltaBlockBuilder {
 public:
  // Appends an object. `plan.base` counts the objects of this block.
  void Add(ByteView content, const PlannedDelta& plan);
  // Takes the last object out again. REQUIRES: Add was the last call.
  void Undo();
  void Clear();

  uint32_t object_count() const { return object_count_; }
  // Bytes of all streams before compression.
  uint64_t raw_size() const;
  // What reading the block's smallest object decodes besides that object's own
  // size; 0 for an empty block.
  uint64_t read_cost() const;

  // Bytes of all objects.
  uint64_t content_size() const { return content_size_; }

  // The streams. The views live until the builder changes.
  std::vector<BlockEncoder::RawStream> Streams() const;

 private:
  static constexpr std::array kKinds = {
      format::StreamKind::kSizes,          format::StreamKind::kBases,
      format::StreamKind::kLiteralLengths, format::StreamKind::kCopyLengths,
      format::StreamKind::kCopyOffsets,    format::StreamKind::kLiterals};

  Bytes& Stream(format::StreamKind kind);

  std::array<Bytes, kKinds.size()> streams_;
  uint32_t object_count_ = 0;
  uint64_t smallest_object_ = UINT64_MAX;
  uint64_t content_size_ = 0;
  // As they were before the last Add:
  std::array<size_t, kKinds.size()> undo_sizes_{};
  uint64_t undo_smallest_ = UINT64_MAX;
  uint64_t undo_content_ = 0;
};

}  // namespace zpack
