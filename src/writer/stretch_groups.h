// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The groups of a stretch (FORMAT.md, "Groups"): the continued streams of their
// blocks are compressed one after the other, each group by one thread at a
// time, while the stretch goes on. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "format/block.h"
#include "format/block_streams.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "zpack/result.h"

namespace zpack {

class StretchGroups {
 public:
  // `raw_size` is the number of bytes of the objects of the stretch. `helpers`,
  // if not null, compress some of the streams, and must outlive this object; at
  // most about `most_waiting` bytes wait for them.
  StretchGroups(uint64_t raw_size, uint64_t most_waiting,
                BlockHelpers* helpers);
  ~StretchGroups();
  StretchGroups(const StretchGroups&) = delete;
  StretchGroups& operator=(const StretchGroups&) = delete;

  // Encodes a block of a group into `block`, which must stay where it is, or
  // leaves its continued stream to a helper; `encoder` does the rest. The block
  // continues the one before it, unless a group ends there. Returns false, and
  // does nothing, if a block with these streams belongs to no group.
  Result<bool> Encode(const format::BlockHeader& header,
                      const format::BlockStreams& streams,
                      BlockEncoder& encoder, EncodedBlock& block);

 private:
  class Group;

  // Ends the last group, if there is one.
  void End();
  // The place of a block whose continued stream has `size` bytes.
  format::GroupPlace Place(uint64_t size, const BlockEncoder& encoder);
  // Lets somebody compress what waits in the last group.
  Status Compress();
  // Waits, or compresses, until not too much waits in all groups.
  Status LimitWaiting();

  uint64_t raw_size_;
  uint64_t most_waiting_;
  BlockHelpers* helpers_;
  bool is_open_ = false;     // the last block belongs to the last group
  format::GroupPlace next_;  // the place of the next block in it
  // Those that have something to be compressed, and perhaps others. What is
  // left to helpers shares them.
  std::vector<std::shared_ptr<Group>> groups_;
};

}  // namespace zpack
