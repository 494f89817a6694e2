// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Speed of the erasure code in bytes of data per second, on one thread, for
// numbers of data shards and of parity shards. A shard has 4,096 bytes.
//
//   Encode        all parity shards
//   DecodeMost    as many shards lost as there is parity, at random
//   DecodeFew     two shards lost

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "parity/erasure_code.h"

namespace zpack {
namespace {

constexpr size_t kShard = 4096;

ErasureShape ShapeOf(const benchmark::State& state) {
  return {static_cast<uint32_t>(state.range(0)),
          static_cast<uint32_t>(state.range(1))};
}

std::vector<std::byte> RandomData(ErasureShape shape) {
  std::mt19937_64 random(1);
  std::vector<std::byte> data(shape.data * kShard);
  for (std::byte& byte : data) byte = static_cast<std::byte>(random());
  return data;
}

std::vector<std::byte> ParityOf(ErasureShape shape,
                                std::span<const std::byte> data) {
  ErasureEncoder encoder(shape, kShard);
  for (size_t i = 0; i < data.size(); i += kShard) {
    encoder.Add(data.subspan(i, kShard));
  }
  return encoder.Finish();
}

void CountBytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * state.range(0) *
                          static_cast<int64_t>(kShard));
}

void Encode(benchmark::State& state) {
  const ErasureShape shape = ShapeOf(state);
  const std::vector<std::byte> data = RandomData(shape);
  for (auto _ : state) benchmark::DoNotOptimize(ParityOf(shape, data));
  CountBytes(state);
}

void Decode(benchmark::State& state, uint32_t losses) {
  const ErasureShape shape = ShapeOf(state);
  std::vector<std::byte> shards = RandomData(shape);
  const std::vector<std::byte> parity = ParityOf(shape, shards);
  shards.insert(shards.end(), parity.begin(), parity.end());
  std::vector<uint32_t> all(shape.data);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<uint32_t> lost;
  std::ranges::sample(all, std::back_inserter(lost), losses,
                      std::mt19937_64(2));
  for (auto _ : state) {
    const ErasureDecoder decoder(shape, lost, {});
    for (size_t column = 0; column < kShard; column += 512) {
      benchmark::DoNotOptimize(decoder.Decode(512, [&](uint32_t i, auto to) {
        std::ranges::copy_n(&shards[i * kShard + column], 512, to.data());
      }));
    }
  }
  CountBytes(state);
}

void DecodeMost(benchmark::State& state) {
  Decode(state, ShapeOf(state).parity);
}
void DecodeFew(benchmark::State& state) { Decode(state, 2); }

#define ZPACK_SHAPES \
  Args({1000, 50})->Args({13'800, 690})->Args({61'000, 3'050})
BENCHMARK(Encode)->ZPACK_SHAPES;
BENCHMARK(DecodeMost)->ZPACK_SHAPES;
BENCHMARK(DecodeFew)->ZPACK_SHAPES;

}  // namespace
}  // namespace zpack

BENCHMARK_MAIN();
