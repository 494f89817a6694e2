// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The groups of a stretch (FORMAT.md, "Groups"). Threads encode sections of the
// stretch at the same time. Groups go on from section to section, so the blocks
// of a section wait until those of the section before it have their places.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "format/block.h"
#include "format/block_streams.h"
#include "writer/block_encoder.h"
#include "writer/block_group.h"
#include "writer/encoded_block.h"
#include "zpack/result.h"

namespace zpack {

// Thread-safe.
class StretchGroups {
 public:
  // `raw_size` is the number of bytes of the objects of the stretch. At most
  // about `most_unplaced` bytes wait for a section, and `most_waiting` for a
  // thread that compresses them.
  StretchGroups(size_t sections, uint64_t raw_size, uint64_t most_unplaced,
                uint64_t most_waiting);
  ~StretchGroups();
  StretchGroups(const StretchGroups&) = delete;
  StretchGroups& operator=(const StretchGroups&) = delete;

  // A section has failed with `error`, so those after it do, too.
  void Fail(const Status& error);

 private:
  friend class GroupedSection;
  using Groups = std::vector<std::shared_ptr<BlockGroup>>;

  struct Section {
    // Have no places yet. What has no `block` stands for a block that belongs
    // to no group.
    std::deque<UncompressedBlock> blocks;
    bool has_ended = false;
  };

  struct Placed {
    bool any = false;     // a block has a place now
    Groups uncompressed;  // somebody has to compress these
  };

  // The next block of a section, and its end.
  Result<Placed> Take(size_t section, UncompressedBlock block,
                      const BlockEncoder& encoder);
  Placed End(size_t section, const BlockEncoder& encoder);
  // Places what needs not wait. REQUIRES: the caller has locked `mutex_`.
  Placed PlaceBlocks(const BlockEncoder& encoder);
  void Place(UncompressedBlock block, const BlockEncoder& encoder,
             Placed& placed);
  // Ends the last group, if it is open.
  void CloseGroup();
  // Those in which something may wait.
  Groups WaitingGroups();

  uint64_t raw_size_;
  uint64_t most_unplaced_;
  uint64_t most_waiting_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable turn_;
  Status outcome_;
  std::vector<Section> sections_;
  size_t first_ = 0;         // the first section that has not ended
  uint64_t unplaced_ = 0;    // bytes that wait for a section
  bool is_open_ = false;     // the last block belongs to the last group
  format::GroupPlace next_;  // the place of the next block in it
  Groups groups_;            // those without a block that waits can be missing
};

// What a thread uses that encodes a section. Thread-compatible.
class GroupedSection {
 public:
  // The section has a `number` below that of all sections. Helpers, if not
  // null, compress some of the streams. All must outlive this object; parts
  // that are left to helpers share what they need. REQUIRES: the sections with
  // lower numbers are being encoded, or were.
  GroupedSection(StretchGroups& groups, size_t number, BlockEncoder& encoder,
                 BlockHelpers* helpers)
      : groups_(groups),
        number_(number),
        encoder_(encoder),
        helpers_(helpers) {}

  // Encodes the next block of the section into `block`, which must stay where
  // it is, or leaves its continued stream to others. Returns false, and does
  // nothing, if a block with these streams belongs to no group. REQUIRES:
  // blocks of its kind have a continued stream.
  Result<bool> Encode(const format::BlockHeader& header,
                      const format::BlockStreams& streams, EncodedBlock& block);
  // Must be called after the last block.
  Status End();

 private:
  // Lets somebody compress what has to be.
  Status Compress(const StretchGroups::Placed& placed);
  // Waits, or compresses, until not too much waits in all groups.
  Status LimitWaiting();

  StretchGroups& groups_;
  size_t number_;
  BlockEncoder& encoder_;
  BlockHelpers* helpers_;
};

}  // namespace zpack
