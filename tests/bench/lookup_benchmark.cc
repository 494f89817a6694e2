// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What it takes to find one object in the index of a file that the system has
// in memory, and to load that index.

#include <benchmark/benchmark.h>

#include <memory>
#include <random>

#include "reader/index_lookup.h"
#include "support/index_file.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

// The index of so many random ids, on disk.
class IndexInFile {
 public:
  explicit IndexInFile(uint32_t count)
      : ids_(testing::RandomIds(ObjectFormat::kSha1, count)) {
    const auto index =
        testing::MakeIndexFile(ids_, testing::SomeNumbers(count));
    const std::string path = directory_ / "index";
    testing::WriteFile(path, AsText(index.bytes));
    file_ = *PosixFileSystem().OpenForRead(path);
    chunks_ = index.chunks;
    lookup_ = std::make_unique<IndexLookup>(*file_, chunks_, ids_.format(),
                                            ids_.size());
  }

  const FileIds& ids() const { return ids_; }
  const IndexLookup& lookup() const { return *lookup_; }

  // The payload of a chunk, read.
  Bytes Payload(const format::ChunkLocation& chunk) const {
    Bytes payload(chunk.payload_size);
    if (!file_->Read(chunk.offset + format::kChunkHeaderSize, payload)) {
      std::abort();
    }
    return payload;
  }
  const format::IndexChunks& chunks() const { return chunks_; }

 private:
  testing::TempDir directory_;
  FileIds ids_;
  std::unique_ptr<RandomAccessFile> file_;
  format::IndexChunks chunks_;
  std::unique_ptr<IndexLookup> lookup_;
};

// An id and its object number.
void ById(benchmark::State& state) {
  const IndexInFile index(static_cast<uint32_t>(state.range(0)));
  std::mt19937_64 random(1);
  for (auto _ : state) {
    const FileRank rank(static_cast<uint32_t>(random() % index.ids().size()));
    const auto found = index.lookup().Find(index.ids()[rank]);
    if (!found || *found != rank) std::abort();
    benchmark::DoNotOptimize(index.lookup().Number(**found));
  }
}

// An abbreviation of ten digits, its id, and its object number.
void ByAbbreviation(benchmark::State& state) {
  const IndexInFile index(static_cast<uint32_t>(state.range(0)));
  std::mt19937_64 random(1);
  for (auto _ : state) {
    const FileRank rank(static_cast<uint32_t>(random() % index.ids().size()));
    const auto found =
        index.lookup().FindPrefix(index.ids()[rank].ToHex().substr(0, 10));
    if (!found || found->first > rank || found->second <= rank) std::abort();
    benchmark::DoNotOptimize(index.lookup().Id(found->first));
    benchmark::DoNotOptimize(index.lookup().Number(found->first));
  }
}

// What a lookup took when it needed the whole index.
void Load(benchmark::State& state) {
  const IndexInFile index(static_cast<uint32_t>(state.range(0)));
  const uint32_t count = index.ids().size();
  for (auto _ : state) {
    const auto ids = format::DecodeObjectIds(index.Payload(index.chunks().ids),
                                             ObjectFormat::kSha1, count);
    const auto numbers = format::DecodeObjectNumbers(
        index.Payload(index.chunks().numbers), count);
    if (!ids || !numbers) std::abort();
    benchmark::DoNotOptimize(format::InversePermutation(*numbers));
  }
}

#define ZPACK_LOOKUP_BENCHMARK(name) \
  BENCHMARK(name)                    \
      ->Arg(10'000)                  \
      ->Arg(400'000)                 \
      ->Arg(10'000'000)              \
      ->Unit(benchmark::kMicrosecond)

ZPACK_LOOKUP_BENCHMARK(ById);
ZPACK_LOOKUP_BENCHMARK(ByAbbreviation);
ZPACK_LOOKUP_BENCHMARK(Load);

}  // namespace
}  // namespace zpack

BENCHMARK_MAIN();
