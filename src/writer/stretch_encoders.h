// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of blocks that the writer makes of stretches: which objects are
// stored in a kind, and the encoder of the kind. Thread-compatible: one set of
// encoders per worker.

#pragma once

#include "base/error.h"
#include "base/index_spaces.h"
#include "format/block_form.h"
#include "format/commit_block.h"
#include "inventory/lineage_grouper.h"
#include "inventory/object_list.h"
#include "writer/block_encoder.h"
#include "writer/column_stretch_encoder.h"
#include "writer/delta_stretch_encoder.h"
#include "writer/encoding_options.h"
#include "writer/far_bases.h"
#include "writer/tree_stretch_encoder.h"
#include "zpack/result.h"

namespace zpack {

using CommitStretchEncoder = ColumnStretchEncoder<format::CommitBlockBuilder>;

struct BlockSizes;

// What decides how objects are stored.
struct StorageInput {
  const ObjectList& list;
  const Lineages& lineages;
  const FarVersions& far;
};

// The kind of block in which an object is stored, unless it is so large that it
// is divided into segments.
format::BlockKind StoredKind(const StorageInput& input, ListRank rank);

// Leaves out what does not pay. Trees at the same path name each other's
// children by number in a block of trees, which begins with a whole tree; in a
// block of far deltas each changed child takes a whole id.
FarVersions ChooseFarVersions(const ObjectList& list, FarVersions far,
                              const BlockSizes& sizes);

class StretchEncoders {
 public:
  // `numbers` and `encoder` must outlive this object, as must what `read_far`
  // refers to.
  StretchEncoders(const format::FileNumbers& numbers,
                  const EncodingOptions& options, BlockEncoder& encoder,
                  const ReadFarVersion& read_far);

  // Returns the result of `use`, called with the encoder of objects of `type`
  // in blocks of a kind that is not kObjects or kSegment.
  template <typename Use>
  Status With(format::BlockKind kind, ObjectType type, Use use) {
    switch (kind) {
      case format::BlockKind::kDeltas:
        return use(deltas_);
      case format::BlockKind::kFarDeltas:
        return use(type == ObjectType::kTree ? far_trees_ : far_blobs_);
      case format::BlockKind::kTrees:
        return use(trees_);
      case format::BlockKind::kCommits:
        return use(commits_);
      case format::BlockKind::kObjects:
      case format::BlockKind::kSegment:
        break;
    }
    return MakeError(ErrorCode::kInternal, "no encoder for a kind of block");
  }

 private:
  DeltaStretchEncoder deltas_;
  DeltaStretchEncoder far_blobs_;
  DeltaStretchEncoder far_trees_;
  TreeStretchEncoder trees_;
  CommitStretchEncoder commits_;
};

}  // namespace zpack
