// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/examined_lineages.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "codec/compressibility.h"
#include "delta/text_samples.h"

namespace zpack {
namespace {

// Lineages read at a time by one thread.
constexpr uint64_t kGrain = 4;
// At most about so many samples of text are taken, and none after so many bytes
// of a content, so that a few large contents are not all that is sampled.
constexpr uint64_t kMostSamples = uint64_t{4} << 20;
constexpr size_t kSampledBytes = size_t{1} << 20;
// Several versions of this size do not fit into a block, if each is stored
// whole.
constexpr uint64_t kLargeVersion = uint64_t{256} << 10;
// Of the newest versions, so many share nothing with their neighbour, but
// something with another one.
constexpr size_t kLeastTurns = 2;
// If so many share something with their neighbour, no more are read.
constexpr size_t kEnoughNeighbours = 3;

// Twice the distance of a blob from the middle of its lineage.
uint64_t FromMiddle(const ObjectList& list, const Lineage& lineage,
                    ListRank rank) {
  const auto visit = [&](ListRank blob) {
    return uint64_t{list.visits[blob].value()};
  };
  const uint64_t middle = visit(lineage.blobs[Lineage::kNewest]) +
                          visit(lineage.blobs[Lineage::kOldest]);
  return std::max(middle, 2 * visit(rank)) - std::min(middle, 2 * visit(rank));
}

// Bytes that an Examiner always reads.
uint64_t ExaminedBytes(const ObjectList& list, const Lineage& lineage) {
  uint64_t bytes = 0;
  for (const ListRank rank : lineage.examined()) bytes += list.sizes[rank];
  return bytes;
}

// Reads blobs to learn what their lineage is like.
class Examiner {
 public:
  // Samples one position in `1 << shift`. All must outlive this object.
  Examiner(ObjectSource& source, const ObjectList& list, unsigned shift)
      : source_(source), list_(list), shift_(shift) {}

  Status Examine(Lineage& lineage) {
    lineage.incompressible = !lineage.empty();
    samples_.clear();
    for (size_t i = 0; i < lineage.examined().size(); ++i) {
      ZPACK_TRY(source_.Read(list_.ids[lineage.blobs[i]], content_));
      const ByteView text = content_;
      AppendTextSamples(text.first(std::min(text.size(), kSampledBytes)),
                        shift_, samples_);
      if (i == Lineage::kMiddle) continue;
      lineage.sketches[i] = MakeSketch(content_);
      ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                             compressibility_.IsIncompressible(content_));
      lineage.incompressible = lineage.incompressible && incompressible;
    }
    SortSamples(samples_);
    lineage.samples = samples_;
    return CompareVersions(lineage);
  }

 private:
  // After many versions, nothing of the oldest one may be left, although each
  // resembles the one before. Versions of several branches may take turns.
  Status CompareVersions(Lineage& lineage) {
    const auto& [newest, oldest] = lineage.sketches;
    lineage.versions_share = SharedFeatures(newest, oldest) > 0;
    // Two versions have been compared.
    if (lineage.count < 3) return {};
    const bool large = lineage.all_bytes / lineage.count >= kLargeVersion;
    if (!large && (!lineage.incompressible || lineage.versions_share))
      return {};
    std::vector<ContentSketch> sketches;
    size_t with_next = 0;
    size_t with_any = 0;
    for (const ListRank rank : lineage.latest) {
      if (rank == Lineage::kNone || with_next == kEnoughNeighbours) break;
      ZPACK_TRY(source_.Read(list_.ids[rank], content_));
      const ContentSketch sketch = MakeSketch(content_);
      const auto shares = [&](const ContentSketch& other) {
        return SharedFeatures(sketch, other) > 0;
      };
      with_any += std::ranges::any_of(sketches, shares) ? 1 : 0;
      with_next += !sketches.empty() && shares(sketches.back()) ? 1 : 0;
      sketches.push_back(sketch);
    }
    lineage.versions_share |= with_any > 0;
    lineage.takes_turns = large && with_any >= with_next + kLeastTurns;
    return {};
  }

  ObjectSource& source_;
  const ObjectList& list_;
  const unsigned shift_;
  Compressibility compressibility_;
  Bytes content_;
  std::vector<uint32_t> samples_;
};

}  // namespace

IndexedVector<PathNumber, Lineage> FindLineages(const ObjectList& list,
                                                uint64_t max_size) {
  IndexedVector<PathNumber, Lineage> lineages(list.path_table.size());
  const auto for_each_blob = [&](auto visit) {
    for (const ListRank rank : list.ids.ranks()) {
      if (list.types[rank] == ObjectType::kBlob && list.met(rank) &&
          list.sizes[rank] <= max_size) {
        visit(lineages[list.paths[rank]], rank);
      }
    }
  };
  for_each_blob([&](Lineage& lineage, ListRank rank) {
    ++lineage.count;
    lineage.all_bytes += list.sizes[rank];
    auto& [newest, oldest, middle] = lineage.blobs;
    if (lineage.empty()) {
      newest = oldest = middle = rank;
    } else if (list.visits[rank] < list.visits[newest]) {
      newest = rank;
    } else if (list.visits[rank] > list.visits[oldest]) {
      oldest = rank;
    }
  });
  for_each_blob([&](Lineage& lineage, ListRank rank) {
    ListRank& middle = lineage.blobs[Lineage::kMiddle];
    if (FromMiddle(list, lineage, rank) < FromMiddle(list, lineage, middle)) {
      middle = rank;
    }
  });
  for_each_blob([&](Lineage& lineage, ListRank rank) {
    for (ListRank& place : lineage.latest) {
      if (place == Lineage::kNone || list.visits[rank] < list.visits[place]) {
        std::swap(rank, place);
      }
      if (rank == Lineage::kNone) break;
    }
  });
  return lineages;
}

Status ExamineLineages(ObjectSource& source, const ObjectList& list,
                       const IndexedVector<PathPosition, PathNumber>& order,
                       IndexedVector<PathNumber, Lineage>& lineages,
                       const RunOptions& run) {
  uint64_t total_bytes = 0;
  uint64_t sampled_bytes = 0;
  for (const Lineage& lineage : lineages) {
    const uint64_t bytes = ExaminedBytes(list, lineage);
    total_bytes += bytes;
    sampled_bytes +=
        std::min<uint64_t>(bytes, lineage.blobs.size() * kSampledBytes);
  }
  unsigned shift = kMinSampleShift;
  while (shift < kMaxSampleShift && sampled_bytes >> shift > kMostSamples) {
    ++shift;
  }
  const ProgressPhase phase(run.progress, Phase::kGroupingPaths, order.size(),
                            total_bytes);
  return ParallelFor(ResolveThreads(run.threads), run.stop, order.size(),
                     kGrain, [&](uint64_t begin, uint64_t end) -> Status {
                       Examiner examiner(source, list, shift);
                       uint64_t bytes = 0;
                       for (uint64_t i = begin; i < end; ++i) {
                         Lineage& lineage = lineages[order.raw()[i]];
                         ZPACK_TRY(examiner.Examine(lineage));
                         bytes += ExaminedBytes(list, lineage);
                       }
                       phase.Advance(end - begin, bytes);
                       return {};
                     });
}

void SortSamples(std::vector<uint32_t>& samples) {
  std::ranges::sort(samples);
  samples.erase(std::ranges::unique(samples).begin(), samples.end());
}

}  // namespace zpack
