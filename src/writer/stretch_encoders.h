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
#include "writer/tree_stretch_encoder.h"
#include "zpack/result.h"

namespace zpack {

using CommitStretchEncoder = ColumnStretchEncoder<format::CommitBlockBuilder>;

// The kind of block in which an object is stored, unless it is so large that it
// is divided into segments.
format::BlockKind StoredKind(const ObjectList& list, const Lineages& lineages,
                             ListRank rank);

class StretchEncoders {
 public:
  // `numbers` and `encoder` must outlive this object.
  StretchEncoders(const format::FileNumbers& numbers,
                  const EncodingOptions& options, BlockEncoder& encoder);

  // Returns the result of `use`, called with the encoder of a kind that is not
  // kObjects or kSegment.
  template <typename Use>
  Status With(format::BlockKind kind, Use use) {
    switch (kind) {
      case format::BlockKind::kDeltas:
        return use(deltas_);
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
  TreeStretchEncoder trees_;
  CommitStretchEncoder commits_;
};

}  // namespace zpack
