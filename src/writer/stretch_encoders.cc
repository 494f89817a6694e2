// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_encoders.h"

#include <algorithm>
#include <unordered_map>

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

FarVersions ChooseFarVersions(const ObjectList& list, FarVersions far,
                              const BlockSizes& sizes) {
  // A whole tree takes about 0.15 of its size, and a changed entry 25 bytes.
  constexpr uint64_t kTreeBytesPerEntry = 170;
  struct Trees {
    uint64_t count = 0;
    uint64_t largest = 0;
    uint64_t most_changed = 0;  // entries of one of them
  };
  std::unordered_map<PathNumber, Trees> trees;
  if (!far.empty()) {
    for (const ListRank rank : list.ids.ranks()) {
      if (list.types[rank] != ObjectType::kTree) continue;
      Trees& at = trees[list.paths[rank]];
      ++at.count;
      at.largest = std::max(at.largest, list.sizes[rank]);
      const auto version = far.find(rank);
      if (version != far.end()) {
        at.most_changed =
            std::max<uint64_t>(at.most_changed, version->second.changed);
      }
    }
  }
  std::erase_if(far, [&](const auto& version) {
    const auto& [rank, older] = version;
    if (older.type != ObjectType::kTree) {
      return older.base.size > sizes.max_delta;
    }
    if (older.base.size > sizes.max_object) return true;
    const Trees& at = trees[list.paths[rank]];
    // Most versions have one more change than another one.
    return at.count + at.most_changed > at.largest / kTreeBytesPerEntry;
  });
  return far;
}

BlockKind StoredKind(const StorageInput& input, ListRank rank) {
  const auto& [list, lineages, far] = input;
  const ObjectType type = list.types[rank];
  switch (type) {
    case ObjectType::kCommit:
      return BlockKind::kCommits;
    case ObjectType::kTree:
      return far.contains(rank) ? BlockKind::kFarDeltas : BlockKind::kTrees;
    case ObjectType::kBlob:
      if (lineages.incompressible[list.paths[rank]]) return BlockKind::kObjects;
      return far.contains(rank) ? BlockKind::kFarDeltas : BlockKind::kDeltas;
    default:
      return BlockKind::kObjects;
  }
}

StretchEncoders::StretchEncoders(const format::FileNumbers& numbers,
                                 const EncodingOptions& options,
                                 BlockEncoder& encoder,
                                 const ReadFarVersion& read_far)
    : deltas_(PlannerOptions(options), options.block_size, encoder),
      far_blobs_(PlannerOptions(options), options.block_size, encoder,
                 ObjectType::kBlob, read_far),
      far_trees_(PlannerOptions(options), options.block_size, encoder,
                 ObjectType::kTree, read_far),
      trees_(numbers, BlockSizes(options.block_size, options.halvings).trees,
             encoder),
      commits_(numbers, options.block_size, encoder) {}

}  // namespace zpack
