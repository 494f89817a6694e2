// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An open .zpack file: its structure, checked, and its chunks. Immutable once
// open; any number of threads may use it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/trailer.h"
#include "object/object_id_table.h"
#include "zpack/options.h"
#include "zpack/refs.h"

namespace zpack {

class PackFile {
 public:
  // Opens `file` and checks everything VerifyLevel::kStructure stands for.
  // Errors name the file and the offset: kIo, kUnsupported for another kind of
  // file or a newer one, kCorrupt, kLimitExceeded.
  static Result<std::unique_ptr<PackFile>> Open(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

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
  const ObjectIdTable& ids() const { return ids_; }

  // The object number of each rank, and the rank of each number.
  uint32_t number(uint32_t rank) const { return numbers_[rank]; }
  uint32_t rank(uint32_t number) const { return ranks_[number]; }

  uint64_t block_offset(size_t block) const {
    return blocks_.rows[block].offset;
  }
  // Bytes of a block's chunk, framing included.
  uint64_t block_stored_size(size_t block) const {
    return blocks_.rows[block + 1].offset - blocks_.rows[block].offset;
  }
  // Number of objects that start in `block`; for a segment that is not the
  // last of its object, 0 follows from the table, and 1 is returned.
  uint32_t block_object_count(size_t block) const;
  // True for a block that continues the object of the one before it.
  bool continues_previous(size_t block) const {
    return block > 0 && blocks_.rows[block].first_object ==
                            blocks_.rows[block - 1].first_object;
  }

  // Reads the whole chunk of a block into `chunk`. kLimitExceeded above
  // max_block_size.
  Status ReadBlockChunk(size_t block, Bytes& chunk) const;

 private:
  PackFile(std::unique_ptr<RandomAccessFile> file, const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}

  Status Load();
  Status LoadTables();
  Status LoadIndex();
  // Reads and checks a chunk that the table of contents lists.
  Result<Bytes> LoadChunk(uint32_t id) const;

  std::unique_ptr<RandomAccessFile> file_;
  ReadOptions options_;
  format::FileHeader header_;
  format::TableOfContents toc_;
  format::Trailer trailer_;
  format::BlockTable blocks_;
  RefsSnapshot refs_;
  ObjectIdTable ids_;
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> ranks_;
};

}  // namespace zpack
