// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Determines the order of objects in an archive, and their division into
// blocks. Pure functions.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "format/block.h"
#include "inventory/object_list.h"
#include "inventory/version_turns.h"
#include "writer/stretch_encoders.h"

namespace zpack {

// Returns ranks in the order of the archive, which is the order of object
// numbers: commits, tags, trees, blobs. Commits are ordered newest first. Trees
// and blobs are grouped by path, so that the versions of one file are
// neighbours, newest first. Within a type, objects that the walk did not reach
// follow the others. Objects with a base in an older archive follow those
// without one, and incompressible blobs come last. Blobs in `changed` have the
// visits that are given there.
IndexedVector<WritePosition, ListRank> WriteOrder(
    const StorageInput& input, const ChangedVisits& changed = {});

// A stretch, and a block, may have so many versions of a large blob, because
// the first one takes about as much as all others together.
inline constexpr uint64_t kLeastVersions = 32;

// Sizes in bytes that control the division into blocks. All derive from
// ConvertOptions::block_size. To save memory, `halvings` halves the sizes
// `whole`, `max_object`, `max_delta` and `window` that many times. With
// `groups`, stretches of blobs are long, because a group ends with its stretch.
struct BlockSizes {
  explicit BlockSizes(uint64_t block_size, unsigned halvings = 0,
                      bool groups = false);

  uint64_t deltas;       // data in a block of deltas or of incompressible blobs
  uint64_t trees;        // data in a block of trees
  uint64_t whole;        // content in any other block of whole objects
  uint64_t max_object;   // larger objects are divided into segments,
  uint64_t max_delta;    // but blobs that may be deltas only above this size
  uint64_t segment;      // content in a segment
  uint64_t window;       // content that blobs are compared with
  uint64_t stretches;    // into which blobs are divided, if there are few
  uint64_t max_stretch;  // content in a stretch of blobs
  uint64_t section;      // content in a section of a stretch; 0 without groups
};

// The objects [first, first + count) of one type, or one segment of one object.
// A stretch of kind kDeltas, kTrees or kCommits is encoded as one or more
// blocks; other stretches become one block.
struct PlannedStretch {
  WritePosition first;
  uint32_t count = 0;
  ObjectType type = ObjectType::kBlob;
  uint64_t raw_size = 0;  // bytes of object content
  format::BlockKind kind = format::BlockKind::kObjects;
  uint64_t segment_offset = 0;
  // Parts of the stretch that are encoded at the same time. None if its blocks
  // are in no group.
  std::vector<PlannedStretch> sections = {};
};

// REQUIRES: `order` is the result of WriteOrder. The result does not depend on
// the number of threads.
std::vector<PlannedStretch> PlanStretches(
    const StorageInput& input,
    const IndexedVector<WritePosition, ListRank>& order,
    const BlockSizes& sizes);
}  // namespace zpack
