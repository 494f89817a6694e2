// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/pack_writer.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "format/object_index.h"
#include "writer/block_worker.h"
#include "writer/container_writer.h"
#include "writer/lineage_grouper.h"
#include "writer/listed_objects.h"
#include "writer/write_order.h"

namespace zpack {
namespace {

// Reads the segments of large objects front to back, so that at most one such
// object is open at a time.
class SegmentReader {
 public:
  explicit SegmentReader(const EncodingInput& input) : input_(input) {}

  Status Read(const PlannedBlock& plan, Bytes& content) {
    const uint32_t rank = input_.order[plan.first];
    if (plan.segment_offset == 0) {
      stream_.reset();
      ZPACK_ASSIGN_OR_RETURN(stream_,
                             OpenListed(input_.source, input_.list, rank));
    }
    content.resize(plan.raw_size);
    ZPACK_TRY(stream_->Read(content));
    if (plan.segment_offset + plan.raw_size == input_.list.sizes[rank]) {
      stream_.reset();
    }
    return {};
  }

 private:
  const EncodingInput& input_;
  std::unique_ptr<ObjectStream> stream_;
};

// Numbers those of `reused` as they are, then those of `input` in its order.
FileNumbers NumberObjects(const ObjectIdTable& ids, const EncodingInput& input,
                          const ReusableBlocks* reused) {
  FileNumbers file{ids, {}, std::vector<uint32_t>(ids.size())};
  const std::vector<uint32_t> positions =
      format::InversePermutation(input.order);
  uint32_t added = 0;  // rank in the list; all three are sorted
  uint32_t known = 0;  // rank in the older file
  for (uint32_t rank = 0; rank < ids.size(); ++rank) {
    if (added < input.list.ids.size() && input.list.ids[added] == ids[rank]) {
      file.numbers[rank] = input.first_number + positions[added++];
    } else {
      file.numbers[rank] = reused->number(known++);
    }
  }
  file.order = format::InversePermutation(file.numbers);
  return file;
}

std::vector<std::string> Features(const std::vector<PlannedBlock>& plan,
                                  const ReusableBlocks* reused) {
  std::set<std::string> features;
  if (reused != nullptr) {
    features.insert(reused->features().begin(), reused->features().end());
  }
  for (const auto& [kind, feature] :
       {std::pair(format::BlockKind::kCommits, format::kCommitsFeature),
        std::pair(format::BlockKind::kDeltas, format::kDeltasFeature),
        std::pair(format::BlockKind::kTrees, format::kTreesFeature)}) {
    if (std::ranges::find(plan, kind, &PlannedBlock::kind) != plan.end()) {
      features.emplace(feature);
    }
  }
  return {features.begin(), features.end()};
}

// Blocks on their way through the pipeline: one that is reused, or those of a
// plan.
struct BlockInFlight {
  std::optional<size_t> reused;
  PlannedBlock plan;
  Bytes segment;  // content of a segment, read in order by the producer
  ReusedBlock taken_over;
  std::vector<EncodedBlock> encoded;
};

// The pipeline's three steps, and what is counted on the way.
class PackWriter {
 public:
  PackWriter(const EncodingInput& input, const FileNumbers& numbers,
             const ReusableBlocks* reused, std::vector<PlannedBlock> plan,
             ContainerWriter& container)
      : numbers_(numbers),
        reused_(reused),
        reused_count_(reused == nullptr ? 0 : reused->block_count()),
        plan_(std::move(plan)),
        segments_(input),
        container_(container) {}

  Result<bool> Produce(BlockInFlight& block) {
    if (next_ == reused_count_ + plan_.size()) return false;
    const size_t index = next_++;
    if (index < reused_count_) {
      block.reused = index;
      return true;
    }
    block.plan = plan_[index - reused_count_];
    if (block.plan.kind == format::BlockKind::kSegment) {
      ZPACK_TRY(segments_.Read(block.plan, block.segment));
    }
    return true;
  }

