// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits the number of blocks of a file that are decoded at the same time.
// Pure.

#pragma once

#include <algorithm>
#include <cstdint>

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

}  // namespace zpack
