// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/repair_plan.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "codec/deflate.h"
#include "parity/covered_data.h"

namespace zpack {
namespace {

constexpr uint64_t kCheckedAtOnce = 256;  // shards

// True if the byte at `offset` of the data lies in a file of `file_size` bytes.
bool IsInFile(const ParityShape& shape, uint64_t offset, uint64_t file_size) {
  bool inside = false;
  ForEachPiece(shape, offset, 1, [&](uint64_t, uint64_t at, uint64_t) {
    inside = at < file_size;
  });
  return inside;
}

// Compares shards with their checksums where they belong.
Status FindAtHome(const RandomAccessFile& file, const FoundSet& set,
                  const RunOptions& run, std::vector<uint64_t>& places) {
  const ParityShape& shape = set.shape();
  const ProgressPhase phase(run.progress, Phase::kFindingDamage, 0,
                            shape.data_size);
  return ParallelFor(
      ResolveThreads(run.threads), run.stop, places.size(), kCheckedAtOnce,
      [&](uint64_t begin, uint64_t end) -> Status {
        const uint64_t size = shape.shard_size;
        Bytes bytes((end - begin) * size);
        ZPACK_TRY(ReadCovered(file, shape, begin * size, bytes));
        for (uint64_t shard = begin; shard < end; ++shard) {
          const ByteView content =
              ByteView(bytes).subspan((shard - begin) * size, size);
          // What is said of bytes after the end proves nothing, so a file never
          // grows by more than what parity restores.
          if (!IsInFile(shape, shard * size, file.size())) continue;
          if (!set.known[shard]) {
            places[shard] = ShardPlace::kUnknown;
          } else if (Crc32(0, content) == set.checksums[shard]) {
            places[shard] = ShardPlace::kHome;
          }
        }
        phase.Advance(0, bytes.size());
        return {};
      });
}

// The parts of the file that hold neither a shard in its place nor a packet.
std::vector<FileRange> UnexplainedRanges(uint64_t file_size,
                                         const FoundSet& set,
                                         const std::vector<uint64_t>& places,
                                         bool packets_in_file) {
  const ParityShape& shape = set.shape();
  std::vector<FileRange> known;
  for (uint64_t shard = 0; shard < places.size(); ++shard) {
    if (places[shard] != ShardPlace::kHome) continue;
    ForEachPiece(shape, shard * shape.shard_size, shape.shard_size,
                 [&](uint64_t, uint64_t at, uint64_t size) {
                   if (!known.empty() && known.back().second == at) {
                     known.back().second = at + size;
                   } else {
                     known.emplace_back(at, at + size);
                   }
                 });
  }
  if (packets_in_file) {
    known.insert(known.end(), set.packets.begin(), set.packets.end());
    std::ranges::sort(known);
  }
  std::vector<FileRange> ranges;
  uint64_t from = 0;
  known.emplace_back(file_size, file_size);
  for (const auto& [begin, end] : known) {
    if (from < std::min(begin, file_size)) {
      ranges.emplace_back(from, std::min(begin, file_size));
    }
    from = std::max(from, end);
  }
  return ranges;
}

Status FindMoved(const RandomAccessFile& file, const FoundSet& set,
                 const RunOptions& run, std::vector<uint64_t>& places) {
  if (std::ranges::find(places, ShardPlace::kErased) == places.end()) return {};
  const bool packets_in_file = set.shape().embedded();
  // A moved shard may begin within bytes that look like another shard.
  const uint64_t around = 2 * uint64_t{set.shape().shard_size};
  std::vector<FileRange> ranges =
      UnexplainedRanges(file.size(), set, places, packets_in_file);
  for (auto& [begin, end] : ranges) {
    begin -= std::min(begin, around);
    end = std::min(end + around, file.size());
  }
  return SearchShards(file, set, ranges, run.stop, places);
}

// Orders `shards` by their distance from the nearest of `erased`, which is
// ascending and not empty.
void SortByDistance(const std::vector<uint32_t>& erased,
                    std::vector<uint32_t>& shards) {
  const auto distance = [&](uint32_t shard) {
    const auto above = std::ranges::lower_bound(erased, shard);
    uint32_t least = UINT32_MAX;
    if (above != erased.end()) least = *above - shard;
    if (above != erased.begin()) {
      least = std::min(least, shard - *std::prev(above));
    }
    return least;
  };
  std::ranges::stable_sort(shards, {}, distance);
}

// Which of the shards `unknown`, which have no checksum, are taken as lost, if
// the parity left restores `restorable` shards: all, or else as many as
// possible of those next to `erased` ones, because damage comes in runs. The
// hash of the data proves or disproves that the others are whole.
std::vector<uint32_t> ChooseLost(const std::vector<uint32_t>& erased,
                                 std::vector<uint32_t> unknown,
                                 uint64_t restorable) {
  if (erased.size() + unknown.size() <= restorable) return unknown;
  if (erased.empty() || erased.size() >= restorable) return {};
  SortByDistance(erased, unknown);
  unknown.resize(restorable - erased.size());
  return unknown;
}

CodewordPlan PlanCodeword(uint32_t codeword, const FoundSet& set,
                          std::vector<uint64_t>& places) {
  const ParityShape& shape = set.shape();
  CodewordPlan plan;
  for (uint32_t i = 0; i < shape.parity; ++i) {
    if (set.parity[uint64_t{i} * shape.codewords + codeword] ==
        FoundSet::kLost) {
      plan.lost_parity.push_back(i);
    }
  }
  plan.parity_left =
      shape.parity - static_cast<uint32_t>(plan.lost_parity.size());
  std::vector<uint32_t> unknown;
  for (uint32_t i = 0; i < shape.data_shards(codeword); ++i) {
    uint64_t& place = places[shape.ShardOf(codeword, i)];
    if (place == ShardPlace::kErased) {
      plan.lost_data.push_back(i);
    } else if (place == ShardPlace::kUnknown) {
      unknown.push_back(i);
      place = ShardPlace::kHome;
    }
  }
  for (const uint32_t i :
       ChooseLost(plan.lost_data, std::move(unknown), plan.parity_left)) {
    places[shape.ShardOf(codeword, i)] = ShardPlace::kErased;
    plan.lost_data.push_back(i);
  }
  std::ranges::sort(plan.lost_data);
  return plan;
}

}  // namespace

uint64_t RepairPlan::lost() const {
  uint64_t lost = 0;
  for (const CodewordPlan& codeword : codewords) {
    lost += codeword.lost_data.size();
  }
  return lost;
}

uint64_t RepairPlan::moved() const {
  return static_cast<uint64_t>(std::ranges::count_if(
      places, [](uint64_t place) { return place < ShardPlace::kUnknown; }));
}

bool RepairPlan::possible() const {
  return std::ranges::all_of(codewords, &CodewordPlan::possible);
}

uint64_t RepairPlan::spare() const {
  uint64_t spare = UINT64_MAX;
  for (const CodewordPlan& codeword : codewords) {
    const uint64_t left = codeword.parity_left;
    spare = std::min(
        spare, left - std::min<uint64_t>(left, codeword.lost_data.size()));
  }
  return spare;
}

Result<RepairPlan> MakeRepairPlan(const RandomAccessFile& file,
                                  const FoundSet& set, const RunOptions& run) {
  RepairPlan plan;
  plan.places.assign(set.shape().shards(), ShardPlace::kErased);
  ZPACK_TRY(FindAtHome(file, set, run, plan.places));
  ZPACK_TRY(FindMoved(file, set, run, plan.places));
  for (uint32_t c = 0; c < set.shape().codewords; ++c) {
    plan.codewords.push_back(PlanCodeword(c, set, plan.places));
  }
  return plan;
}

}  // namespace zpack
