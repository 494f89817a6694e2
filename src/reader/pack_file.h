// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An open .zpack file: its structure, checked, and its chunks. Immutable once
// open, but for the index, which can be loaded later; any number of threads may
// use it.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/once_status.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/object_index.h"
#include "format/trailer.h"
#include "object/object_id_table.h"
#include "reader/expansion_meter.h"
#include "zpack/options.h"
#include "zpack/refs.h"

namespace zpack {

// A whole chunk, and the payload in it.
struct LoadedChunk {
  LoadedChunk() = default;
  // A copy would not have its own payload.
  LoadedChunk(LoadedChunk&&) = default;
  LoadedChunk& operator=(LoadedChunk&&) = default;

  Bytes bytes;
  ByteView payload;
};

class PackFile {
 public:
  // Opens `file` and checks everything VerifyLevel::kStructure stands for.
  // Errors name the file and the offset: kIo, kUnsupported for another kind of
  // file or a newer one, kCorrupt, kLimitExceeded. On failure, `failed_at` is
  // set to the offset of the part that was read last.
  static Result<std::unique_ptr<PackFile>> Open(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options,
      uint64_t* failed_at = nullptr);

  // The same, but neither reads nor checks the index.
  static Result<std::unique_ptr<PackFile>> OpenWithoutIndex(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

  // A file of which only the blocks are known, because it is not finished:
  // those of `blocks`, with the objects of the index that is to come.
  static std::unique_ptr<PackFile> OfBlocks(
      std::unique_ptr<RandomAccessFile> file, format::BlockTable blocks,
      ObjectIdTable ids, std::vector<uint32_t> numbers);

  // Reads the header and the refs, which are the first bytes of the file, and
  // nothing else.
  static Result<RefsSnapshot> ReadRefs(const RandomAccessFile& file,
                                       const ReadOptions& options);

  const std::string& path() const { return file_->path(); }
  const RandomAccessFile& file() const { return *file_; }
  const ReadOptions& options() const { return options_; }
  const format::FileHeader& header() const { return header_; }
  const format::TableOfContents& toc() const { return toc_; }
  const format::Trailer& trailer() const { return trailer_; }
  const format::BlockTable& blocks() const { return blocks_; }
  const RefsSnapshot& refs() const { return refs_; }
  const format::IndexChunks& index_chunks() const { return index_chunks_; }
  uint32_t object_count() const { return header_.object_count; }
  // The largest object in a block of deltas or trees, and most bytes of objects
  // that are kept at a time for others of their block.
  uint64_t max_kept() const { return options_.max_block_size / 2; }
  // The most bytes of a segment, and of all commits of a block.
  uint64_t max_piece() const { return options_.max_block_size / 4; }
  // What its blocks expand to, as far as they were decoded.
  ExpansionMeter& expansion() const { return *expansion_; }

  // Reads and checks the whole index, the first time; a failure stays. Open has
  // done it.
  Status LoadIndex() const;
  bool index_loaded() const { return index_loaded_; }

  // REQUIRES, for these three: LoadIndex() has succeeded.
  const ObjectIdTable& ids() const { return index().ids; }
  // The object number of each rank, and the rank of each number.
  uint32_t number(uint32_t rank) const { return index().numbers[rank]; }
  uint32_t rank(uint32_t number) const { return index().ranks[number]; }

  uint64_t block_offset(size_t block) const {
    return blocks_.rows[block].offset;
  }
  // Bytes of a block's chunk, framing included.
  uint64_t block_stored_size(size_t block) const {
    return blocks_.rows[block + 1].offset - blocks_.rows[block].offset;
  }
  // The same of all blocks.
  uint64_t blocks_stored_size() const {
    return blocks_.rows.back().offset - blocks_.rows.front().offset;
  }
  // Number of objects that start in `block`; for a segment that is not the
  // last of its object, 0 follows from the table, and 1 is returned.
  uint32_t block_object_count(size_t block) const;
  // True for a block that continues the object of the one before it.
  bool continues_previous(size_t block) const {
    return block > 0 && blocks_.rows[block].first_object ==
                            blocks_.rows[block - 1].first_object;
  }

  // kLimitExceeded for a block above max_block_size, or a chunk above
  // max_chunk_size.
  Status CheckBlockSize(size_t block) const;
  Status CheckChunkSize(const format::ChunkLocation& chunk) const;

  // Reads the whole chunk of a block into `chunk`. kLimitExceeded as above.
  Status ReadBlockChunk(size_t block, Bytes& chunk) const;

  // Checks the checksum of a chunk, without keeping it in memory.
  Status CheckChunk(const format::ChunkLocation& chunk) const;

 private:
  PackFile(std::unique_ptr<RandomAccessFile> file, const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}

  struct Index {
    ObjectIdTable ids;
    std::vector<uint32_t> numbers;
    std::vector<uint32_t> ranks;
  };

  // `reading_at` is always the offset of the part that is being read.
  Status Load(uint64_t& reading_at);
  Status LoadTables(uint64_t& reading_at);
  Result<Index> ReadIndex(uint64_t& reading_at) const;
  // The same as LoadIndex; keeps `reading_at` as Load does.
  Status LoadIndex(uint64_t& reading_at) const;
  // Reads and checks a chunk that the table of contents lists.
  Result<LoadedChunk> LoadChunk(const format::ChunkLocation& chunk) const;
  Result<LoadedChunk> LoadChunk(uint32_t id) const;
  const Index& index() const {
    ZPACK_CHECK(index_loaded());
    return index_;
  }

  std::unique_ptr<RandomAccessFile> file_;
  ReadOptions options_;
  format::FileHeader header_;
  format::TableOfContents toc_;
  format::Trailer trailer_;
  format::BlockTable blocks_;
  RefsSnapshot refs_;
  format::IndexChunks index_chunks_;
  std::unique_ptr<ExpansionMeter> expansion_;
  mutable OnceStatus load_index_;
  mutable Index index_;  // written once, before `index_loaded_`
  mutable std::atomic<bool> index_loaded_ = false;
};

}  // namespace zpack
