// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A block, ready to be written.

#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace zpack {

// Blocks whose few bytes stand for more content than this are closed: readers
// refuse what could keep them busy out of proportion (reader/block_layout.h),
// and take so much without looking at the block's size.
inline constexpr uint64_t kMaxBlockContent = uint64_t{256} << 20;

struct EncodedBlock {
  uint32_t first_object = 0;
  Bytes chunk;
};

}  // namespace zpack
