// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/pack_writer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "format/object_index.h"
#include "writer/block_encoder.h"
#include "writer/commit_stretch_encoder.h"
#include "writer/container_writer.h"
#include "writer/delta_stretch_encoder.h"
#include "writer/lineage_grouper.h"
#include "writer/listed_objects.h"
#include "writer/tree_stretch_encoder.h"
#include "writer/write_order.h"

namespace zpack {
namespace {

// A planned block on its way through the pipeline.
struct BlockInFlight {
  PlannedBlock plan;
  Bytes segment;  // content of a segment, read in order by the producer
  std::vector<EncodedBlock> encoded;
};

// Reads the segments of large objects front to back, so that at most one such
// object is open at a time.
class SegmentReader {
 public:
  SegmentReader(ObjectSource& source, const ObjectList& list,
                const std::vector<uint32_t>& order)
      : source_(source), list_(list), order_(order) {}

  Status Read(const PlannedBlock& plan, Bytes& content) {
    const uint32_t rank = order_[plan.first];
    if (plan.segment_offset == 0) {
      stream_.reset();
      ZPACK_ASSIGN_OR_RETURN(stream_, OpenListed(source_, list_, rank));
    }
    content.resize(plan.raw_size);
    ZPACK_TRY(stream_->Read(content));
    if (plan.segment_offset + plan.raw_size == list_.sizes[rank]) {
      stream_.reset();
    }
    return {};
  }

 private:
  ObjectSource& source_;
  const ObjectList& list_;
  const std::vector<uint32_t>& order_;
  std::unique_ptr<ObjectStream> stream_;
};

// What one worker thread owns.
class BlockWorker {
 public:
  BlockWorker(ObjectSource& source, const ObjectList& list,
              const std::vector<uint32_t>& order,
              const std::vector<uint32_t>& numbers,
              const EncodingOptions& options, const ProgressPhase& phase,
              const std::stop_token& stop)
      : source_(source),
        list_(list),
        order_(order),
        phase_(phase),
        stop_(stop),
        encoder_(options.level),
        deltas_(PlannerOptions(options), options.block_size, encoder_),
        trees_(list.ids, order, numbers, BlockSizes(options.block_size).trees,
               encoder_),
        commits_(list.ids, order, numbers, options.block_size, encoder_) {}

  Status Run(BlockInFlight& block) {
    switch (block.plan.kind) {
      case format::BlockKind::kSegment:
        return EncodeSegment(block);
      case format::BlockKind::kDeltas:
        return EncodeStretch(block, deltas_);
      case format::BlockKind::kTrees:
        return EncodeStretch(block, trees_);
      case format::BlockKind::kCommits:
        return EncodeStretch(block, commits_);
      case format::BlockKind::kObjects:
        break;
    }
    return EncodeObjects(block);
  }

 private:
  static DeltaPlannerOptions PlannerOptions(const EncodingOptions& options) {
    DeltaPlannerOptions planner;
    planner.same_path = options.same_path_candidates;
    planner.similar = options.similar_candidates;
    planner.window_size = BlockSizes(options.block_size).window;
    return planner;
  }

  Status EncodeSegment(BlockInFlight& block) {
    ZPACK_TRY(
        Encode(block, {list_.sizes[order_[block.plan.first]]}, block.segment));
    // Finished blocks may wait for an earlier one.
    block.segment = Bytes();
    phase_.Advance(block.plan.segment_offset == 0 ? 1 : 0, block.plan.raw_size);
    return {};
  }

  Status EncodeObjects(BlockInFlight& block) {
    const PlannedBlock& plan = block.plan;
    std::vector<uint64_t> sizes;
    Bytes contents;
    contents.reserve(plan.raw_size);
    Bytes object;
    for (uint32_t i = 0; i < plan.count; ++i) {
      ZPACK_TRY(Read(plan, i, object));
      sizes.push_back(object.size());
      Append(contents, object);
    }
    ZPACK_TRY(Encode(block, sizes, contents));
    phase_.Advance(plan.count, plan.raw_size);
    return {};
  }

  template <typename StretchEncoder>
  Status EncodeStretch(BlockInFlight& block, StretchEncoder& stretch) {
    const PlannedBlock& plan = block.plan;
    stretch.Begin(plan.first, block.encoded);
    for (uint32_t i = 0; i < plan.count; ++i) {
      ZPACK_TRY(CheckStop(stop_));
      Bytes object;
      ZPACK_TRY(Read(plan, i, object));
      const size_t size = object.size();
      ZPACK_TRY(
          stretch.Add(std::move(object), list_.paths[order_[plan.first + i]]));
      phase_.Advance(1, size);
    }
    return stretch.Finish();
  }

