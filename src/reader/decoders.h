// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How many blocks of a file may be decoded at the same time. Pure.

#pragma once

#include <algorithm>
#include <cstdint>

namespace zpack {

// Each takes up to 128 MiB in a hostile file, however small that is, and of few
// blocks many threads make little. So the memory that a file can ask for grows
// with its size and not with the number of processors.
constexpr unsigned MaxDecoders(uint64_t file_size) {
  constexpr uint64_t kLeast = 2;
  constexpr uint64_t kMost = 4096;
  constexpr uint64_t kBytesPerDecoder = uint64_t{2} << 20;
  return static_cast<unsigned>(
      std::min(kLeast + file_size / kBytesPerDecoder, kMost));
}

}  // namespace zpack
