// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks on their way to the file.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/expansion.h"
#include "zpack/result.h"

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

// Other threads that can encode blocks.
class BlockHelpers {
 public:
  using Job = std::function<Status(BlockEncoder&)>;

  virtual ~BlockHelpers() = default;

  // Whether a thread waits for work now.
  virtual bool AreIdle() = 0;
  // Leaves `job` to any thread. It must not refer to what changes meanwhile.
  virtual void Leave(Job job) = 0;
};

}  // namespace zpack
