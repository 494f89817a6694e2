// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A block, ready to be written.

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/expansion.h"

namespace zpack {

// Blocks of deltas or trees are closed at this much content.
inline constexpr uint64_t kMaxBlockContent = uint64_t{256} << 20;
// Objects larger than this are stored in segments, and blocks of commits are
// closed before they stand for more: readers hold so much at once.
inline constexpr uint64_t kMaxWhole = 64'000'000;
inline constexpr uint64_t kMaxCommits = 32'000'000;

struct EncodedBlock {
  ObjectNumber first_object;
  Bytes chunk;
  format::Expansion expansion;
};

}  // namespace zpack
