// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/archive_writer.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/guarded.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "inventory/listed_objects.h"
#include "writer/begin_order.h"
#include "writer/block_worker.h"
#include "writer/container_writer.h"
#include "writer/encoding_options.h"
#include "writer/stretch_groups.h"
#include "writer/write_order.h"

namespace zpack {
namespace {

// Encoding a stretch of trees takes long. The items that wait for it are
// compressed already.
constexpr size_t kItemsPerThread = 4;

// Reads the segments of large objects front to back, so that at most one such
// object is open at a time.
class SegmentReader {
 public:
  explicit SegmentReader(const EncodingInput& input) : input_(input) {}

  Status Read(const PlannedStretch& plan, Bytes& content) {
    const ListRank rank = input_.order[plan.first];
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

// An item in the pipeline: a reused block, or the blocks of a planned stretch.
struct BlockInFlight {
  size_t item = 0;  // reused blocks come first
  std::optional<PlannedStretch> plan;
  Bytes segment;  // content of a segment, read in order by the producer
  ReusedBlock taken_over;
  std::vector<EncodedBlocks> encoded;  // of each section of the stretch
};

// Workers of the pipeline that wait for work.
class IdleWorkers final : public BlockHelpers {
 public:
  using Worker = std::unique_ptr<BlockWorker>;

  explicit IdleWorkers(Parts<Worker>& parts) : parts_(parts) {}

  bool IsWanted() override { return parts_.IsWanted(); }
  void Leave(Part part) override {
    parts_.Leave(
        [part = std::move(part)](Worker& worker, Parts<Worker>& parts) {
          IdleWorkers idle(parts);
          return part(worker->encoder(), idle);
        });
  }
  uint64_t Lend(Loan loan) override { return parts_.Lend(std::move(loan)); }
  bool TakeBack(uint64_t loan) override { return parts_.TakeBack(loan); }

 private:
  Parts<Worker>& parts_;
};

// A section that is left to any worker. If it is never encoded, because no
// memory is left for a worker or another section failed, those that wait for it
// fail.
class LeftSection {
 public:
  // All references must outlive this object.
  LeftSection(std::shared_ptr<StretchGroups> groups, size_t number,
              const PlannedStretch& plan, EncodedBlocks& blocks)
      : groups_(std::move(groups)),
        number_(number),
        plan_(plan),
        blocks_(blocks) {}
  ~LeftSection() {
    if (!has_begun_) {
      groups_->Fail(
          std::unexpected(Error{ErrorCode::kOutOfMemory, "out of memory"}));
    }
  }
  LeftSection(const LeftSection&) = delete;
  LeftSection& operator=(const LeftSection&) = delete;

  Status Encode(BlockWorker& worker, Parts<IdleWorkers::Worker>& others) {
    has_begun_ = true;
    IdleWorkers idle(others);
    GroupedSection section(*groups_, number_, worker.encoder(), &idle);
    Bytes no_segment;
    Status status = Guarded([&]() -> Status {
      ZPACK_TRY(worker.Encode(plan_, no_segment, {&blocks_, &idle, &section}));
      return section.End();
    });
    if (!status) groups_->Fail(status);
    return status;
  }

 private:
  std::shared_ptr<StretchGroups> groups_;
  size_t number_;
  const PlannedStretch& plan_;
  EncodedBlocks& blocks_;
  bool has_begun_ = false;
};

// The three steps of the pipeline, and the statistics that they collect.
class ArchiveWriter {
 public:
  ArchiveWriter(const ArchivePlan& plan, const WrittenBlocks& written,
                const ProgressPhase& phase, ContainerWriter& container,
                unsigned threads)
      : plan_(plan),
        written_(written),
        phase_(phase),
        reused_count_(plan.contents.reused_count()),
        threads_(threads),
        // What waits to be written takes memory.
        begin_order_(BeginOrder(plan.stretches,
                                threads > 1 ? threads * kItemsPerThread : 0)),
        segments_(plan.input),
        container_(container) {
    for (size_t i = 0; i < kAllObjectTypes.size(); ++i) {
      stats_.types[i].type = kAllObjectTypes[i];
    }
  }

  Result<bool> Produce(BlockInFlight& block) {
    if (next_ == reused_count_ + plan_.stretches.size()) return false;
    block.item = next_++;
    if (block.item < reused_count_) return true;
    const size_t stretch = begin_order_[block.item - reused_count_];
    block.item = reused_count_ + stretch;
    block.plan = plan_.stretches[stretch];
    if (block.plan->kind == format::BlockKind::kSegment && !IsWritten(block)) {
      ZPACK_TRY(segments_.Read(*block.plan, block.segment));
    }
    return true;
  }

  Status Encode(BlockInFlight& block, BlockWorker& worker,
                Parts<IdleWorkers::Worker>& parts) const {
    if (block.plan && IsWritten(block)) return ReadWritten(block);
    if (block.plan && !block.plan->sections.empty()) {
      LeaveSections(block, parts);
      return {};
    }
    if (block.plan) {
      IdleWorkers idle(parts);
      return worker.Encode(*block.plan, block.segment,
                           {&block.encoded.emplace_back(), &idle});
    }
    ZPACK_ASSIGN_OR_RETURN(
        block.taken_over,
        plan_.contents.reused->Read(plan_.contents.first_reused + block.item,
                                    plan_.numbers, worker.encoder()));
    return {};
  }

  // Writes the item, unless an earlier one is missing, and those that waited
  // for it.
  Status Write(BlockInFlight& block) {
    waiting_.emplace(block.item, std::move(block));
    for (; !waiting_.empty() && waiting_.begin()->first == due_; ++due_) {
      ZPACK_TRY(WriteDue(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
    }
    return {};
  }

  WriteStats& stats() { return stats_; }

 private:
  // Leaves the sections of a stretch to the workers.
  void LeaveSections(BlockInFlight& block,
                     Parts<IdleWorkers::Worker>& parts) const {
    const std::vector<PlannedStretch>& sections = block.plan->sections;
    block.encoded.resize(sections.size());
    const auto groups = std::make_shared<StretchGroups>(
        sections.size(), block.plan->raw_size,
        MostUnplaced(plan_.options, threads_), MostWaiting(plan_.options));
    for (size_t i = 0; i < sections.size(); ++i) {
      parts.Leave(
          [section = std::make_shared<LeftSection>(groups, i, sections[i],
                                                   block.encoded[i])](
              IdleWorkers::Worker& worker, Parts<IdleWorkers::Worker>& others) {
            return section->Encode(*worker, others);
          });
    }
  }

  Status WriteDue(const BlockInFlight& block) {
    if (!block.plan) return WriteReused(block.taken_over);
    const PlannedStretch& done = *block.plan;
    ConvertStats::PerType& type = StatsOf(done.type);
    // A segmented object is counted with its first segment.
    const uint64_t count = done.segment_offset == 0 ? done.count : 0;
    type.count += count;
    type.raw_bytes += done.raw_size;
    stats_.added.objects += count;
    for (const EncodedBlocks& section : block.encoded) {
      for (const EncodedBlock& encoded : section) {
        stats_.added.bytes += encoded.chunk.size();
        if (IsWritten(block)) {
          ++stats_.resumed_blocks;
          stats_.resumed_bytes += encoded.chunk.size();
        }
        ZPACK_TRY(WriteBlock(encoded, done.type));
      }
    }
    return {};
  }

  ConvertStats::PerType& StatsOf(ObjectType type) {
    return stats_.types[static_cast<size_t>(type) - 1];
  }

  bool IsWritten(const BlockInFlight& block) const {
    return block.item < written_.item_ends.size();
  }

  // Reads blocks that are already in the file, to hash them.
  Status ReadWritten(BlockInFlight& block) const {
    const auto& ends = written_.item_ends;
    EncodedBlocks& encoded_blocks = block.encoded.emplace_back();
    for (size_t at = block.item == 0 ? 0 : ends[block.item - 1];
         at < ends[block.item]; ++at) {
      const WrittenBlocks::Block& from = written_.blocks[at];
      EncodedBlock encoded{from.first_object, Bytes(from.size), from.expansion};
      ZPACK_TRY(written_.file->Read(from.offset, encoded.chunk));
      encoded_blocks.push_back(std::move(encoded));
    }
    const bool starts_object = block.plan->segment_offset == 0;
    phase_.Advance(starts_object ? block.plan->count : 0, block.plan->raw_size);
    return {};
  }

  Status WriteReused(const ReusedBlock& block) {
    const format::BlockHeader& header = block.header;
    const uint64_t count = header.segment_offset == 0 ? header.object_count : 0;
    ConvertStats::PerType& type = StatsOf(header.type);
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
    StatsOf(type).stored_bytes += block.chunk.size();
    return container_.AddBlock(block);
  }

  const ArchivePlan& plan_;
  const WrittenBlocks& written_;
  const ProgressPhase& phase_;
  size_t reused_count_;
  unsigned threads_;
  std::vector<size_t> begin_order_;  // of stretches
  SegmentReader segments_;
  ContainerWriter& container_;
  size_t next_ = 0;
  size_t due_ = 0;                           // the item to be written next
  std::map<size_t, BlockInFlight> waiting_;  // items after that one
  WriteStats stats_;
};

// Sizes of the objects that are encoded, in bytes.
struct EncodedSizes {
  uint64_t all = 0;
  uint64_t whole = 0;  // the largest that may be held whole
  uint64_t rebuilt =
      0;  // the largest in segments that is a delta in the source
};

EncodedSizes SizesOf(const ArchivePlan& plan) {
  const ObjectList& list = plan.contents.list;
  const BlockSizes limits(plan.options.block_size, plan.options.halvings);
  EncodedSizes sizes;
  for (const ListRank rank : list.ids.ranks()) {
    const uint64_t size = list.sizes[rank];
    sizes.all += size;
    if (size <= limits.max_delta) {
      sizes.whole = std::max(sizes.whole, size);
    } else if (size > sizes.rebuilt) {
      const auto packed = plan.input.source.FindPacked(list.ids[rank]);
      if (packed && !packed->base.empty()) sizes.rebuilt = size;
    }
  }
  return sizes;
}

// WriteStats::large_memory. The source rebuilds a delta from its base.
uint64_t LargeMemory(const EncodingOptions& options,
                     const EncodedSizes& sizes) {
  const uint64_t usual = EncodingMemory(options);
  const uint64_t most =
      std::max(EncodingMemory(options, sizes.whole), usual + 2 * sizes.rebuilt);
  return most > usual ? most : 0;
}

}  // namespace

Result<WriteStats> WriteArchive(const ArchivePlan& plan,
                                const WrittenBlocks& written,
                                const FilesToWrite* files,
                                const RunOptions& run, WritableFile& file) {
  const ObjectList& list = plan.contents.list;
  const ObjectIdTable& ids = plan.contents.ids;
  const EncodedSizes sizes = SizesOf(plan);
  const ProgressPhase phase(run.progress, Phase::kCompressingObjects,
                            list.ids.size(), sizes.all);
  ContainerWriter container(file, ids.format(),
                            {plan.contents.first_object(), ids.size()},
                            plan.features);
  ZPACK_TRY(container.Start(plan.preamble, written.size()));
  // Fewer than for usual blobs if memory is not enough for as many large ones.
  const unsigned threads =
      EncodingThreads(run, 0, EncodingMemory(plan.options, sizes.whole));
  ArchiveWriter writer(plan, written, phase, container, threads);
  writer.stats().large_memory = LargeMemory(plan.options, sizes);
  const Status encoded = RunOrderedPipeline<BlockInFlight>(
      PipelineThreads{threads, run.stop, kItemsPerThread},
      [&] {
        return std::make_unique<BlockWorker>(plan.input, plan.numbers,
                                             plan.options, phase, run.stop);
      },
      [&](BlockInFlight& block) { return writer.Produce(block); },
      [&](BlockInFlight& block, IdleWorkers::Worker& worker,
          Parts<IdleWorkers::Worker>& parts) {
        return writer.Encode(block, *worker, parts);
      },
      [&](BlockInFlight& block) { return writer.Write(block); });
  ZPACK_TRY(encoded);

  ZPACK_TRY(container.AddTables(plan.numbers));
  ZPACK_TRY(container.AddPromises(plan.contents.promises));
  ZPACK_TRY(container.AddLost(plan.contents.lost));
  if (files != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(
        const std::vector<RepositoryFile> written_files,
        WriteFiles(*files, plan.options.level, run.stop, container));
    writer.stats().files = written_files.size();
    for (const RepositoryFile& written_file : written_files) {
      writer.stats().file_bytes += written_file.size;
    }
  }
  ZPACK_TRY(container.Finish(plan.numbers.ids));
  writer.stats().file_size = container.size();
  return std::move(writer.stats());
}

}  // namespace zpack
