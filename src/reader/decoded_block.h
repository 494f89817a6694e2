// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The decoded objects of a block of any kind. Immutable once filled; any number
// of threads may read it.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/visitor.h"
#include "format/block.h"
#include "format/delta_block.h"
#include "format/link_numbers.h"
#include "format/tree_block.h"
#include "reader/rebuild_objects.h"
#include "zpack/result.h"

namespace zpack {

// Type and sizes of the objects of one block.
struct BlockObjects {
  format::BlockHeader header;
  std::vector<uint64_t> sizes;  // in a segment: the size of the whole object
};

// Objects that are decoded completely: those of a block of whole objects or
// commits, or one segment.
struct WholeObjects {
  Bytes contents;  // of all objects, or of the segment
  // Start of each object, and the end of the last. Empty for a segment.
  std::vector<uint64_t> offsets;
};

// Trees, which are rebuilt on demand.
struct TreeObjects {
  format::TreeBlock block;
  format::IdOfNumber id_of;  // refers to the open file
};

struct DecodedBlock {
  BlockObjects objects;
  std::variant<WholeObjects, format::DeltaBlock, TreeObjects> form;
  // Set if the block is one of far deltas. Refers to the open file.
  ReadFarBase read_far = {};

  // Null, or empty, if the block has another form.
  const format::DeltaBlock* deltas() const {
    return std::get_if<format::DeltaBlock>(&form);
  }
  const format::TreeBlock* trees() const {
    const auto* const trees = std::get_if<TreeObjects>(&form);
    return trees == nullptr ? nullptr : &trees->block;
  }
  ByteView contents() const {
    const auto* const whole = std::get_if<WholeObjects>(&form);
    return whole == nullptr ? ByteView() : ByteView(whole->contents);
  }

  // Bytes of memory that the block takes.
  uint64_t memory() const {
    if (deltas() != nullptr) return deltas()->memory();
    return trees() != nullptr ? trees()->memory() : contents().size();
  }
  // The `cost` of the block in an LruCache. A byte of commits and trees takes
  // 2.2 and 2.6 times as long to decode as one of deltas. With 4, random reads
  // of git.git take less time than with 2.5, and no more than with 10.
  uint32_t decoding_cost() const {
    const bool of_columns =
        trees() != nullptr || objects.header.type == ObjectType::kCommit;
    return of_columns ? 4 : 1;
  }

  // Sizes and bases of the objects; null if no object can have a base.
  const format::BlockLayout* layout() const {
    if (deltas() != nullptr) return &deltas()->layout();
    return trees() != nullptr ? &trees()->layout() : nullptr;
  }

  // The base of object `index` if it is in an earlier block; otherwise null.
  const format::FarBase* FarBaseOf(uint32_t index) const {
    const std::optional<uint32_t> base =
        layout() == nullptr ? std::nullopt : layout()->base(index);
    return base && layout()->IsFar(*base) ? &layout()->FarAt(*base) : nullptr;
  }

  // Calls `visit` with the index and the content of each object, in order. The
  // content is valid until the next call of `visit`. Returns kLimitExceeded if
  // more than `max_kept` bytes of bases have to be kept. Visit::kStop ends the
  // call. REQUIRES: the block is not a segment.
  Status ForEachObject(uint64_t max_kept,
                       const Visitor<size_t, ByteView>& visit) const {
    return ForEachObject({}, max_kept, visit);
  }
  // The same for the wanted objects only.
  Status ForEachObject(const WantedObjects& wanted, uint64_t max_kept,
                       const Visitor<size_t, ByteView>& visit) const {
    return ForEachObject(wanted, max_kept, visit, nullptr);
  }
  // Also calls `lost`, if it is not null, with each wanted object whose base in
  // an earlier block cannot be read. Reading these bases is counted in
  // `budget`, if that is not null.
  Status ForEachObject(const WantedObjects& wanted, uint64_t max_kept,
                       const Visitor<size_t, ByteView>& visit,
                       const Visitor<size_t, const Error&>* lost,
                       FarBudget* budget = nullptr) const;

  // Returns the content of an object. If the object is not stored whole, the
  // content is rebuilt in `buffer`. Errors are those of reading a base in an
  // earlier block. REQUIRES: the block is not a segment, and
  // index < sizes.size().
  Result<ByteView> Object(size_t index, Bytes& buffer) const {
    FarBudget unlimited;
    return Object(index, buffer, unlimited);
  }
  // The same; counts the work in `budget`.
  Result<ByteView> Object(size_t index, Bytes& buffer, FarBudget& budget) const;

  // The beginning of an object: the first segment, or the content as Object
  // returns it.
  Result<ByteView> Beginning(size_t index, Bytes& buffer) const {
    if (objects.header.kind == format::BlockKind::kSegment) return contents();
    return Object(index, buffer);
  }
  // The content of an object that is stored whole. REQUIRES: the block has the
  // form WholeObjects, and is not a segment.
  ByteView Whole(size_t index) const;

  // Fills `delta` with the copies that turn the base of an object into the
  // object. REQUIRES: the object has a base.
  void ReadDelta(uint32_t index, Delta& delta) const;

  // Rebuilds the first object of `chain`, in which each object is the base of
  // the object before it, and none is in an earlier block. `base` is the
  // content of the base of the last object, or empty if it has none.
  // REQUIRES: layout() is not null.
  void RebuildChain(std::span<const uint32_t> chain, ByteView base,
                    Bytes& content) const;

 private:
  // As RebuildObject.
  void Rebuild(uint32_t index, format::BaseUse use, Bytes& base,
               Bytes& out) const;
};

}  // namespace zpack
