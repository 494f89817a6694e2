// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast zstd compresses and decompresses parts of a repository at each
// level, how well, and in how much memory (tools/bench/codecs).
//
//   codecs_benchmark REPO FILE.zpack SAMPLE [OPTION OF GOOGLE BENCHMARK...]
//
// Each set has at most SAMPLE bytes: the objects of each type of the
// repository, one after the other and cut into extents of 128 KiB, as btrfs
// compresses; and the streams of the blocks of the file, by type of object.
// Before a set is measured, it is compressed, decompressed and compared.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench/codecs/bench_run.h"
#include "bench/codecs/zstd_memory.h"
#include "fuzz/file_parts.h"

namespace zpack::bench {
namespace {

constexpr size_t kExtent = size_t{128} << 10;

// Buffers that are compressed one by one.
struct SampleSet {
  std::vector<Bytes> pieces;
  size_t bytes = 0;
  size_t largest = 0;

  void Add(Bytes piece) {
    bytes += piece.size();
    largest = std::max(largest, piece.size());
    pieces.push_back(std::move(piece));
  }
};
using SampleSets = std::map<std::string, SampleSet>;

// Objects from the whole pack, evenly, as extents.
Result<SampleSet> ObjectExtents(PackReader& pack, ObjectType type,
                                size_t sample) {
  std::vector<PackRank> ranks;
  uint64_t total = 0;
  for (const PackRank rank : pack.DeltaOrder()) {
    const ObjectInfo info = pack.Info(rank);
    if (info.type != type || info.size > sample) continue;
    ranks.push_back(rank);
    total += info.size;
  }
  // Runs of objects that are neighbours, because neighbours are similar.
  constexpr size_t kRun = 16;
  const size_t keep_one_of = std::max<size_t>(1, total / sample);
  SampleSet set;
  Bytes extent;
  Bytes content;
  for (size_t i = 0; i < ranks.size() && set.bytes < sample; ++i) {
    if (i / kRun % keep_one_of != 0) continue;
    ZPACK_TRY(pack.Read(ranks[i], content));
    for (size_t at = 0; at < content.size();) {
      const size_t size =
          std::min(kExtent - extent.size(), content.size() - at);
      Append(extent, ByteView(content).subspan(at, size));
      at += size;
      if (extent.size() == kExtent) set.Add(std::exchange(extent, {}));
    }
  }
  if (!extent.empty()) set.Add(std::move(extent));
  return set;
}

Status AddStreams(const std::string& path, size_t sample, SampleSets& sets) {
  ZPACK_ASSIGN_OR_RETURN(const Bytes file, ReadWholeFile(path));
  auto parts = testing::TakeApart(file);
  if (!parts) {
    return MakeError(ErrorCode::kCorrupt, "'{}' is not a .zpack file", path);
  }
  for (testing::ChunkPart& chunk : parts->chunks) {
    if (!chunk.block) continue;
    SampleSet& set =
        sets["stream of " +
             std::string(ObjectTypeName(chunk.block->header.type)) + "s"];
    for (testing::StreamPart& stream : chunk.block->streams) {
      // Streams that are stored as they are would not be compressed.
      if (stream.codec == 0 || stream.raw.empty()) continue;
      if (set.bytes < sample) set.Add(std::move(stream.raw));
    }
  }
  return {};
}

Result<SampleSets> MakeSets(const std::string& repository,
                            const std::string& file, size_t sample) {
  ZPACK_ASSIGN_OR_RETURN(const auto pack, OpenOnlyPack(repository));
  SampleSets sets;
  for (const ObjectType type : kAllObjectTypes) {
    ZPACK_ASSIGN_OR_RETURN(sets[std::string(ObjectTypeName(type))],
                           ObjectExtents(*pack, type, sample));
  }
  ZPACK_TRY(AddStreams(file, sample, sets));
  std::erase_if(sets, [](const auto& set) { return set.second.bytes == 0; });
  return sets;
}

// A compressed set.
struct CompressedSet {
  std::vector<Bytes> pieces;
  size_t bytes = 0;
  uint64_t compress_memory = 0;
  uint64_t decompress_memory = 0;
};

bool CompressSet(const SampleSet& set, int level, ZSTD_CCtx* context,
                 CompressedSet& out) {
  out.pieces.resize(set.pieces.size());
  out.bytes = 0;
  for (size_t i = 0; i < set.pieces.size(); ++i) {
    const Bytes& raw = set.pieces[i];
    Bytes& stored = out.pieces[i];
    stored.resize(ZSTD_compressBound(raw.size()));
    const size_t size = ZSTD_compressCCtx(context, stored.data(), stored.size(),
                                          raw.data(), raw.size(), level);
    if (ZSTD_isError(size)) return false;
    stored.resize(size);
    out.bytes += size;
  }
  return true;
}

bool DecompressSet(const SampleSet& set, const CompressedSet& compressed,
                   ZSTD_DCtx* context, std::vector<Bytes>& out) {
  for (size_t i = 0; i < set.pieces.size(); ++i) {
    const Bytes& stored = compressed.pieces[i];
    if (ZSTD_decompressDCtx(context, out[i].data(), out[i].size(),
                            stored.data(), stored.size()) != out[i].size()) {
      return false;
    }
  }
  return true;
}

std::vector<Bytes> BuffersFor(const SampleSet& set) {
  std::vector<Bytes> buffers(set.pieces.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers[i].resize(set.pieces[i].size());
  }
  return buffers;
}

// False unless the set comes back. Notes the memory of both contexts.
bool RoundTrip(const SampleSet& set, int level, CompressedSet& compressed) {
  ZstdMemory compressing;
  ZstdMemory decompressing;
  ZSTD_CCtx* const compressor =
      ZSTD_createCCtx_advanced(compressing.Functions());
  ZSTD_DCtx* const decompressor =
      ZSTD_createDCtx_advanced(decompressing.Functions());
  std::vector<Bytes> restored = BuffersFor(set);
  const bool done = CompressSet(set, level, compressor, compressed) &&
                    DecompressSet(set, compressed, decompressor, restored) &&
                    restored == set.pieces;
  ZSTD_freeCCtx(compressor);
  ZSTD_freeDCtx(decompressor);
  compressed.compress_memory = compressing.Peak();
  compressed.decompress_memory = decompressing.Peak();
  return done;
}

// A set and a level. The result of the round trip is kept, because the library
// calls a benchmark several times.
struct Case {
  const SampleSet& set;
  int level;
  std::optional<CompressedSet> compressed = std::nullopt;
  bool sound = false;

