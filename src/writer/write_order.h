// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of objects in the file, and their division into blocks. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "format/block.h"
#include "inventory/lineage_grouper.h"
#include "inventory/object_list.h"

namespace zpack {

// Ranks in the order of the file, in which they get their object numbers.
// Commits, tags, trees, blobs; commits newest first; trees and blobs grouped
// by path, so that the versions of one file lie side by side, newest first.
// What no path is known for comes last in its type, incompressible blobs after
// all others.
IndexedVector<WritePosition, ListRank> WriteOrder(const ObjectList& list,
                                                  const Lineages& lineages);

// How much goes into a block, all derived from ConvertOptions::block_size, and
// how much is held for it, in little memory less by `halvings`.
struct BlockSizes {
  explicit BlockSizes(uint64_t block_size, unsigned halvings = 0);

  uint64_t deltas;  // data of a block of deltas, and of incompressible blobs
  uint64_t trees;   // data of a block of trees
  uint64_t whole;   // content of a block of whole objects
  uint64_t max_object;  // larger objects are cut into segments
  uint64_t segment;     // content of a segment
  uint64_t window;      // content that blobs are compared with
};

// A block to be: objects [first, first + count) of one type, or one segment of
// one object. Objects of kind kDeltas or kTrees are a stretch that is encoded
// as one or more blocks; how many is known only then.
struct PlannedStretch {
  WritePosition first;
  uint32_t count = 0;
  ObjectType type = ObjectType::kBlob;
  uint64_t raw_size = 0;  // bytes of object content
  format::BlockKind kind = format::BlockKind::kObjects;
  uint64_t segment_offset = 0;
};

// `order` is that of WriteOrder. Independent of the number of threads.
std::vector<PlannedStretch> PlanStretches(
    const ObjectList& list, const Lineages& lineages,
    const IndexedVector<WritePosition, ListRank>& order,
    const BlockSizes& sizes);

}  // namespace zpack
