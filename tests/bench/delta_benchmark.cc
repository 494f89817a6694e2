// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Speed of the delta encoder in bytes of target per second: on edits as they
// occur, and on inputs made to be slow. The latter grow by steps of eight; that
// the speed stays the same shows that the time is linear.
//
//   edit       one line changed
//   scattered  a byte changed every 200
//   moved      halves exchanged
//   zeros      all bytes alike, of different length
//   period     a line repeated, with different lines around it
//   near_miss  every window of the target is in the base many times, and every
//              match ends one byte after it
//   unrelated  random bytes that have nothing in common

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "delta/content_sketch.h"
#include "delta/delta_encoder.h"

namespace zpack {
namespace {

using Pair = std::pair<Bytes, Bytes>;  // base, target

Bytes Random(size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

Bytes Text(size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = i % 40 == 39 ? '\n' : static_cast<uint8_t>('a' + random() % 26);
  }
  return bytes;
}

Pair Edit(size_t size) {
  Pair pair(Text(size, 1), Text(size, 1));
  pair.second[size / 2] ^= 1;
  return pair;
}

Pair Scattered(size_t size) {
  Pair pair(Text(size, 1), Text(size, 1));
  for (size_t i = 100; i < size; i += 200) pair.second[i] ^= 1;
  return pair;
}

Pair Moved(size_t size) {
  Pair pair(Text(size, 1), {});
  const ByteView base = pair.first;
  Append(pair.second, base.subspan(size / 2));
  Append(pair.second, base.first(size / 2));
  return pair;
}

Pair Zeros(size_t size) {
  // Different ends, so that trimming does not do the work.
  Pair pair(Bytes(size, 0), Bytes(size + size / 3, 0));
  pair.first.front() = pair.first.back() = 1;
  pair.second.front() = pair.second.back() = 2;
  return pair;
}

Pair Period(size_t size) {
  Pair pair;
  const Bytes line = Text(37, 3);
  for (size_t i = 0; pair.first.size() < size; ++i) {
    Append(pair.first, line);
    Append(pair.second, line);
    Append(pair.first, AsBytes(std::to_string(i)));
    Append(pair.second, AsBytes(std::to_string(i * 7919)));
  }
  return pair;
}

Pair NearMiss(size_t size) {
  Pair pair;
  const Bytes window = Text(16, 4);
  std::mt19937_64 random(5);
  while (pair.first.size() < size) {
    Append(pair.first, window);
    Append(pair.second, window);
    for (int i = 0; i < 16; ++i) {
      pair.first.push_back(static_cast<uint8_t>(random()));
    }
    pair.second.push_back(static_cast<uint8_t>(random()));
  }
  return pair;
}

Pair Unrelated(size_t size) { return {Random(size, 1), Random(size, 2)}; }

void Encode(benchmark::State& state, Pair (*make)(size_t)) {
  const auto [base, target] = make(static_cast<size_t>(state.range(0)));
  DeltaEncoder encoder{DeltaCosts{}};
  Delta delta;
  for (auto _ : state) {
    benchmark::DoNotOptimize(encoder.Encode(base, target, UINT64_MAX, delta));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(target.size()));
  state.counters["copies"] = static_cast<double>(delta.copies.size());
}

void Sketch(benchmark::State& state) {
  const Bytes content = Text(static_cast<size_t>(state.range(0)), 1);
  for (auto _ : state) benchmark::DoNotOptimize(MakeSketch(content));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(content.size()));
}

constexpr int64_t kSmall = int64_t{50'000'000} / 64;
constexpr int64_t kLarge = 50'000'000;

#define ZPACK_DELTA_BENCHMARK(name, make) \
  BENCHMARK_CAPTURE(Encode, name, make)   \
      ->RangeMultiplier(8)                \
      ->Range(kSmall, kLarge)             \
      ->Unit(benchmark::kMillisecond)

ZPACK_DELTA_BENCHMARK(edit, Edit);
ZPACK_DELTA_BENCHMARK(scattered, Scattered);
ZPACK_DELTA_BENCHMARK(moved, Moved);
ZPACK_DELTA_BENCHMARK(zeros, Zeros);
ZPACK_DELTA_BENCHMARK(period, Period);
ZPACK_DELTA_BENCHMARK(near_miss, NearMiss);
ZPACK_DELTA_BENCHMARK(unrelated, Unrelated);
BENCHMARK(Sketch)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace zpack

BENCHMARK_MAIN();
