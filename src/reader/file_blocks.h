// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a file and the ids of the objects in them: what reading objects
// takes, be the file finished or not. Immutable, but for the index, which can
// be loaded later; any number of threads may use it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/index_spaces.h"
#include "base/once_status.h"
#include "format/block_table.h"
#include "format/expansion.h"
#include "format/limits.h"
#include "object/object_id_table.h"
#include "reader/expansion_meter.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Which object has which id.
struct FileIndex {
  FileIds ids;
  IndexedVector<FileRank, ObjectNumber> numbers;
  IndexedVector<ObjectNumber, FileRank> ranks;
};

class FileBlocks {
 public:
  using IndexReader = std::function<Result<FileIndex>()>;

  struct Parts {
    ObjectFormat object_format = ObjectFormat::kSha1;
    uint32_t object_count = 0;
    std::vector<std::string> features;  // that a reader must know
    format::BlockTable table;
    format::Expansion max_expansion;
  };

  // `file` outlives this.
  FileBlocks(const RandomAccessFile& file, const ReadOptions& options,
             Parts parts, IndexReader read_index);

  const std::string& path() const { return file_.path(); }
  const ReadOptions& options() const { return options_; }
  ObjectFormat object_format() const { return parts_.object_format; }
  uint32_t object_count() const { return parts_.object_count; }
  const std::vector<std::string>& features() const { return parts_.features; }
  const format::BlockTable& table() const { return parts_.table; }
  // The largest object in a block of deltas or trees, and most bytes of objects
  // that are kept at a time for others of their block.
  uint64_t max_kept() const { return format::MaxKept(options_.max_block_size); }
  // The most bytes of a segment, and of all commits of a block.
  uint64_t max_piece() const {
    return format::MaxPiece(options_.max_block_size);
  }
  // What the blocks expand to, as far as they were decoded.
  ExpansionMeter& expansion() const { return expansion_; }

  // Reads and checks the whole index, the first time; a failure stays.
  Status LoadIndex() const;
  bool index_loaded() const { return index_loaded_; }

  // REQUIRES, for these three: LoadIndex() has succeeded.
  const FileIds& ids() const { return index().ids; }
  // The object number of each rank, and the rank of each number.
  ObjectNumber number(FileRank rank) const { return index().numbers[rank]; }
  FileRank rank(ObjectNumber number) const { return index().ranks[number]; }

  size_t block_count() const { return table().block_count(); }
  // The block in which the object `number` begins.
  size_t FindBlock(ObjectNumber number) const {
    return table().FindBlock(number);
  }
  uint64_t block_offset(size_t block) const {
    return table().rows[block].offset;
  }
  // Number of the first object in `block`, also for the end of the last one.
  ObjectNumber first_object(size_t block) const {
    return table().rows[block].first_object;
  }
  // Bytes of a block's chunk, framing included.
  uint64_t block_stored_size(size_t block) const {
    return block_offset(block + 1) - block_offset(block);
  }
  // The same of all blocks.
  uint64_t blocks_stored_size() const {
    return table().rows.back().offset - table().rows.front().offset;
  }
  // Number of objects that start in `block`; for a segment that is not the
  // last of its object, 0 follows from the table, and 1 is returned.
  uint32_t block_object_count(size_t block) const;
  // True for a block that continues the object of the one before it.
  bool continues_previous(size_t block) const {
    return block > 0 && first_object(block) == first_object(block - 1);
  }

  // kLimitExceeded for a block above max_block_size.
  Status CheckBlockSize(size_t block) const;
  // Reads the whole chunk of a block into `chunk`. kLimitExceeded as above.
  Status ReadBlockChunk(size_t block, Bytes& chunk) const;

 private:
  const FileIndex& index() const {
    ZPACK_CHECK(index_loaded());
    return index_;
  }

  const RandomAccessFile& file_;
  ReadOptions options_;
  Parts parts_;
  IndexReader read_index_;
  mutable ExpansionMeter expansion_;
  mutable OnceStatus load_index_;
  mutable FileIndex index_;  // written once, before `index_loaded_`
  mutable std::atomic<bool> index_loaded_ = false;
};

}  // namespace zpack