  bool Prepare() {
    if (!compressed) sound = RoundTrip(set, level, compressed.emplace());
    return sound;
  }
};

void Count(benchmark::State& state, const Case& done) {
  state.SetBytesProcessed(
      static_cast<int64_t>(state.iterations() * done.set.bytes));
  const ZSTD_compressionParameters parameters =
      ZSTD_getCParams(done.level, done.set.largest, 0);
  const auto add = [&](const char* name, uint64_t value) {
    state.counters[name] = static_cast<double>(value);
  };
  add("raw", done.set.bytes);
  add("stored", done.compressed->bytes);
  add("pieces", done.set.pieces.size());
  add("largest", done.set.largest);
  add("reported", ZSTD_estimateCCtxSize_usingCParams(parameters));
  add("reported_stream", ZSTD_estimateCStreamSize_usingCParams(parameters));
  add("measured", done.compressed->compress_memory);
  add("measured_decompress", done.compressed->decompress_memory);
}

void Compressing(benchmark::State& state, Case& measured) {
  if (!measured.Prepare()) {
    state.SkipWithError("the set does not come back");
    return;
  }
  CompressedSet again;
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  for (auto _ : state) {
    CompressSet(measured.set, measured.level, context, again);
  }
  ZSTD_freeCCtx(context);
  Count(state, measured);
}

void Decompressing(benchmark::State& state, Case& measured) {
  if (!measured.Prepare()) {
    state.SkipWithError("the set does not come back");
    return;
  }
  std::vector<Bytes> restored = BuffersFor(measured.set);
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  for (auto _ : state) {
    DecompressSet(measured.set, *measured.compressed, context, restored);
  }
  ZSTD_freeDCtx(context);
  Count(state, measured);
}

void Register(const SampleSets& sets) {
  for (const auto& [name, set] : sets) {
    for (int level = 1; level <= ZSTD_maxCLevel(); ++level) {
      const std::string prefix = name + "/" + std::to_string(level) + "/";
      const auto measured = std::make_shared<Case>(Case{set, level});
      benchmark::RegisterBenchmark((prefix + "compress").c_str(),
                                   [measured](benchmark::State& state) {
                                     Compressing(state, *measured);
                                   });
      benchmark::RegisterBenchmark((prefix + "decompress").c_str(),
                                   [measured](benchmark::State& state) {
                                     Decompressing(state, *measured);
                                   });
    }
  }
}

}  // namespace

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  size_t sample = 0;
  if (argc == 4) {
    const std::string_view digits = argv[3];
    std::from_chars(digits.data(), digits.data() + digits.size(), sample);
  }
  if (sample == 0) {
    std::cerr << "usage: codecs_benchmark REPO FILE.zpack SAMPLE [OPTION...]\n";
    return 129;
  }
  const Result<SampleSets> sets = MakeSets(argv[1], argv[2], sample);
  if (!sets) {
    std::cerr << "fatal: " << sets.error().message << '\n';
    return 128;
  }
  Register(*sets);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace zpack::bench

int main(int argc, char** argv) { return zpack::bench::Main(argc, argv); }
