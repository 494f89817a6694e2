// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Position p of the code is the field element p. With M = bit_ceil(parity),
// positions 0 to M - 1 are parity, and data shard i is at position M + i. The
// positions after the last data shard, up to a power of two N, hold zeros. The
// values at the N positions are those of a polynomial of degree less than
// N - M: the last M coefficients are zero. These coefficients are the sum of
// the coefficients that each M values alone have, so the coefficients of the
// parity are the sum of those of all chunks of M data shards.

#include "parity/erasure_code.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "parity/additive_transform.h"
#include "parity/galois_field.h"
#include "parity/galois_region.h"

namespace zpack {
namespace {

const RegionOperations& FastestOperations() {
  return AvailableRegionOperations().front();
}

// The Walsh-Hadamard transform modulo kFieldOrder.
void WalshHadamard(std::vector<uint32_t>& values) {
  for (size_t half = 1; half < values.size(); half *= 2) {
    for (size_t begin = 0; begin < values.size(); begin += 2 * half) {
      for (size_t i = begin; i < begin + half; ++i) {
        const uint32_t a = values[i];
        const uint32_t b = values[i + half];
        values[i] = (a + b) % kFieldOrder;
        values[i + half] = (a + kFieldOrder - b) % kFieldOrder;
      }
    }
  }
}

// For each position, the logarithm of the product of (position - e) for all
// erased e other than the position itself. That is the convolution, under
// exclusive or, of the erased positions with all logarithms.
std::vector<uint16_t> LocatorLogarithms(const std::vector<bool>& erased) {
  const GaloisField& field = GaloisField::Get();
  const auto size = static_cast<uint32_t>(erased.size());
  std::vector<uint32_t> indicator(erased.begin(), erased.end());
  std::vector<uint32_t> logs(size);
  for (uint32_t i = 0; i < size; ++i) {
    logs[i] = field.Log(static_cast<uint16_t>(i));
  }
  WalshHadamard(indicator);
  WalshHadamard(logs);
  for (uint32_t i = 0; i < size; ++i) {
    logs[i] =
        static_cast<uint32_t>(uint64_t{logs[i]} * indicator[i] % kFieldOrder);
  }
  WalshHadamard(logs);
  // 2^16 is 1 modulo kFieldOrder, so this divides by the size.
  const uint64_t inverse_size = kFieldSize / size;
  std::vector<uint16_t> result(size);
  for (uint32_t i = 0; i < size; ++i) {
    result[i] = static_cast<uint16_t>(logs[i] * inverse_size % kFieldOrder);
  }
  return result;
}

}  // namespace

bool IsValid(ErasureShape shape) {
  return shape.data >= 1 && shape.data <= kMaxErasureShards &&
         shape.parity >= 1 && shape.parity <= kMaxErasureShards &&
         shape.data + std::bit_ceil(shape.parity) <= kMaxErasureShards;
}

ErasureEncoder::ErasureEncoder(ErasureShape shape, size_t width)
    : shape_(shape), width_(width), chunk_size_(1) {
  ZPACK_CHECK(IsValid(shape) && width != 0 && width % kErasureBlock == 0);
  chunk_size_ = std::bit_ceil(shape.parity);
  chunk_.resize(chunk_size_ * width);
  sum_.resize(chunk_size_ * width);
}

void ErasureEncoder::Add(std::span<const std::byte> shard) {
  ZPACK_CHECK(shard.size() == width_ && added_ < shape_.data);
  const size_t row = added_ % chunk_size_;
  std::ranges::copy(shard, &chunk_[row * width_]);
  ++added_;
  if (row + 1 == chunk_size_ || added_ == shape_.data) AddChunk();
}

void ErasureEncoder::AddChunk() {
  const uint32_t used = (added_ - 1) % chunk_size_ + 1;
  std::ranges::fill(std::span(chunk_).subspan(used * width_), std::byte{0});
  // The position of the chunk's first shard.
  const uint32_t first = chunk_size_ + added_ - used;
  AdditiveTransform(FastestOperations(), width_)
      .ToCoefficients(chunk_, first, used);
  AddRegion(sum_.data(), chunk_.data(), sum_.size());
}

std::vector<std::byte> ErasureEncoder::Finish() {
  ZPACK_CHECK(added_ == shape_.data);
  std::vector<uint32_t> wanted(shape_.parity);
  std::iota(wanted.begin(), wanted.end(), 0U);
  AdditiveTransform(FastestOperations(), width_).ToValues(sum_, 0, wanted);
  sum_.resize(shape_.parity * width_);
  return std::move(sum_);
}

ErasureDecoder::ErasureDecoder(ErasureShape shape,
                               std::vector<uint32_t> lost_data,
                               const std::vector<uint32_t>& lost_parity)
    : shape_(shape), first_data_(0), lost_(std::move(lost_data)) {
  ZPACK_CHECK(IsValid(shape));
  ZPACK_CHECK(lost_.size() + lost_parity.size() <= shape.parity);
  first_data_ = std::bit_ceil(shape.parity);
  erased_.resize(std::bit_ceil(first_data_ + shape.data));
  for (uint32_t i = shape.parity; i < first_data_; ++i) erased_[i] = true;
  for (const uint32_t i : lost_parity) {
    ZPACK_CHECK(i < shape.parity);
    erased_[i] = true;
  }
  for (uint32_t& i : lost_) {
    ZPACK_CHECK(i < shape.data);
    i += first_data_;
    erased_[i] = true;
  }
  ZPACK_CHECK(std::ranges::is_sorted(lost_));
  locator_ = LocatorLogarithms(erased_);
}

// The values times the error locator are those of a polynomial of degree less
// than N, and known everywhere: 0 where a shard is erased. Where the locator is
// 0, the derivative of the product is the value times the locator's derivative.
std::vector<std::byte> ErasureDecoder::Decode(
    size_t width,
    const std::function<void(uint32_t, std::span<std::byte>)>& shard) const {
  ZPACK_CHECK(width != 0 && width % kErasureBlock == 0);
  if (lost_.empty()) return {};
  const GaloisField& field = GaloisField::Get();
  const RegionOperations& operations = FastestOperations();
  std::vector<std::byte> rows(erased_.size() * width);
  const auto row = [&](uint32_t position) {
    return std::span(rows).subspan(position * width, width);
  };
  const auto fill = [&](uint32_t position, uint32_t index) {
    if (erased_[position]) return;
    shard(index, row(position));
    operations.multiply(row(position).data(), width,
                        ProductTable(field.Power(locator_[position])));
  };
  for (uint32_t i = 0; i < shape_.data; ++i) fill(first_data_ + i, i);
  for (uint32_t i = 0; i < shape_.parity; ++i) fill(i, shape_.data + i);

  const AdditiveTransform transform(operations, width);
  transform.ToCoefficients(rows, 0, first_data_ + shape_.data);
  transform.Differentiate(rows);
  transform.ToValues(rows, 0, lost_);

  // To the front; no row that is still needed lies before its target.
  for (uint32_t i = 0; i < lost_.size(); ++i) {
    std::ranges::copy(row(lost_[i]), row(i).data());
    operations.multiply(
        row(i).data(), width,
        ProductTable(field.Power(kFieldOrder - locator_[lost_[i]])));
  }
  rows.resize(lost_.size() * width);
  return rows;
}

}  // namespace zpack
