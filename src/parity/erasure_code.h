// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An erasure code for whole shards: parity shards from data shards, and lost
// data shards from as many others. It is one Reed-Solomon code over GF(2^16),
// however many shards there are (FORMAT.md, Erasure code). Time grows as
// n log n with the number of shards.
//
// Methods: the additive transforms of Lin, Chung and Han, "Novel Polynomial
// Basis and Its Application to Reed-Solomon Erasure Codes" (FOCS 2014), and
// decoding by formal derivative (Lin, Al-Naffouri, Han and Chung, "Novel
// Polynomial Basis with Fast Fourier Transform and Its Application to
// Reed-Solomon Erasure Codes", IEEE Transactions on Information Theory, 2016).

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace zpack {

// `data` data shards and `parity` parity shards. Any `data` of them give all.
struct ErasureShape {
  uint32_t data;
  uint32_t parity;
};

// The sum of `data` and bit_ceil(`parity`) is at most this.
inline constexpr uint32_t kMaxErasureShards = 65536;

// A width is a multiple of this, in bytes.
inline constexpr size_t kErasureBlock = 64;

// True if there is at least one data shard and one parity shard, and if the
// code has positions for all of them (kMaxErasureShards).
bool IsValid(ErasureShape shape);

// Computes the parity shards while data shards pass by. One thread; several
// encoders may run at the same time, for example one for each column of the
// shards. Memory: 2 * bit_ceil(`shape.parity`) * `width` bytes.
class ErasureEncoder {
 public:
  // `width`: bytes of each shard. REQUIRES: IsValid(shape); `width` is a
  // multiple of kErasureBlock and not 0.
  ErasureEncoder(ErasureShape shape, size_t width);

  // Takes the next data shard. REQUIRES: `shard` has `width` bytes; fewer than
  // `shape.data` shards were added.
  void Add(std::span<const std::byte> shard);

  // Returns the parity shards in order, `shape.parity` * `width` bytes.
  // REQUIRES: all data shards were added. Call once.
  std::vector<std::byte> Finish();

 private:
  void AddChunk();

  ErasureShape shape_;
  size_t width_;
  uint32_t chunk_size_;  // data shards in a chunk, bit_ceil(shape_.parity)
  uint32_t added_ = 0;
  std::vector<std::byte> chunk_;  // the shards since the last whole chunk
  std::vector<std::byte> sum_;    // of the chunks' coefficients
};

// Computes lost data shards from the shards that are there. It is constant
// after construction; any number of threads may call Decode.
class ErasureDecoder {
 public:
  // `lost_data` and `lost_parity`: indexes of the shards that are missing,
  // ascending, from 0 each. Takes about 2 ms, and memory for
  // bit_ceil(bit_ceil(`shape.parity`) + `shape.data`) logarithms of 2 bytes.
  // REQUIRES: IsValid(shape); at most `shape.parity` shards are missing.
  ErasureDecoder(ErasureShape shape, std::vector<uint32_t> lost_data,
                 const std::vector<uint32_t>& lost_parity);

  // Decodes a column: the same `width` bytes of each shard. Calls `shard` once
  // for each shard that is there, ascending; `shard` fills the bytes of the
  // column. Its index is 0 to data - 1 for data and data to data + parity - 1
  // for parity. Returns the columns of the lost data shards in order; if no
  // data shard is lost, it returns nothing and calls nothing.
  // Memory: bit_ceil(bit_ceil(parity) + data) * `width` bytes.
  // REQUIRES: `width` is a multiple of kErasureBlock and not 0.
  std::vector<std::byte> Decode(
      size_t width,
      const std::function<void(uint32_t, std::span<std::byte>)>& shard) const;

 private:
  ErasureShape shape_;
  uint32_t first_data_;         // the position of the first data shard
  std::vector<uint32_t> lost_;  // positions of the lost data shards
  // For each position, the logarithm of the error locator, or of its derivative
  // where the locator is zero.
  std::vector<uint16_t> locator_;
  std::vector<bool> erased_;  // for each position
};

}  // namespace zpack
