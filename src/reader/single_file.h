// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One .zpack file by itself, without the file that it may depend on: its chunks
// and its checked structure. Immutable. Any number of threads may use it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/object_index.h"
#include "reader/chunk_reader.h"
#include "reader/file_blocks.h"
#include "reader/file_structure.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

class SingleFile {
 public:
  // Errors are those of ArchiveFile::Open.
  static Result<std::unique_ptr<SingleFile>> Open(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

  const std::string& path() const { return file_->path(); }
  const RandomAccessFile& file() const { return *file_; }
  const FileStructure& structure() const { return structure_; }
  const format::FileHeader& header() const { return structure_.header; }
  const format::TableOfContents& toc() const { return structure_.toc; }
  const format::Trailer& trailer() const { return structure_.trailer; }
  const std::vector<Error>& damages() const { return structure_.damages; }
  // The file that this one depends on; null for most files.
  const format::FileBelow* below() const {
    return structure_.backed ? &structure_.backed->below : nullptr;
  }
  // The numbers of its objects: [first_object, object_end).
  uint32_t first_object() const { return structure_.first_object(); }
  uint32_t object_end() const { return first_object() + header().object_count; }

  format::FanOut fan_out() const {
    return below() == nullptr ? format::FanOut::kAlways
                              : format::FanOut::kIfMany;
  }
  // Nothing if the ids are derived.
  const std::optional<format::IndexChunks>& index_chunks() const {
    return index_chunks_;
  }
  // The digest of all ids in the order of their numbers, which stands in the
  // place of the index of some files. Nothing if it is damaged: only who needs
  // ids needs it.
  const std::optional<format::Digest>& ids_digest() const {
    return ids_digest_;
  }
  // The same, or what is wrong with it. REQUIRES: !index_chunks().
  Result<format::Digest> ReadIdsDigest() const;
  // Reads and checks the index. The numbers begin with 0. REQUIRES:
  // index_chunks().
  Result<FileIndex> ReadIndexChunks() const;

  // Returns kLimitExceeded if the chunk exceeds ReadOptions::max_chunk_size.
  Status CheckChunkSize(const format::ChunkLocation& chunk) const;
  // Reads and checks a chunk listed in the table of contents.
  Result<LoadedChunk> LoadChunk(const format::ChunkLocation& chunk) const;
  // Checks the checksum of a chunk without keeping the chunk in memory.
  Status CheckChunk(const format::ChunkLocation& chunk) const;

 private:
  Status CheckChunkInPieces(const format::ChunkLocation& chunk) const;
  SingleFile(std::unique_ptr<RandomAccessFile> file, const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}

  Status Load();
  // The lists of promised objects, of ids and of a file below are there if the
  // header says so.
  Status CheckFeatures() const;

  std::unique_ptr<RandomAccessFile> file_;
  ReadOptions options_;
  FileStructure structure_;
  std::optional<format::IndexChunks> index_chunks_;
  std::optional<format::Digest> ids_digest_;
};

}  // namespace zpack
