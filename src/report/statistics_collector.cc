// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/statistics_collector.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/progress_phase.h"
#include "object/path_table.h"
#include "report/histogram.h"
#include "report/stored_shares.h"

namespace zpack {
namespace {

void Add(FileStatistics::Share& share, uint64_t content, uint64_t stored) {
  ++share.objects;
  share.content_bytes += content;
  share.stored_bytes += stored;
}

// The values of a map, ordered by stored bytes, largest first, then by name.
template <typename T>
std::vector<T> MostExpensive(std::map<std::string, T> map) {
  std::vector<T> values;
  values.reserve(map.size());
  for (auto& [name, value] : map) values.push_back(std::move(value));
  std::ranges::stable_sort(values, std::greater(), [](const T& value) {
    return value.share.stored_bytes;
  });
  return values;
}

}  // namespace

Status StatisticsCollector::ReadBlocks(const RunOptions& run) {
  const size_t count = archive_.blocks().block_count();
  const ProgressPhase phase(run.progress, Phase::kReadingBlocks, count,
                            archive_.blocks().blocks_stored_size());
  for (size_t block = 0; block < count; ++block) {
    ZPACK_TRY(CheckStop(run.stop));
    ZPACK_TRY(ReadBlock(block));
    phase.Advance(1, archive_.blocks().block_stored_size(block));
  }
  return {};
}

Status StatisticsCollector::ReadBlock(size_t block) {
  uint64_t raw = 0;
  uint64_t stored = 0;
  format::BlockHeader header;
  {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           decoder_.Load(archive_.blocks(), block));
    header = view.header;
    for (const auto& stream : view.streams) {
      StreamSum& sum =
          streams_[{std::string(format::KindName(header.kind)), header.type,
                    std::string(format::KindName(stream.header.kind))}];
      sum.raw_bytes += stream.header.raw_size;
      sum.stored_bytes += stream.header.stored_size;
      raw += stream.header.raw_size;
      stored += stream.header.stored_size;
    }
  }
  // A reader decodes the streams of earlier blocks that the block continues.
  raw += header.group.raw_size;
  if (header.type == ObjectType::kTree &&
      header.kind != format::BlockKind::kSegment) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock decoded,
                           decoder_.Decode(archive_.blocks(), block));
    ZPACK_TRY(paths_.AddTrees(decoded));
    if (decoded.trees() != nullptr) verbatim_.AddTrees(decoded);
  } else if (header.kind == format::BlockKind::kCommits) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock decoded,
                           decoder_.Decode(archive_.blocks(), block));
    verbatim_.AddCommits(decoded);
  } else if (header.kind == format::BlockKind::kDeltas ||
             header.kind == format::BlockKind::kFarDeltas) {
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock decoded,
                           decoder_.Decode(archive_.blocks(), block));
    ZPACK_TRY(AddDeltas(decoded, raw, stored));
  } else if (header.type == ObjectType::kBlob) {
    ZPACK_ASSIGN_OR_RETURN(const BlockObjects objects,
                           decoder_.DecodeObjects(archive_.blocks(), block));
    ZPACK_TRY(AddBlobs(objects, raw, stored));
  }
  return {};
}

Status StatisticsCollector::AddBlobs(const BlockObjects& objects, uint64_t raw,
                                     uint64_t stored) {
  const bool segment = objects.header.kind == format::BlockKind::kSegment;
  if (segment && objects.header.segment_offset != 0) {
    if (blobs_.empty() || blobs_.back().number != objects.header.first_object) {
      return MakeError(ErrorCode::kCorrupt,
                       "segment without the ones before it in '{}'",
                       AtPath{archive_.path()});
    }
    blobs_.back().stored_bytes += stored;
    return {};
  }
  StoredShares shares(
      stored,
      std::reduce(objects.sizes.begin(), objects.sizes.end(), uint64_t{0}),
      objects.sizes.size());
  for (size_t i = 0; i < objects.sizes.size(); ++i) {
    const uint64_t size = objects.sizes[i];
    const ObjectNumber number =
        objects.header.first_object + static_cast<uint32_t>(i);
    AddBlob({number, size, segment ? stored : shares.Next(size), 0},
            segment ? 0 : raw - std::min(raw, size), size);
  }
  return {};
}

