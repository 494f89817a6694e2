// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How much a file may stand for in relation to its size (FORMAT.md,
// "Expansion"). A few stored bytes can stand for any amount of content; without
// a limit, a small file keeps a reader busy for hours. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "format/block.h"

namespace zpack::format {

// What a block, or all blocks of a file, expand to.
struct Expansion {
  // Bytes of all objects.
  uint64_t content = 0;
  // Memory for the decompressed streams and what a reader makes of them; not
  // for segments, which are read one at a time.
  uint64_t decoded = 0;
  // For each object, the bytes of it and of all its bases, added up.
  uint64_t chains = 0;

  Expansion& operator+=(const Expansion& other);
  // True when nothing in this is above what `limit` has.
  bool Within(const Expansion& limit) const;
};

// What the blocks of a file of `file_size` bytes may expand to.
Expansion MaxExpansion(uint64_t file_size);

// The least size of a file with blocks that expand to twice as much as
// `expansion`: writers keep this distance from the limit.
uint64_t FileSizeFor(const Expansion& expansion);

// Expansion::decoded of a block with these streams.
uint64_t DecodedSize(const BlockHeader& header,
                     const std::vector<StreamHeader>& streams);

}  // namespace zpack::format
