// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_encoders.h"

#include "writer/write_order.h"

namespace zpack {
namespace {

using format::BlockKind;

DeltaPlannerOptions PlannerOptions(const EncodingOptions& options) {
  DeltaPlannerOptions planner;
  planner.same_path = options.same_path_candidates;
  planner.similar = options.similar_candidates;
  planner.good_for_path = options.good_for_path;
  planner.good_for_all = options.good_for_all;
  planner.window_size = BlockSizes(options.block_size, options.halvings).window;
  return planner;
}

}  // namespace

BlockKind StoredKind(const ObjectList& list, const Lineages& lineages,
                     ListRank rank) {
  switch (list.types[rank]) {
    case ObjectType::kCommit:
      return BlockKind::kCommits;
    case ObjectType::kTree:
      return BlockKind::kTrees;
    case ObjectType::kBlob:
      return lineages.incompressible[list.paths[rank]] ? BlockKind::kObjects
                                                       : BlockKind::kDeltas;
    default:
      return BlockKind::kObjects;
  }
}

StretchEncoders::StretchEncoders(const format::FileNumbers& numbers,
                                 const EncodingOptions& options,
                                 BlockEncoder& encoder)
    : deltas_(PlannerOptions(options), options.block_size, encoder),
      trees_(numbers, BlockSizes(options.block_size, options.halvings).trees,
             encoder),
      commits_(numbers, options.block_size, encoder) {}

}  // namespace zpack
