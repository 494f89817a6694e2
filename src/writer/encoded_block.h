// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks on their way to the file.

#pragma once

#include <cstdint>
#include <deque>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "base/parallel.h"
#include "format/expansion.h"

namespace zpack {

class BlockEncoder;

// Ready to be written.
struct EncodedBlock {
  ObjectNumber first_object;
  Bytes chunk;
  format::Expansion expansion;
};

// A block can be encoded by another thread while more blocks are added.
using EncodedBlocks = std::deque<EncodedBlock>;

// Threads that can encode blocks while this one goes on.
using BlockHelpers = Parts<BlockEncoder>;

}  // namespace zpack
