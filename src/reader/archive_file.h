// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An open .zpack file: its structure, checked, and its chunks. Immutable once
// open, but for the index, which can be loaded later; any number of threads may
// use it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/index_spaces.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/object_index.h"
#include "format/trailer.h"
#include "object/object_id_table.h"
#include "reader/file_blocks.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// A whole chunk, where it is in the file, and the payload in it.
struct LoadedChunk {
  LoadedChunk() = default;
  // A copy would not have its own payload.
  LoadedChunk(LoadedChunk&&) = default;
  LoadedChunk& operator=(LoadedChunk&&) = default;

  uint64_t offset = 0;
  Bytes bytes;
  ByteView payload;
};

class ArchiveFile {
 public:
  // Opens `file` and checks everything VerifyLevel::kStructure stands for.
  // Errors name the file and the offset: kIo, kUnsupported for another kind of
  // file or a newer one, kCorrupt, kLimitExceeded.
  static Result<std::unique_ptr<ArchiveFile>> Open(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

  // The same, but neither reads nor checks the index.
  static Result<std::unique_ptr<ArchiveFile>> OpenWithoutIndex(
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
  const FileBlocks& blocks() const { return *blocks_; }
  const RefsSnapshot& refs() const { return refs_; }
  const format::IndexChunks& index_chunks() const { return index_chunks_; }
  uint32_t object_count() const { return header_.object_count; }

  // Reads and checks the whole index, the first time; a failure stays. Open has
  // done it.
  Status LoadIndex() const { return blocks_->LoadIndex(); }
  bool index_loaded() const { return blocks_->index_loaded(); }

  // REQUIRES, for these three: LoadIndex() has succeeded.
  const FileIds& ids() const { return blocks_->ids(); }
  // The object number of each rank, and the rank of each number.
  ObjectNumber number(FileRank rank) const { return blocks_->number(rank); }
  FileRank rank(ObjectNumber number) const { return blocks_->rank(number); }

  // kLimitExceeded for a chunk above max_chunk_size.
  Status CheckChunkSize(const format::ChunkLocation& chunk) const;

  // Checks the checksum of a chunk, without keeping it in memory.
  Status CheckChunk(const format::ChunkLocation& chunk) const;

 private:
  ArchiveFile(std::unique_ptr<RandomAccessFile> file,
              const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}

  Status Load();
  Status LoadTables();
  // The three parts of it, in the order of the file.
  Status LoadRefs();
  Status CheckCover() const;
  Status LoadBlockTable();
  Result<FileIndex> ReadIndex() const;
  // Reads and checks a chunk that the table of contents lists.
  Result<LoadedChunk> LoadChunk(const format::ChunkLocation& chunk) const;
  Result<LoadedChunk> LoadChunk(uint32_t id) const;

  std::unique_ptr<RandomAccessFile> file_;
  ReadOptions options_;
  format::FileHeader header_;
  format::TableOfContents toc_;
  format::Trailer trailer_;
  RefsSnapshot refs_;
  format::IndexChunks index_chunks_;
  std::optional<FileBlocks> blocks_;  // once it is open
};

}  // namespace zpack
