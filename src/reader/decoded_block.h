// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects of a block, whatever its kind. Immutable once it is filled; any
// number of threads may read it.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"
#include "reader/delta_block.h"
#include "reader/id_of_number.h"
#include "reader/tree_block.h"

namespace zpack {

// Type and sizes of the objects of one block.
struct BlockObjects {
  format::BlockHeader header;
  std::vector<uint64_t> sizes;  // in a segment, the size of the whole object
};

struct DecodedBlock {
  BlockObjects objects;
  Bytes contents;                 // of all objects, or of the segment
  std::vector<uint64_t> offsets;  // of each object in `contents`, and the end
  // Instead of contents and offsets, in blocks of these kinds:
  std::optional<DeltaBlock> deltas;
  std::optional<TreeBlock> trees;
  IdOfNumber id_of;  // set with `trees`; refers to the open file

  // Bytes that this keeps in memory.
  uint64_t memory() const {
    if (deltas) return deltas->memory();
    return trees ? trees->memory() : contents.size();
  }

  // The bases of its objects; null when none has any.
  const BlockLayout* layout() const {
    if (deltas) return &deltas->layout();
    return trees ? &trees->layout() : nullptr;
  }

  // Calls `visit` with index and content of each object, in order. The content
  // lives until the next one. kLimitExceeded when more than `max_kept` bytes
  // had to be kept for objects to come. REQUIRES: not a segment.
  Status ForEachObject(
      uint64_t max_kept,
      const std::function<Status(size_t, ByteView)>& visit) const;

  // The content of one object; rebuilt in `buffer` when it is stored
  // against others.
  // REQUIRES: not a segment, index < sizes.size().
  ByteView Object(size_t index, Bytes& buffer) const;

  // Rebuilds the first object of `chain`, each of which is the base of the one
  // before it. `content` is that of the base of the last one, empty when it has
  // none, and becomes the object's. REQUIRES: layout() is not null.
  void RebuildChain(std::span<const uint32_t> chain, Bytes& content) const;

 private:
  // As RebuildObject.
  void Rebuild(uint32_t index, BaseUse use, Bytes& base, Bytes& out) const;
};

}  // namespace zpack