Result<StatisticsCollector::BaseCost> StatisticsCollector::CostOf(
    const format::FarBase& base) const {
  const auto found =
      std::ranges::lower_bound(blobs_, base.number, {}, &Blob::number);
  if (found == blobs_.end() || found->number != base.number) {
    return MakeError(ErrorCode::kCorrupt,
                     "a base is not in a block before it in '{}'",
                     AtPath{archive_.path()});
  }
  const auto i = static_cast<size_t>(found - blobs_.begin());
  return BaseCost{found->chain_length, block_data_[i] + base.size,
                  rebuilt_bytes_[i]};
}

Status StatisticsCollector::AddDeltas(const DecodedBlock& block, uint64_t raw,
                                      uint64_t stored) {
  const format::DeltaBlock& deltas = *block.deltas();
  uint64_t own_sizes = 0;
  for (uint32_t index = 0; index < deltas.count(); ++index) {
    own_sizes += deltas.own_size(index);
  }
  StoredShares shares(stored, own_sizes, deltas.count());
  std::vector<BaseCost> costs(deltas.count());
  for (uint32_t index = 0; index < deltas.count(); ++index) {
    BaseCost& cost = costs[index];
    if (const auto base = deltas.base(index)) {
      const format::BlockLayout& layout = deltas.layout();
      if (layout.IsFar(*base)) {
        ZPACK_ASSIGN_OR_RETURN(cost, CostOf(layout.FarAt(*base)));
      } else {
        cost = costs[*base];
      }
      ++cost.chain_length;
    }
    const uint64_t size = deltas.sizes()[index];
    cost.rebuilt_bytes += size;
    AddBlob({block.objects.header.first_object + index, size,
             shares.Next(deltas.own_size(index)), cost.chain_length},
            raw - std::min(raw, size) + cost.far_data, cost.rebuilt_bytes);
  }
  return {};
}

void StatisticsCollector::AddBlob(const Blob& blob, uint64_t block_data,
                                  uint64_t rebuilt) {
  blobs_.push_back(blob);
  chain_lengths_.push_back(blob.chain_length);
  block_data_.push_back(block_data);
  rebuilt_bytes_.push_back(rebuilt);
}

std::array<uint64_t, kAllObjectTypes.size()> StatisticsCollector::StoredByType()
    const {
  std::array<uint64_t, kAllObjectTypes.size()> stored{};
  for (const auto& [key, sum] : streams_) {
    stored[static_cast<size_t>(std::get<ObjectType>(key)) - 1] +=
        sum.stored_bytes;
  }
  return stored;
}

void StatisticsCollector::VisitBlobs(
    const std::function<void(const Blob&, uint64_t)>& visit) const {
  for (size_t i = 0; i < blobs_.size(); ++i) visit(blobs_[i], block_data_[i]);
}

FileStatistics StatisticsCollector::Finish() {
  FileStatistics out;
  for (const auto& [key, sum] : streams_) {
    const auto& [block_kind, type, kind] = key;
    out.streams.push_back(
        {block_kind, type, kind, sum.raw_bytes, sum.stored_bytes});
  }
  std::ranges::stable_sort(out.streams, std::greater(),
                           &FileStatistics::Stream::stored_bytes);

  std::map<std::string, FileStatistics::Extension> extensions;
  std::map<std::string, FileStatistics::Lineage> lineages;
  for (const Blob& blob : blobs_) {
    const std::string suffix(FileExtension(paths_.Name(blob.number)));
    FileStatistics::Extension& extension = extensions[suffix];
    extension.extension = suffix;
    Add(extension.share, blob.content_bytes, blob.stored_bytes);
    std::string path = paths_.Path(blob.number);
    FileStatistics::Lineage& lineage = lineages[path];
    lineage.path = std::move(path);
    Add(lineage.share, blob.content_bytes, blob.stored_bytes);
    lineage.whole += blob.chain_length == 0 ? 1 : 0;
    lineage.longest_chain = std::max(lineage.longest_chain, blob.chain_length);
  }
  out.extensions = MostExpensive(std::move(extensions));
  out.lineages = MostExpensive(std::move(lineages));
  if (out.lineages.size() > FileStatistics::kTopLineages) {
    out.lineages.resize(FileStatistics::kTopLineages);
  }
  out.verbatim = verbatim_.Finish();
  out.chain_lengths = MakeHistogram(std::move(chain_lengths_));
  out.block_data = MakeHistogram(std::move(block_data_));
  out.rebuilt_bytes = MakeHistogram(std::move(rebuilt_bytes_));
  return out;
}

}  // namespace zpack
