// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/pack_writer.h"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "format/object_index.h"
#include "writer/block_encoder.h"
#include "writer/container_writer.h"
#include "writer/write_order.h"

namespace zpack {
namespace {

// A block on its way through the pipeline.
struct BlockInFlight {
  PlannedBlock plan;
  Bytes segment;  // content of a segment, read in order by the producer
  Bytes chunk;
};

std::unexpected<Error> ChangedError(ObjectSource& source, const ObjectId& id) {
  return MakeError(ErrorCode::kSourceCorrupt,
                   "object {} of '{}' changed while it was read", id.ToHex(),
                   source.path());
}

// Reads the segments of large objects front to back, so that at most one such
// object is open at a time.
class SegmentReader {
 public:
  SegmentReader(ObjectSource& source, const ObjectList& list,
                const std::vector<uint32_t>& order)
      : source_(source), list_(list), order_(order) {}

  Status Read(const PlannedBlock& plan, Bytes& content) {
    const uint32_t rank = order_[plan.first];
    const ObjectId id = list_.ids[rank];
    if (plan.segment_offset == 0) {
      stream_.reset();
      ZPACK_ASSIGN_OR_RETURN(stream_, source_.Open(id));
      if (stream_->info() != ObjectInfo{plan.type, list_.sizes[rank]}) {
        return ChangedError(source_, id);
      }
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
              const std::vector<uint32_t>& order, int level)
      : source_(source), list_(list), order_(order), encoder_(level) {}

  Status Run(BlockInFlight& block) {
    const PlannedBlock& plan = block.plan;
    format::BlockHeader header;
    header.kind = plan.segment ? format::BlockKind::kSegment
                               : format::BlockKind::kObjects;
    header.type = plan.type;
    header.first_object = plan.first;
    header.object_count = plan.count;
    header.segment_offset = plan.segment_offset;
    sizes_.clear();
    for (uint32_t i = 0; i < plan.count; ++i) {
      sizes_.push_back(list_.sizes[order_[plan.first + i]]);
    }
    if (plan.segment) {
      ZPACK_TRY(encoder_.Encode(header, sizes_, block.segment, block.chunk));
      // Finished blocks may wait for an earlier one.
      block.segment = Bytes();
      return {};
    }
    ZPACK_TRY(ReadObjects(plan));
    return encoder_.Encode(header, sizes_, contents_, block.chunk);
  }

 private:
  Status ReadObjects(const PlannedBlock& plan) {
    contents_.clear();
    contents_.reserve(plan.raw_size);
    for (uint32_t i = 0; i < plan.count; ++i) {
      const uint32_t rank = order_[plan.first + i];
      ZPACK_ASSIGN_OR_RETURN(const ObjectType type,
                             source_.Read(list_.ids[rank], object_));
      if (ObjectInfo{type, object_.size()} !=
          ObjectInfo{plan.type, list_.sizes[rank]}) {
        return ChangedError(source_, list_.ids[rank]);
      }
      Append(contents_, object_);
    }
    return {};
  }

  ObjectSource& source_;
  const ObjectList& list_;
  const std::vector<uint32_t>& order_;
  BlockEncoder encoder_;
  std::vector<uint64_t> sizes_;
  Bytes object_;
  Bytes contents_;
};

}  // namespace

Result<WriteStats> WritePack(ObjectSource& source, const ObjectList& list,
                             const RefsSnapshot& refs,
                             const ConvertOptions& options,
                             WritableFile& file) {
  const std::vector<uint32_t> order = WriteOrder(list);
  const std::vector<PlannedBlock> plan =
      PlanBlocks(list, order, options.block_size);
  const uint64_t raw_bytes =
      std::accumulate(list.sizes.begin(), list.sizes.end(), uint64_t{0});
  const ProgressPhase phase(options.run.progress, "Compressing objects",
                            order.size(), raw_bytes);

  ContainerWriter container(file, list.ids.format(), list.ids.size());
  ZPACK_TRY(container.Start(refs));

  WriteStats stats;
  size_t next_block = 0;
  SegmentReader segments(source, list, order);
  const Status encoded = RunOrderedPipeline<BlockInFlight>(
      ResolveThreads(options.run.threads), options.run.stop,
      [&] { return BlockWorker(source, list, order, options.level); },
      [&](BlockInFlight& block) -> Result<bool> {
        if (next_block == plan.size()) return false;
        block.plan = plan[next_block++];
        if (block.plan.segment) {
          ZPACK_TRY(segments.Read(block.plan, block.segment));
        }
        return true;
      },
      [&](BlockInFlight& block, BlockWorker& worker) {
        return worker.Run(block);
      },
      [&](BlockInFlight& block) -> Status {
        const PlannedBlock& done = block.plan;
        // A segmented object is counted with its first segment.
        const uint32_t objects = done.segment_offset == 0 ? done.count : 0;
        auto& type = stats.types[static_cast<size_t>(done.type)];
        type.count += objects;
        type.raw_bytes += done.raw_size;
        type.stored_bytes += block.chunk.size();
        phase.Advance(objects, done.raw_size);
        return container.AddBlock(done.first, block.chunk);
      });
  ZPACK_TRY(encoded);

  // `order` maps numbers to ranks; the index stores the inverse.
  ZPACK_TRY(container.Finish(list.ids, format::InversePermutation(order)));
  stats.file_size = container.size();
  return stats;
}

}  // namespace zpack
