// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and bases of the objects of a block, which two of its streams tell
// (FORMAT.md, "Deltas" and "Trees").

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// Whether an object is the last of its block that needs its base.
enum class BaseUse : uint8_t { kMore, kLast };

struct BlockLayout {
  std::vector<uint64_t> sizes;
  std::vector<uint32_t> bases;  // index in the block; its own without a base
  uint64_t content = 0;         // bytes of all objects
  uint64_t chains = 0;          // for each, of it and all its bases, added up

  std::optional<uint32_t> base(uint32_t index) const {
    if (bases[index] == index) return std::nullopt;
    return bases[index];
  }
  // By index: the last object that needs it as a base; its own when none does.
  std::vector<uint32_t> LastUses() const;
};

// What a block may stand for. Few bytes can tell of much content: without
// bounds, a small file would keep a reader busy for days.
struct BlockLimits {
  uint64_t object_size = 0;      // of one object
  uint64_t content = 0;          // of all objects together
  uint64_t chains = UINT64_MAX;  // see BlockLayout

  // What one object needs, its own content included, that of its bases and
  // theirs: enough for a writer to build long chains, and no more than a
  // multiple of what is asked for.
  uint64_t Chain(uint64_t size) const { return object_size + 64 * size; }
};

// kCorrupt for anything out of the ordinary, kLimitExceeded beyond `limits`.
Result<BlockLayout> ParseBlockLayout(ByteView sizes, ByteView bases,
                                     uint32_t count, const BlockLimits& limits);

}  // namespace zpack
