// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What it takes to write a reftable of so many refs, each with ten log entries,
// and to read it.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <random>
#include <string>

#include "reftable/reftable_stack.h"
#include "reftable/stack_writer.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using reftable::LogRecord;
using reftable::RefRecord;

constexpr uint64_t kEntries = 10;

ObjectId RandomId(std::mt19937_64& random) {
  Bytes bytes(20);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return ObjectId(bytes);
}

std::string NameOf(int64_t number) {
  return fmt::format("refs/changes/{:02}/{:07}/head", number / 10000, number);
}

void Check(const Status& status, benchmark::State& state) {
  if (!status) state.SkipWithError(status.error().message.c_str());
}

// Makes a stack and returns the bytes of its table.
void WriteStack(const std::string& directory, int64_t refs,
                benchmark::State& state) {
  reftable::TableOptions options;
  options.max_update_index = static_cast<uint64_t>(refs) * kEntries + 1;
  auto writer =
      reftable::StackWriter::Create(PosixFileSystem(), directory, options);
  if (!writer) return Check(std::unexpected(writer.error()), state);
  std::mt19937_64 random(1);
  for (int64_t i = 0; i < refs; ++i) {
    RefRecord record;
    record.ref.name = NameOf(i);
    record.ref.target = RandomId(random);
    record.update_index = 1;
    Check(writer->table().Add(record), state);
  }
  LogRecord log;
  log.name = "C O Mitter";
  log.email = "committer@example.com";
  log.message = "update by push\n";
  log.new_id = RandomId(random);
  for (int64_t i = 0; i < refs; ++i) {
    log.ref_name = NameOf(i);
    for (uint64_t j = kEntries; j > 0; --j) {
      log.update_index = static_cast<uint64_t>(i) * kEntries + j;
      log.old_id = RandomId(random);
      log.time = 1700000000 + log.update_index;
      Check(writer->table().Add(log), state);
      log.new_id = log.old_id;
    }
  }
  Check(writer->Commit(), state);
}

void Write(benchmark::State& state) {
  for (auto _ : state) {
    const testing::TempDir directory;
    WriteStack(directory.path(), state.range(0), state);
  }
}
BENCHMARK(Write)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

template <typename Record>
uint64_t Count(reftable::MergedCursor<Record> cursor, benchmark::State& state) {
  Record record;
  uint64_t count = 0;
  while (true) {
    const auto found = cursor.Next(record);
    if (!found) Check(std::unexpected(found.error()), state);
    if (!found || !*found) return count;
    ++count;
  }
}

void Read(benchmark::State& state) {
  const testing::TempDir directory;
  WriteStack(directory.path(), state.range(0), state);
  uint64_t refs = 0;
  uint64_t logs = 0;
  uint64_t bytes = 0;
  for (auto _ : state) {
    const auto stack = reftable::Stack::Open(
        PosixFileSystem(), directory.path(), ObjectFormat::kSha1);
    if (!stack) return Check(std::unexpected(stack.error()), state);
    refs = Count(stack->Refs(), state);
    logs = Count(stack->Logs(), state);
    bytes = stack->tables()[0]->size();
  }
  state.counters["refs"] = static_cast<double>(refs);
  state.counters["logs"] = static_cast<double>(logs);
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(Read)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace zpack

BENCHMARK_MAIN();
