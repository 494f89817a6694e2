// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits the number of blocks of a file that are decoded at the same time.

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

// What a thread takes that decodes usual blocks: about 20 MiB with the objects
// of the block, rarely more than this.
inline constexpr uint64_t kUsualDecoding = uint64_t{64} << 20;

// Returns the number of threads for which RunOptions::memory is sufficient, at
// most MaxDecoders(file_size). A thread takes `decoding` bytes for a block;
// `features`, those of the file, say whether it also keeps the text of a group,
// and all together keep far bases. Pure.
inline unsigned DecodingThreads(const RunOptions& run, uint64_t file_size,
                                const std::vector<std::string>& features,
                                uint64_t decoding = kUsualDecoding) {
  uint64_t shared = uint64_t{32} << 20;
  constexpr uint64_t kMostFarBases = uint64_t{160} << 20;
  const bool groups = format::HasFeature(features, format::kGroupsFeature);
  const std::string_view far =
      format::FindBlockForm(format::BlockKind::kFarDeltas)->feature;
  if (format::HasFeature(features, far)) {
    shared += std::min(kMostFarBases, ResolveMemory(run) / 6);
  }
  return std::min(
      FittingThreads(run, shared,
                     decoding + (groups ? format::kMaxGroupSize : 0)),
      MaxDecoders(file_size));
}

class FileBlocks;

// The same for `blocks`, of which some may need more memory than usual blocks.
// Reads the beginning of each block if that matters, unless the file is far
// away. What cannot be read counts as usual.
unsigned DecodingThreads(const RunOptions& run, const FileBlocks& blocks);

}  // namespace zpack
