// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits how far a file may expand in relation to its size (FORMAT.md,
// "Expansion"). A few stored bytes can stand for any amount of content; without
// a limit, a small file could keep a reader busy for hours. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "format/block.h"

namespace zpack::format {

// The expansion of a block, or of all blocks of a file.
struct Expansion {
  // Content of all objects, in bytes.
  uint64_t content = 0;
  // Memory for the decompressed streams and the data structures that a reader
  // builds from them, in bytes. 0 for segments, which are read one at a time.
  uint64_t decoded = 0;
  // Bytes of each object and of all its bases, summed over all objects.
  uint64_t chains = 0;

  Expansion& operator+=(const Expansion& other);
  // True if no sum is larger than the same sum of `limit`.
  bool Within(const Expansion& limit) const;
};

// The largest allowed expansion of a file of `file_size` bytes.
Expansion MaxExpansion(uint64_t file_size);

// The smallest size of a file that may expand to `expansion` and more: 3/2 of
// the content, and 5/4 of the other sums. Writers keep this distance from the
// limit.
uint64_t FileSizeFor(const Expansion& expansion);

// How many times the largest allowed expansion of a file readers decode that
// need some blocks again. What writers leave free is for these, too.
inline constexpr uint64_t kMaxDecodings = 3;

// Expansion::decoded of a block with these streams.
uint64_t DecodedSize(const BlockHeader& header,
                     const std::vector<StreamHeader>& streams);

}  // namespace zpack::format
