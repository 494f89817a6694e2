// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads blocks of reftables and inflates those of logs. One loader serves all
// cursors of a merge, and limits the memory of their blocks.
// Thread-compatible.

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "codec/inflate.h"
#include "reftable/table_file.h"
#include "reftable/table_format.h"
#include "zpack/result.h"

namespace zpack::reftable {

// A block and its place. `bytes` begin with the file's header if the block is
// the first one.
struct LoadedBlock {
  uint64_t position = 0;  // offset in the file
  uint64_t next = 0;      // where the next block begins
  size_t first_record = 0;
  Bytes bytes;
};

class BlockLoader {
 public:
  // The blocks in use have at most `memory_limit` bytes.
  explicit BlockLoader(uint64_t memory_limit) : memory_limit_(memory_limit) {}

  // The type of the block at `position`. kSourceCorrupt if no block begins
  // there; kIo.
  static Result<BlockType> ReadType(const Table& table, uint64_t position);

  // Loads the block at `position`, whose type is known, in place of the content
  // of `block`. kSourceCorrupt if the block is malformed; kLimitExceeded; kIo.
  Status Load(const Table& table, uint64_t position, BlockType type,
              LoadedBlock& block);
  // Gives the memory of `block` back.
  void Release(LoadedBlock& block);

 private:
  Status Reserve(const Table& table, size_t size, LoadedBlock& block);
  Status Inflate(const Table& table, LoadedBlock& block);

  uint64_t memory_limit_;
  uint64_t memory_ = 0;
  StreamInflater inflater_;
  Bytes compressed_;
};

}  // namespace zpack::reftable
