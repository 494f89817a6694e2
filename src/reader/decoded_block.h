// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects of a block, whatever its kind. Immutable once it is filled; any
// number of threads may read it.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "format/block.h"
#include "reader/delta_block.h"
#include "reader/id_of_number.h"
#include "reader/tree_block.h"
#include "zpack/result.h"

namespace zpack {

// Type and sizes of the objects of one block.
struct BlockObjects {
  format::BlockHeader header;
  std::vector<uint64_t> sizes;  // in a segment, the size of the whole object
};

// Objects that are decoded whole: those of a block of whole objects or commits,
// or one segment.
struct WholeObjects {
  Bytes contents;  // of all objects, or of the segment
  std::vector<uint64_t>
      offsets;  // of each object, and the end; not of segments
};

// Trees that are rebuilt when they are asked for.
struct TreeObjects {
  TreeBlock block;
  IdOfNumber id_of;  // refers to the open file
};

struct DecodedBlock {
  BlockObjects objects;
  std::variant<WholeObjects, DeltaBlock, TreeObjects> form;

  // Null, or empty, if the block has another form.
  const DeltaBlock* deltas() const { return std::get_if<DeltaBlock>(&form); }
  const TreeBlock* trees() const {
    const auto* const trees = std::get_if<TreeObjects>(&form);
    return trees == nullptr ? nullptr : &trees->block;
  }
  ByteView contents() const {
    const auto* const whole = std::get_if<WholeObjects>(&form);
    return whole == nullptr ? ByteView() : ByteView(whole->contents);
  }

  // Bytes that this keeps in memory.
  uint64_t memory() const {
    if (deltas() != nullptr) return deltas()->memory();
    return trees() != nullptr ? trees()->memory() : contents().size();
  }

  // The bases of its objects; null when none has any.
  const BlockLayout* layout() const {
    if (deltas() != nullptr) return &deltas()->layout();
    return trees() != nullptr ? &trees()->layout() : nullptr;
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
  // REQUIRES: the block has the form WholeObjects.
  ByteView Whole(size_t index) const;
  // As RebuildObject.
  void Rebuild(uint32_t index, BaseUse use, Bytes& base, Bytes& out) const;
};

}  // namespace zpack
