// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a profile, and the options that override it, amount to.

#pragma once

#include <cstdint>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct EncodingOptions {
  int level = 0;            // of zstd
  uint64_t block_size = 0;  // data in a block of deltas
  // What each blob is compared with: the last blobs of its path, and others
  // that resemble it.
  unsigned same_path_candidates = 0;
  unsigned similar_candidates = 0;
  // As in DeltaPlannerOptions.
  unsigned good_for_path = 0;
  unsigned good_for_all = 0;
  // How often working sets are halved, to fit into little memory.
  unsigned halvings = 0;
};

// Bytes that one thread takes while it encodes.
uint64_t EncodingMemory(const EncodingOptions& options);

// kInvalidArgument for a level or block size out of range.
Result<EncodingOptions> ResolveEncoding(const ConvertOptions& options);

}  // namespace zpack