  Status Encode(BlockInFlight& block, BlockWorker& worker) const {
    if (!block.reused) {
      return worker.Encode(block.plan, block.segment, block.encoded);
    }
    ZPACK_ASSIGN_OR_RETURN(
        block.taken_over,
        reused_->Read(*block.reused, numbers_, worker.encoder()));
    return {};
  }

  Status Write(const BlockInFlight& block) {
    if (block.reused) return WriteReused(block.taken_over);
    const PlannedBlock& done = block.plan;
    auto& type = stats_.types[static_cast<size_t>(done.type)];
    // A segmented object is counted with its first segment.
    type.count += done.segment_offset == 0 ? done.count : 0;
    type.raw_bytes += done.raw_size;
    for (const EncodedBlock& encoded : block.encoded) {
      ZPACK_TRY(WriteBlock(encoded, done.type));
    }
    return {};
  }

  WriteStats& stats() { return stats_; }

 private:
  Status WriteReused(const ReusedBlock& block) {
    const format::BlockHeader& header = block.header;
    const uint64_t count = header.segment_offset == 0 ? header.object_count : 0;
    auto& type = stats_.types[static_cast<size_t>(header.type)];
    type.count += count;
    type.raw_bytes += block.raw_size;
    if (block.how == ReusedBlock::How::kCopied) {
      ++stats_.reused.blocks;
      stats_.reused.bytes += block.encoded.chunk.size();
      stats_.reused.objects += count;
    } else {
      ++stats_.reused.renumbered_blocks;
    }
    stats_.copied.push_back(block.how == ReusedBlock::How::kCopied);
    return WriteBlock(block.encoded, header.type);
  }

  Status WriteBlock(const EncodedBlock& block, ObjectType type) {
    stats_.types[static_cast<size_t>(type)].stored_bytes += block.chunk.size();
    return container_.AddBlock(block.first_object, block.chunk);
  }

  const FileNumbers& numbers_;
  const ReusableBlocks* reused_;
  size_t reused_count_;
  std::vector<PlannedBlock> plan_;
  SegmentReader segments_;
  ContainerWriter& container_;
  size_t next_ = 0;
  WriteStats stats_;
};

}  // namespace

Result<WriteStats> WritePack(ObjectSource& source, const PackContents& contents,
                             const EncodingOptions& options,
                             const RunOptions& run, WritableFile& file) {
  const ObjectList& list = contents.list;
  const BlockSizes sizes(options.block_size);
  ZPACK_ASSIGN_OR_RETURN(const Lineages lineages,
                         GroupLineages(source, list, sizes.max_object, run));
  const EncodingInput input{source, list, WriteOrder(list, lineages),
                            contents.ids.size() - list.ids.size()};
  std::vector<PlannedBlock> plan =
      PlanBlocks(list, lineages, input.order, sizes);
  const FileNumbers numbers =
      NumberObjects(contents.ids, input, contents.reused);

  const uint64_t raw_bytes =
      std::accumulate(list.sizes.begin(), list.sizes.end(), uint64_t{0});
  const ProgressPhase phase(run.progress, "Compressing objects",
                            input.order.size(), raw_bytes);
  ContainerWriter container(file, contents.ids.format(), contents.ids.size(),
                            Features(plan, contents.reused));
  ZPACK_TRY(container.Start(contents.refs));
  PackWriter writer(input, numbers, contents.reused, std::move(plan),
                    container);
  const Status encoded = RunOrderedPipeline<BlockInFlight>(
      ResolveThreads(run.threads), run.stop,
      [&] {
        return std::make_unique<BlockWorker>(input, numbers, options, phase,
                                             run.stop);
      },
      [&](BlockInFlight& block) { return writer.Produce(block); },
      [&](BlockInFlight& block, std::unique_ptr<BlockWorker>& worker) {
        return writer.Encode(block, *worker);
      },
      [&](BlockInFlight& block) { return writer.Write(block); });
  ZPACK_TRY(encoded);

  ZPACK_TRY(container.Finish(contents.ids, numbers.numbers));
  writer.stats().file_size = container.size();
  return std::move(writer.stats());
}

}  // namespace zpack
