// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/parity_encoder.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "codec/deflate.h"
#include "parity/covered_data.h"
#include "parity/erasure_code.h"

namespace zpack {
namespace {

// Shards that are read at once; a multiple of ParityShape::kStripe.
constexpr uint64_t kBatchShards = 1024;

// Columns into which shards are cut, so that several threads encode a codeword.
uint32_t ColumnsFor(const ParityShape& shape, unsigned threads,
                    uint64_t codewords) {
  constexpr uint32_t kMinWidth = 512;
  const auto wanted =
      static_cast<uint32_t>((threads + codewords - 1) / codewords);
  return std::clamp(std::bit_ceil(wanted), 1U, shape.shard_size / kMinWidth);
}

class SetEncoder {
 public:
  SetEncoder(const RandomAccessFile& file, const ParityShape& shape,
             const RunOptions& run, const PutInSet& put)
      : file_(file),
        shape_(shape),
        run_(run),
        put_(put),
        threads_(ResolveThreads(run.threads)),
        hasher_(HashAlgorithm::kSha256),
        checksums_(shape.groups() * ParityShape::kGroup, 0),
        batch_(kBatchShards * shape.shard_size) {}

  Result<ParityParameters> Run() {
    const uint64_t part = CodewordsAtOnce();
    const uint64_t passes = (shape_.codewords + part - 1) / part;
    const ProgressPhase phase(run_.progress, Phase::kMakingParity, 0,
                              passes * shape_.data_size);
    for (uint64_t first = 0; first < shape_.codewords; first += part) {
      begin_ = static_cast<uint32_t>(first);
      end_ = static_cast<uint32_t>(
          std::min<uint64_t>(first + part, shape_.codewords));
      ZPACK_TRY(Pass(phase));
      if (first == 0) ZPACK_TRY(PutDescription());
      ZPACK_TRY(PutParity());
    }
    return parameters_;
  }

 private:
  uint64_t CodewordsAtOnce() const {
    const uint64_t each =
        (2 * std::bit_ceil(uint64_t{shape_.parity}) + shape_.parity) *
        shape_.shard_size;
    return std::clamp<uint64_t>(ResolveMemory(run_) / 2 / each, 1,
                                shape_.codewords);
  }

  // Reads all data once, and encodes the codewords [begin_, end_).
  Status Pass(const ProgressPhase& phase) {
    columns_ = ColumnsFor(shape_, threads_, end_ - begin_);
    encoders_.clear();
    for (uint32_t codeword = begin_; codeword < end_; ++codeword) {
      const ErasureShape erasure{
          .data = static_cast<uint32_t>(shape_.data_shards(codeword)),
          .parity = shape_.parity};
      for (uint32_t column = 0; column < columns_; ++column) {
        encoders_.push_back(std::make_unique<ErasureEncoder>(erasure, width()));
      }
    }
    const uint64_t shards = shape_.shards();
    for (uint64_t shard = 0; shard < shards; shard += kBatchShards) {
      const uint64_t count = std::min(kBatchShards, shards - shard);
      ZPACK_TRY(
          ReadCovered(file_, shape_, shard * shape_.shard_size,
                      std::span(batch_).first(count * shape_.shard_size)));
      ZPACK_TRY(EncodeBatch(shard, count));
      phase.Advance(0, count * shape_.shard_size);
    }
    return {};
  }

  Status EncodeBatch(uint64_t first, uint64_t count) {
    // The hash takes longest, so it is the first job.
    const uint64_t describe = begin_ == 0 ? 1 : 0;
    return ParallelFor(threads_, run_.stop, describe + encoders_.size(), 1,
                       [&](uint64_t job, uint64_t) -> Status {
                         if (job < describe) {
                           Describe(first, count);
                         } else {
                           Encode(job - describe, first, count);
                         }
                         return {};
                       });
  }

  void Describe(uint64_t first, uint64_t count) {
    const uint64_t begin = first * shape_.shard_size;
    const uint64_t size =
        std::min(count * shape_.shard_size, shape_.data_size - begin);
    hasher_.Update(ByteView(batch_).first(size));
    for (uint64_t i = 0; i < count; ++i) {
      checksums_[first + i] = Crc32(0, Shard(i));
    }
  }

