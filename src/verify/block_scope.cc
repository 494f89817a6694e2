// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/block_scope.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "format/block.h"
#include "format/constants.h"
#include "format/file_header.h"
#include "reader/object_run.h"

namespace zpack {
namespace {

constexpr uint32_t kWholeShare = 10'000;

// SplitMix64. Written here because the choice must not change with a library.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}

  // A number below `limit`, which is far below 2^64.
  uint64_t Below(uint64_t limit) {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  uint64_t state_;
};

// The first blocks of all runs.
std::vector<size_t> ListRuns(const FileBlocks& file) {
  std::vector<size_t> runs;
  for (size_t block = 0; block < file.block_count();
       block = RunAt(file, block).last) {
    runs.push_back(block);
  }
  return runs;
}

// True if blocks that are alike have objects that are alike, without regard to
// objects outside of the block.
bool IsSelfContained(format::BlockKind kind) {
  return kind == format::BlockKind::kObjects ||
         kind == format::BlockKind::kSegment ||
         kind == format::BlockKind::kDeltas;
}

class Comparison {
 public:
  Comparison(const ArchiveFile& archive, const ArchiveFile& older)
      : file_(archive.blocks()),
        older_(older.blocks()),
        readable_(std::ranges::includes(BlockFeatures(archive),
                                        BlockFeatures(older))),
        same_ids_(CountSameIds()) {}

  // True if the run can be left out.
  Result<bool> IsUnchanged(const BlockRun& run) const {
    const ObjectNumber first = file_.first_object(run.first);
    const ObjectNumber end = file_.first_object(run.last);
    if (!readable_ || first.value() >= older_.object_count()) return false;
    const size_t begin = older_.FindBlock(first);
    if (older_.first_object(begin) != first) return false;
    const BlockRun other = RunAt(older_, begin);
    if (other.size() != run.size() || older_.first_object(other.last) != end ||
        !HasSameIds(first, end)) {
      return false;
    }
    for (size_t i = 0; i < run.size(); ++i) {
      ZPACK_ASSIGN_OR_RETURN(const bool same,
                             IsSameBlock(run.first + i, other.first + i));
      if (!same) return false;
    }
    return true;
  }

 private:
  // The features of all files that say what is in blocks.
  static std::set<std::string> BlockFeatures(const ArchiveFile& archive) {
    std::set<std::string> features;
    for (const auto& file : archive.files()) {
      const auto& required = file->header().required_features;
      features.insert(required.begin(), required.end());
    }
    features.erase(std::string(format::kBackingFeature));
    return features;
  }

  // Numbers from 0 on that both files give to the same ids.
  uint32_t CountSameIds() const {
    const uint32_t count =
        std::min(file_.object_count(), older_.object_count());
    uint32_t same = 0;
    while (same < count &&
           file_.id(ObjectNumber(same)) == older_.id(ObjectNumber(same))) {
      ++same;
    }
    return same;
  }

  // True if numbers of objects in a block of the older file stand for the same
  // ids in this file.
  bool HasSameNumbers() const { return same_ids_ == older_.object_count(); }

  bool HasSameIds(ObjectNumber first, ObjectNumber end) const {
    for (ObjectNumber number = std::max(first, ObjectNumber(same_ids_));
         number < end; ++number) {
      if (file_.id(number) != older_.id(number)) return false;
    }
    return true;
  }

  Result<bool> IsSameBlock(size_t block, size_t other) const {
    if (file_.block_stored_size(block) != older_.block_stored_size(other)) {
      return false;
    }
    Bytes chunk;
    Bytes older_chunk;
    // What cannot be read is left to the check that follows.
    if (!file_.ReadBlockChunk(block, chunk) ||
        !older_.ReadBlockChunk(other, older_chunk)) {
      return false;
    }
    return chunk == older_chunk && DecodesAlike(chunk);
  }

  bool DecodesAlike(ByteView chunk) const {
    if (chunk.size() <= format::kChunkOverhead) return false;
    const auto block = format::DecodeBlock(
        chunk.subspan(format::kChunkHeaderSize,
                      chunk.size() - format::kChunkOverhead),
        UINT64_MAX);
    if (!block) return false;
    if (IsSelfContained(block->header.kind)) return true;
    // The numbers of outside ids begin after those of the objects.
    const auto* const outside = block->Find(format::StreamKind::kOutsideIds);
    return HasSameNumbers() &&
           (file_.object_count() == older_.object_count() ||
            outside == nullptr || outside->header.raw_size == 0);
  }

  const FileBlocks& file_;
  const FileBlocks& older_;
  bool readable_;  // the header allows every kind of block of the older file
  uint32_t same_ids_;
};

}  // namespace

LeftOutBlocks LeaveOutAllBut(const FileBlocks& file, uint32_t share,
                             uint32_t seed) {
  const std::vector<size_t> runs = ListRuns(file);
  LeftOutBlocks left_out(file.block_count(), true);
  uint64_t wanted = std::min<uint64_t>(
      runs.size(), (runs.size() * share + kWholeShare - 1) / kWholeShare);
  Random random(seed);
  for (size_t i = 0; i < runs.size(); ++i) {
    // Of the runs that are left, each is as likely to be chosen.
    if (random.Below(runs.size() - i) >= wanted) continue;
    --wanted;
    const BlockRun run = RunAt(file, runs[i]);
    for (size_t block = run.first; block < run.last; ++block) {
      left_out[block] = false;
    }
  }
  return left_out;
}

Result<LeftOutBlocks> LeaveOutUnchanged(const ArchiveFile& archive,
                                        const ArchiveFile& older,
                                        const RunOptions& run) {
  const FileBlocks& file = archive.blocks();
  // Bytes, because other blocks may share the words of a vector of bool.
  std::vector<uint8_t> unchanged(file.block_count());
  if (archive.header().object_format == older.header().object_format) {
    const Comparison comparison(archive, older);
    const std::vector<size_t> runs = ListRuns(file);
    const ProgressPhase phase(run.progress, Phase::kReadingBlocks,
                              file.block_count(), file.blocks_stored_size());
    ZPACK_TRY(ParallelFor(
        ResolveThreads(run.threads), run.stop, runs.size(), 1,
        [&](uint64_t begin, uint64_t end) -> Status {
          for (uint64_t i = begin; i < end; ++i) {
            const BlockRun blocks = RunAt(file, runs[i]);
            ZPACK_ASSIGN_OR_RETURN(const bool same,
                                   comparison.IsUnchanged(blocks));
            for (size_t block = blocks.first; block < blocks.last; ++block) {
              unchanged[block] = same ? 1 : 0;
              phase.Advance(1, file.block_stored_size(block));
            }
          }
          return {};
        }));
  }
  return LeftOutBlocks(unchanged.begin(), unchanged.end());
}

uint64_t CountObjects(const FileBlocks& file, const LeftOutBlocks& left_out) {
  uint64_t objects = 0;
  for (size_t block = 0; block < left_out.size(); ++block) {
    if (left_out[block] && !file.continues_previous(block)) {
      objects += file.block_object_count(block);
    }
  }
  return objects;
}

}  // namespace zpack
