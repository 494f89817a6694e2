// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of objects in the file, and their division into blocks. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "writer/object_list.h"

namespace zpack {

// Ranks in the order of the file: the rank at position n gets object number n.
// Commits, tags, trees, blobs; commits newest first; trees and blobs grouped
// by path, so that the versions of one file lie side by side, newest first.
// What no path is known for comes last in its type.
std::vector<uint32_t> WriteOrder(const ObjectList& list);

// Several segments are in flight at once, beside the object they are cut from.
inline constexpr uint64_t kMaxSegmentSize = uint64_t{8} << 20;

// A block to be: objects [first, first + count) of one type, or one segment of
// one object.
struct PlannedBlock {
  uint32_t first = 0;
  uint32_t count = 0;
  ObjectType type = ObjectType::kBlob;
  uint64_t raw_size = 0;  // bytes of object content
  bool segment = false;
  uint64_t segment_offset = 0;
};

// Fills blocks up to `block_size` bytes of content. An object larger than that
// is cut into segments of `block_size` or kMaxSegmentSize bytes, whichever is
// less. REQUIRES: block_size > 0.
std::vector<PlannedBlock> PlanBlocks(const ObjectList& list,
                                     const std::vector<uint32_t>& order,
                                     uint64_t block_size);

}  // namespace zpack
