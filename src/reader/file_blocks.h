// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a finished or unfinished file, or of a chain of files, and the
// ids of their objects, which is all that reading objects needs. Immutable,
// except for the index, which may be loaded later. Any number of threads may
// use it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/index_spaces.h"
#include "base/once_status.h"
#include "format/block_table.h"
#include "format/expansion.h"
#include "format/limits.h"
#include "format/link_numbers.h"
#include "object/object_id_table.h"
#include "reader/expansion_meter.h"
#include "zpack/options.h"
#include "zpack/read_cost.h"
#include "zpack/result.h"

namespace zpack {

// Maps ids to objects and back.
struct FileIndex {
  FileIds ids;
  IndexedVector<FileRank, ObjectNumber> numbers;
  IndexedVector<ObjectNumber, FileRank> ranks;
};

class FarBaseReader;

// Consecutive blocks that lie in one file.
struct FileSection {
  const RandomAccessFile* file = nullptr;
  size_t first_block = 0;
  uint64_t end = 0;                   // offset of the end of the last block
  uint32_t object_end = 0;            // the number after those of its objects
  std::vector<std::string> features;  // that a reader must support
};

class FileBlocks {
 public:
  using IndexReader = std::function<Result<FileIndex>()>;

  struct Parts {
    ObjectFormat object_format = ObjectFormat::kSha1;
    uint32_t object_count = 0;
    std::vector<std::string> features;  // features that a reader must support
    format::BlockTable table;
    format::Expansion max_expansion;
    // The files that hold the blocks, lowest numbers first. Empty if all blocks
    // are in one file.
    std::vector<FileSection> sections = {};
    // If set, gives the ids of objects in place of an index.
    format::IdOfNumber id_of = {};
    // False if the blocks were joined from parts of a damaged file: their
    // numbers and offsets then mean nothing to a reader of errors.
    bool placed = true;
  };

  // `file` and those of `parts` must outlive this object. In a chain of files,
  // `file` is the last one.
  FileBlocks(const RandomAccessFile& file, const ReadOptions& options,
             Parts parts, IndexReader read_index);
  ~FileBlocks();
  FileBlocks(const FileBlocks&) = delete;
  FileBlocks& operator=(const FileBlocks&) = delete;

  // Differs from that of every other object of this process.
  uint64_t identity() const { return identity_; }
  const std::string& path() const { return file_.path(); }
  bool is_far_away() const { return file_.is_far_away(); }
  const ReadOptions& options() const { return options_; }
  ObjectFormat object_format() const { return parts_.object_format; }
  // The objects of all blocks. Includes those of the files below.
  uint32_t object_count() const { return parts_.object_count; }
  // Links of a block to objects are less than this: the block knows only the
  // objects of its own file and of those below it.
  uint32_t object_end(size_t block) const {
    return SectionOf(block).object_end;
  }
  // The required features of all files, and of the file of a block.
  const std::vector<std::string>& features() const { return parts_.features; }
  const std::vector<std::string>& features(size_t block) const {
    return SectionOf(block).features;
  }
  const format::BlockTable& table() const { return parts_.table; }
  // Maximum bytes of an object in a block of deltas or trees, and of the bases
  // of a block that are kept at the same time.
  uint64_t max_kept() const { return format::MaxKept(options_.max_block_size); }
  // Maximum bytes of a segment, and of all commits of a block.
  uint64_t max_piece() const {
    return format::MaxPiece(options_.max_block_size);
  }
  // Reads the bases of far deltas.
  FarBaseReader& far_bases() const { return *far_bases_; }
  // What the blocks decoded so far expand to.
  ExpansionMeter& expansion() const { return expansion_; }

  // Reads and checks the whole index, unless Parts::id_of is set. Later calls
  // return the result of the first one.
  Status LoadIndex() const;
  bool index_loaded() const { return index_loaded_; }

  // REQUIRES for index, ids, number and rank: LoadIndex() has succeeded.
  const FileIndex& index() const {
    ZPACK_CHECK(index_loaded());
    return index_;
  }
  const FileIds& ids() const { return index().ids; }
  // The object number of a rank, and the rank of an object number.
  ObjectNumber number(FileRank rank) const { return index().numbers[rank]; }
  FileRank rank(ObjectNumber number) const { return index().ranks[number]; }
  // The id of an object. REQUIRES: LoadIndex() has succeeded.
  ObjectId id(ObjectNumber number) const {
    return parts_.id_of ? parts_.id_of(number) : ids()[rank(number)];
  }

  size_t block_count() const { return table().block_count(); }
  // The block in which object `number` begins.
  size_t FindBlock(ObjectNumber number) const {
    return table().FindBlock(number);
  }
  uint64_t block_offset(size_t block) const {
    return table().rows[block].offset;
  }
  // Number of the first object in `block`. For block_count(), the object count.
  ObjectNumber first_object(size_t block) const {
    return table().rows[block].first_object;
  }
  // Bytes of a block's chunk, including the frame of the chunk.
  uint64_t block_stored_size(size_t block) const {
    return block_end(block) - block_offset(block);
  }
  // Path of the file that holds a block.
  const std::string& block_path(size_t block) const {
    return SectionOf(block).file->path();
  }
  // Says that the blocks [first, end) will be read soon.
  void Prefetch(size_t first, size_t end) const;
  // Bytes of all blocks, including their frames.
  uint64_t blocks_stored_size() const { return blocks_stored_size_; }
  // The first block of the file that holds a block.
  size_t first_in_file(size_t block) const {
    return SectionOf(block).first_block;
  }
  // As format::BlockTable::object_count.
  uint32_t block_object_count(size_t block) const {
    return table().object_count(block);
  }
  // True if the block continues the object of the previous block.
  bool continues_previous(size_t block) const {
    return block > 0 && first_object(block) == first_object(block - 1);
  }

  // Adds the place of `block` to the message of `error` and to its fields,
  // unless Parts::placed is false.
  Error InBlock(Error error, size_t block) const;

  // Returns kLimitExceeded if the block exceeds ReadOptions::max_block_size.
  Status CheckBlockSize(size_t block) const;
  // Reads the whole chunk of a block into `chunk`, checks it, and returns its
  // payload. Returns kLimitExceeded as CheckBlockSize does, and kCorrupt.
  Result<ByteView> ReadBlockChunk(size_t block, Bytes& chunk) const;
  // Reads the beginning of a block's chunk, unless it is lost: up to
  // `start.size()` bytes. Returns those that were read.
  Result<std::span<uint8_t>> ReadBlockStart(size_t block,
                                            std::span<uint8_t> start) const;
  // What ReadBlockChunk has read so far.
  ReadCost read_cost() const {
    return {blocks_read_.load(std::memory_order_relaxed),
            bytes_read_.load(std::memory_order_relaxed)};
  }

 private:
  const FileSection& SectionOf(size_t block) const;
  uint64_t block_end(size_t block) const;

  const uint64_t identity_;
  const RandomAccessFile& file_;
  ReadOptions options_;
  Parts parts_;
  uint64_t blocks_stored_size_ = 0;
  IndexReader read_index_;
  mutable ExpansionMeter expansion_;
  mutable OnceStatus load_index_;
  mutable FileIndex index_;  // written once, before `index_loaded_`
  mutable std::atomic<bool> index_loaded_ = false;
  mutable std::atomic<uint64_t> blocks_read_ = 0;
  mutable std::atomic<uint64_t> bytes_read_ = 0;
  std::unique_ptr<FarBaseReader> far_bases_;
};

}  // namespace zpack
