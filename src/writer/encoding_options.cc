// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/encoding_options.h"

#include "base/error.h"
#include "base/memory.h"
#include "codec/zstd_codec.h"
#include "delta/look_ahead.h"
#include "format/limits.h"
#include "writer/write_order.h"

namespace zpack {
namespace {

// tools/guides/archive.md has measurements of the profiles.
EncodingOptions ProfileOptions(Profile profile) {
  switch (profile) {
    case Profile::kFast:
      return {.level = 3,
              .block_size = 2'000'000,
              .same_path_candidates = 1,
              .similar_candidates = 1,
              .good_for_path = 1000,
              .good_for_all = 4000};
    case Profile::kMax:
      return {.level = 19,
              .block_size = 8'000'000,
              .same_path_candidates = 24,
              .similar_candidates = 16,
              .good_for_path = 60,
              .good_for_all = 150,
              .groups = true};
    case Profile::kCold: {
      EncodingOptions cold = ProfileOptions(Profile::kMax);
      cold.level = 20;
      cold.derived_ids = true;
      return cold;
    }
    case Profile::kBalanced:
      break;
  }
  return {.level = 12,
          .block_size = 2'000'000,
          .same_path_candidates = 6,
          .similar_candidates = 4,
          .good_for_path = 200,
          .good_for_all = 600};
}

// 0 if there is plenty of memory, and 1 more for each halving of that amount.
// Only RunOptions::memory counts, not the memory of the machine, so that the
// bytes of the archive are the same on every machine.
unsigned Halvings(const RunOptions& run) {
  constexpr unsigned kMost = 4;
  unsigned halvings = 0;
  if (!run.memory) return halvings;
  while (halvings < kMost &&
         *run.memory < RunOptions::kPlentyOfMemory >> halvings)
    ++halvings;
  return halvings;
}

}  // namespace

Result<EncodingOptions> ResolveEncoding(const ConvertOptions& options) {
  EncodingOptions encoding = ProfileOptions(options.profile);
  if (options.level) encoding.level = *options.level;
  if (options.block_size) encoding.block_size = *options.block_size;
  if (encoding.level < ZstdCompressor::kMinLevel ||
      encoding.level > ZstdCompressor::kMaxLevel) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "level {} is not between {} and {}", encoding.level,
                     ZstdCompressor::kMinLevel, ZstdCompressor::kMaxLevel);
  }
  if (encoding.block_size < ConvertOptions::kMinBlockSize ||
      encoding.block_size > ConvertOptions::kMaxBlockSize) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "block size {} is not between {} and {}",
                     encoding.block_size, ConvertOptions::kMinBlockSize,
                     ConvertOptions::kMaxBlockSize);
  }
  encoding.halvings = Halvings(options.run);
  return encoding;
}

// With less than a group, two groups would never be compressed at the same
// time.
uint64_t MostWaiting(const EncodingOptions& options) {
  return format::kMaxGroupSize >> options.halvings;
}

// A section has about as many literals.
uint64_t MostUnplaced(const EncodingOptions& options, unsigned threads) {
  return threads * (MostWaiting(options) / 4);
}

uint64_t EncodingMemory(const EncodingOptions& options) {
  const BlockSizes sizes(options.block_size, options.halvings);
  // The block being filled, compressed and passed on, and a large object with
  // the content it is compared with.
  const uint64_t pieces =
      options.groups
          ? MostWaiting(options) + MostUnplaced(options, 1) +
                ZstdCompressor::PieceMemory(
                    options.level, format::kMaxGroupSize, options.halvings)
          : 0;
  return ZstdCompressor::Memory(options.level, 2 * options.block_size,
                                options.halvings) +
         pieces + 4 * options.block_size + sizes.window + sizes.max_object;
}

uint64_t EncodingMemory(const EncodingOptions& options, uint64_t largest) {
  const uint64_t usual =
      BlockSizes(options.block_size, options.halvings).max_object;
  // The blob, the version before it and what finds their common text, its
  // literals, and these compressed.
  constexpr uint64_t kCopies = 5;
  return EncodingMemory(options) + (largest > usual ? kCopies * largest : 0);
}

unsigned EncodingThreads(const RunOptions& run, uint64_t shared,
                         uint64_t memory) {
  return FittingThreads(run, shared, memory + 2 * LookAhead::kMostBytes);
}

}  // namespace zpack
