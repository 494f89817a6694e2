// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits the number of blocks of a file that are decoded at the same time.
// Pure.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "format/block_form.h"
#include "format/file_header.h"
#include "format/limits.h"
#include "zpack/options.h"

namespace zpack {

// A block of a hostile file takes up to 128 MiB when decoded, even if the file
// is small. Therefore the limit grows with the size of the file, not with the
// number of processors. Files with few blocks would not gain from many threads.
constexpr unsigned MaxDecoders(uint64_t file_size) {
  constexpr uint64_t kLeast = 2;
  constexpr uint64_t kMost = 4096;
  constexpr uint64_t kBytesPerDecoder = uint64_t{2} << 20;
  return static_cast<unsigned>(
      std::min(kLeast + file_size / kBytesPerDecoder, kMost));
}

// Returns the number of threads for which RunOptions::memory is sufficient, at
// most MaxDecoders(file_size). A decoded block with its objects takes about 20
// MiB, rarely more than 64 MiB; `features`, those of the file, say whether a
// thread also keeps the text of a group, and all together keep far bases.
inline unsigned DecodingThreads(const RunOptions& run, uint64_t file_size,
                                const std::vector<std::string>& features) {
  uint64_t shared = uint64_t{32} << 20;
  constexpr uint64_t kMostFarBases = uint64_t{160} << 20;
  constexpr uint64_t kPerThread = uint64_t{64} << 20;
  const bool groups = format::HasFeature(features, format::kGroupsFeature);
  const std::string_view far =
      format::FindBlockForm(format::BlockKind::kFarDeltas)->feature;
  if (format::HasFeature(features, far)) {
    shared += std::min(kMostFarBases, ResolveMemory(run) / 6);
  }
  return std::min(
      FittingThreads(run, shared,
                     kPerThread + (groups ? format::kMaxGroupSize : 0)),
      MaxDecoders(file_size));
}

}  // namespace zpack