  void Encode(uint64_t encoder, uint64_t first, uint64_t count) {
    const auto codeword = static_cast<uint32_t>(begin_ + encoder / columns_);
    const uint64_t column = encoder % columns_;
    for (uint64_t i = 0; i < count; ++i) {
      if (shape_.CodewordOf(first + i) != codeword) continue;
      encoders_[encoder]->Add(
          std::as_bytes(Shard(i).subspan(column * width(), width())));
    }
  }

  ByteView Shard(uint64_t in_batch) const {
    return ByteView(batch_).subspan(in_batch * shape_.shard_size,
                                    shape_.shard_size);
  }

  // Writes the parameters and all copies of the checksums.
  Status PutDescription() {
    parameters_.shape = shape_;
    hasher_.Finish(parameters_.data_hash);
    Bytes payload;
    zpack::Encode(parameters_, payload);
    set_ = SetIdOf(payload);
    for (uint64_t i = 0; i < shape_.parameters_packets(); ++i) {
      ZPACK_TRY(
          Put(shape_.ParametersOffset(i), PacketKind::kParameters, 0, payload));
    }
    for (uint64_t group = 0; group < shape_.groups(); ++group) {
      ZPACK_TRY(PutChecksums(group));
    }
    return {};
  }

  Status PutChecksums(uint64_t group) {
    Bytes payload;
    ByteWriter to(payload);
    for (uint64_t i = 0; i < ParityShape::kGroup; ++i) {
      to.U32(checksums_[group * ParityShape::kGroup + i]);
    }
    for (uint64_t copy = 0; copy < shape_.copies(); ++copy) {
      ZPACK_TRY(Put(shape_.ChecksumsOffset(copy, group), PacketKind::kChecksums,
                    group, payload));
    }
    return {};
  }

  Status PutParity() {
    Bytes payload(shape_.shard_size);
    for (uint32_t codeword = begin_; codeword < end_; ++codeword) {
      std::vector<std::vector<std::byte>> columns;
      columns.reserve(columns_);
      for (uint32_t column = 0; column < columns_; ++column) {
        columns.push_back(
            encoders_[(codeword - begin_) * columns_ + column]->Finish());
      }
      for (uint64_t i = 0; i < shape_.parity; ++i) {
        for (uint32_t column = 0; column < columns_; ++column) {
          std::ranges::copy(std::as_writable_bytes(std::span(columns[column]))
                                .subspan(i * width(), width()),
                            std::as_writable_bytes(std::span(payload)).begin() +
                                static_cast<ptrdiff_t>(column * width()));
        }
        const uint64_t shard = i * shape_.codewords + codeword;
        ZPACK_TRY(CheckStop(run_.stop));
        ZPACK_TRY(Put(shape_.ParityOffset(shard), PacketKind::kParity, shard,
                      payload));
      }
    }
    return {};
  }

  Status Put(uint64_t offset, PacketKind kind, uint64_t index,
             ByteView payload) {
    Bytes packet;
    zpack::Encode({.kind = kind,
                   .set = set_,
                   .index = static_cast<uint32_t>(index),
                   .payload = payload},
                  packet);
    return put_(offset, packet);
  }

  size_t width() const { return shape_.shard_size / columns_; }

  const RandomAccessFile& file_;
  const ParityShape& shape_;
  const RunOptions& run_;
  const PutInSet& put_;
  unsigned threads_;
  Hasher hasher_;
  std::vector<uint32_t>
      checksums_;  // by shard, up to the end of the last group
  Bytes batch_;
  ParityParameters parameters_;
  ParitySetId set_ = 0;
  // The codewords of this pass; by codeword, then by column.
  uint32_t begin_ = 0;
  uint32_t end_ = 0;
  uint32_t columns_ = 1;
  std::vector<std::unique_ptr<ErasureEncoder>> encoders_;
};

}  // namespace

Result<ParityParameters> EncodeParitySet(const RandomAccessFile& file,
                                         const ParityShape& shape,
                                         const RunOptions& run,
                                         const PutInSet& put) {
  return SetEncoder(file, shape, run, put).Run();
}

}  // namespace zpack