  // Reads object `index` of `plan`.
  Status Read(const PlannedBlock& plan, uint32_t index, Bytes& object) {
    return ReadListed(source_, list_, order_[plan.first + index], object);
  }

  // Encodes a block of whole objects, or a segment.
  Status Encode(BlockInFlight& block, const std::vector<uint64_t>& sizes,
                ByteView contents) {
    const PlannedBlock& plan = block.plan;
    const format::BlockHeader header{plan.kind, plan.type, plan.first,
                                     plan.count, plan.segment_offset};
    Bytes encoded_sizes;
    ByteWriter to(encoded_sizes);
    for (const uint64_t size : sizes) to.Varint(size);
    const std::array<BlockEncoder::RawStream, 2> streams = {
        {{format::StreamKind::kSizes, encoded_sizes},
         {format::StreamKind::kContents, contents}}};
    block.encoded.push_back({plan.first, {}});
    return encoder_.Encode(header, streams, block.encoded.back().chunk);
  }

  ObjectSource& source_;
  const ObjectList& list_;
  const std::vector<uint32_t>& order_;
  const ProgressPhase& phase_;
  std::stop_token stop_;
  BlockEncoder encoder_;
  DeltaStretchEncoder deltas_;    // uses encoder_
  TreeStretchEncoder trees_;      // uses encoder_
  CommitStretchEncoder commits_;  // uses encoder_
};

}  // namespace

Result<WriteStats> WritePack(ObjectSource& source, const ObjectList& list,
                             const RefsSnapshot& refs,
                             const EncodingOptions& options,
                             const RunOptions& run, WritableFile& file) {
  const BlockSizes sizes(options.block_size);
  ZPACK_ASSIGN_OR_RETURN(const Lineages lineages,
                         GroupLineages(source, list, sizes.max_object, run));
  const std::vector<uint32_t> order = WriteOrder(list, lineages);
  const std::vector<PlannedBlock> plan =
      PlanBlocks(list, lineages, order, sizes);
  const uint64_t raw_bytes =
      std::accumulate(list.sizes.begin(), list.sizes.end(), uint64_t{0});
  const ProgressPhase phase(run.progress, "Compressing objects", order.size(),
                            raw_bytes);

  const std::vector<uint32_t> numbers = format::InversePermutation(order);
  std::vector<std::string> features;
  for (const auto& [kind, feature] :
       {std::pair(format::BlockKind::kCommits, format::kCommitsFeature),
        std::pair(format::BlockKind::kDeltas, format::kDeltasFeature),
        std::pair(format::BlockKind::kTrees, format::kTreesFeature)}) {
    if (std::ranges::find(plan, kind, &PlannedBlock::kind) != plan.end()) {
      features.emplace_back(feature);
    }
  }
  ContainerWriter container(file, list.ids.format(), list.ids.size(), features);
  ZPACK_TRY(container.Start(refs));

  WriteStats stats;
  size_t next_block = 0;
  SegmentReader segments(source, list, order);
  const Status encoded = RunOrderedPipeline<BlockInFlight>(
      ResolveThreads(run.threads), run.stop,
      [&] {
        return std::make_unique<BlockWorker>(source, list, order, numbers,
                                             options, phase, run.stop);
      },
      [&](BlockInFlight& block) -> Result<bool> {
        if (next_block == plan.size()) return false;
        block.plan = plan[next_block++];
        if (block.plan.kind == format::BlockKind::kSegment) {
          ZPACK_TRY(segments.Read(block.plan, block.segment));
        }
        return true;
      },
      [&](BlockInFlight& block, std::unique_ptr<BlockWorker>& worker) {
        return worker->Run(block);
      },
      [&](BlockInFlight& block) -> Status {
        const PlannedBlock& done = block.plan;
        auto& type = stats.types[static_cast<size_t>(done.type)];
        // A segmented object is counted with its first segment.
        type.count += done.segment_offset == 0 ? done.count : 0;
        type.raw_bytes += done.raw_size;
        for (const EncodedBlock& done_block : block.encoded) {
          type.stored_bytes += done_block.chunk.size();
          ZPACK_TRY(
              container.AddBlock(done_block.first_object, done_block.chunk));
        }
        return {};
      });
  ZPACK_TRY(encoded);

  ZPACK_TRY(container.Finish(list.ids, numbers));
  stats.file_size = container.size();
  return stats;
}

}  // namespace zpack
