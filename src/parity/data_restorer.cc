// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/data_restorer.h"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "parity/covered_data.h"
#include "parity/erasure_code.h"

namespace zpack {
namespace {

constexpr uint64_t kCopiedAtOnce = 256;  // shards

class DataRestorer {
 public:
  DataRestorer(const RepairSources& sources, const RunOptions& run,
               const PutInData& put)
      : sources_(sources), shape_(sources.set.shape()), run_(run), put_(put) {}

  Status Run() {
    const ProgressPhase phase(run_.progress, Phase::kRepairing, 0,
                              shape_.data_size);
    for (uint64_t shard = 0; shard < shape_.shards(); shard += kCopiedAtOnce) {
      ZPACK_TRY(CheckStop(run_.stop));
      ZPACK_TRY(
          Copy(shard, std::min(shard + kCopiedAtOnce, shape_.shards()), phase));
    }
    for (uint32_t codeword = 0; codeword < shape_.codewords; ++codeword) {
      ZPACK_TRY(RestoreCodeword(codeword));
    }
    return {};
  }

 private:
  Status Copy(uint64_t begin, uint64_t end, const ProgressPhase& phase) {
    Bytes bytes((end - begin) * shape_.shard_size, 0);
    for (uint64_t shard = begin; shard < end; ++shard) {
      if (sources_.plan.places[shard] == ShardPlace::kErased) continue;
      ZPACK_TRY(ReadShard(
          shard, 0,
          std::span(bytes).subspan((shard - begin) * shape_.shard_size,
                                   shape_.shard_size)));
    }
    phase.Advance(0, bytes.size());
    return Put(begin, bytes);
  }

  // Passes on the shards from `shard` on, without the padding of the last.
  Status Put(uint64_t shard, ByteView bytes) {
    const uint64_t offset = shard * shape_.shard_size;
    return put_(offset, bytes.first(std::min<uint64_t>(
                            bytes.size(), shape_.data_size - offset)));
  }

  // Fills `out` with the bytes at `skip` of a shard of the data.
  Status ReadShard(uint64_t shard, uint64_t skip,
                   std::span<uint8_t> out) const {
    const uint64_t place = sources_.plan.places[shard];
    if (place != ShardPlace::kHome) {
      return ReadOrZeros(sources_.file, place + skip, out);
    }
    return ReadCovered(sources_.file, shape_, shard * shape_.shard_size + skip,
                       out);
  }

  // The width of the columns in which a codeword is decoded: as wide as memory
  // allows for all threads.
  size_t ColumnWidth(const ErasureShape& erasure, unsigned threads) const {
    const uint64_t positions =
        std::bit_ceil(std::bit_ceil(uint64_t{erasure.parity}) + erasure.data);
    const uint64_t memory = ResolveMemory(run_) / 2;
    size_t width = std::max(shape_.shard_size / std::bit_ceil(threads),
                            static_cast<unsigned>(kErasureBlock));
    while (width > kErasureBlock && positions * width * threads > memory) {
      width /= 2;
    }
    return width;
  }

  Status RestoreCodeword(uint32_t codeword) {
    const CodewordPlan& plan = sources_.plan.codewords[codeword];
    if (plan.lost_data.empty()) return {};
    const ErasureShape erasure{
        .data = static_cast<uint32_t>(shape_.data_shards(codeword)),
        .parity = shape_.parity};
    const ErasureDecoder decoder(erasure, plan.lost_data, plan.lost_parity);
    const unsigned threads = ResolveThreads(run_.threads);
    const size_t width = ColumnWidth(erasure, threads);
    Bytes restored(plan.lost_data.size() * shape_.shard_size);
    ZPACK_TRY(ParallelFor(threads, run_.stop, shape_.shard_size / width, 1,
                          [&](uint64_t column, uint64_t) {
                            return RestoreColumn(decoder, codeword,
                                                 column * width, width,
                                                 restored);
                          }));
    for (size_t i = 0; i < plan.lost_data.size(); ++i) {
      ZPACK_TRY(Put(shape_.ShardOf(codeword, plan.lost_data[i]),
                    ByteView(restored).subspan(i * shape_.shard_size,
                                               shape_.shard_size)));
    }
    return {};
  }

  // Restores `width` bytes at `skip` of every lost shard of a codeword.
  Status RestoreColumn(const ErasureDecoder& decoder, uint32_t codeword,
                       uint64_t skip, size_t width, Bytes& restored) const {
    Status read;
    const std::vector<std::byte> columns =
        decoder.Decode(width, [&](uint32_t index, std::span<std::byte> out) {
          if (!read) return;
          read =
              ReadColumn(codeword, index, skip,
                         {reinterpret_cast<uint8_t*>(out.data()), out.size()});
        });
    ZPACK_TRY(read);
    const size_t lost = sources_.plan.codewords[codeword].lost_data.size();
    const auto out = std::as_writable_bytes(std::span(restored));
    for (size_t i = 0; i < lost; ++i) {
      std::ranges::copy(
          std::span(columns).subspan(i * width, width),
          out.subspan(i * shape_.shard_size + skip, width).begin());
    }
    return {};
  }

  Status ReadColumn(uint32_t codeword, uint32_t index, uint64_t skip,
                    std::span<uint8_t> out) const {
    const uint64_t data = shape_.data_shards(codeword);
    if (index < data) {
      return ReadShard(shape_.ShardOf(codeword, index), skip, out);
    }
    const uint64_t shard = (index - data) * shape_.codewords + codeword;
    return sources_.parity.Read(sources_.set.parity[shard] + skip, out);
  }

  const RepairSources& sources_;
  const ParityShape& shape_;
  const RunOptions& run_;
  const PutInData& put_;
};

}  // namespace

Status RestoreData(const RepairSources& sources, const RunOptions& run,
                   const PutInData& put) {
  return DataRestorer(sources, run, put).Run();
}

}  // namespace zpack
