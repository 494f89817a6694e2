// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of the repository from an archive.

#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/visitor.h"
#include "codec/zstd_codec.h"
#include "format/file_table.h"
#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

// The files of a repository, and where their contents are.
struct RepositoryFiles {
  // A chunk FDAT.
  struct Source {
    const RandomAccessFile* file = nullptr;
    uint64_t data_offset = 0;  // of the chunk
    uint64_t content_size = 0;
    std::vector<uint64_t> piece_offsets;  // in `file`, with the end
  };
  struct Part {
    size_t source = 0;
    uint64_t offset = 0;  // in the contents of the source
    uint64_t size = 0;
  };

  std::vector<FileGroup> left_out;       // as FileTable::left_out
  std::vector<RepositoryFile> files;     // ascending by name
  std::vector<std::vector<Part>> parts;  // by file
  std::vector<Source> sources;

  // Bytes of all contents.
  uint64_t content_size() const;
};

// The files that `archive` has. None if it makes no statement about files.
// Errors name file and offset: kCorrupt, kLimitExceeded, kIo.
Result<RepositoryFiles> ReadFileTable(const ArchiveFile& archive);
// True if the changes of the table of `file` belong to the files that the chain
// `below` has. Errors are those of ReadFileTable for `below`.
Result<bool> TablesFit(FileChain below, const SingleFile& file);
// The files of one table, which is not backed, whose contents are a chunk at
// `data_offset` of `file`.
RepositoryFiles FilesOf(const RandomAccessFile& file,
                        const format::FileTable& table, uint64_t data_offset);

// Reads contents. Thread-compatible.
class RepositoryFileReader {
 public:
  // `table` and its files must outlive the reader.
  explicit RepositoryFileReader(const RepositoryFiles& table) : table_(table) {}

  const RepositoryFiles& table() const { return table_; }

  // Passes the content of table().files[index] to `piece`. Its hash is known
  // only at the end, so the caller must not rely on the pieces before Read has
  // returned success. Reading the files in order decodes each piece once.
  //
  // Errors: kCorrupt names file and offset; kIo; those of `piece`.
  // Visit::kStop ends the call.
  Status Read(size_t index, const Visitor<ByteView>& piece);

  // Returns the bytes of a file from `offset` on that lie in one piece; none at
  // its end. Valid until the next call. Does not check the hash.
  Result<ByteView> ReadSome(size_t index, uint64_t offset);
  // kCorrupt unless `hash` is that of a file.
  Status CheckHash(size_t index, ByteView hash) const;

 private:
  Status LoadPiece(size_t source, uint64_t number);

  const RepositoryFiles& table_;
  ZstdDecompressor decompressor_;
  // Source and number of the piece in content_.
  std::optional<std::pair<size_t, uint64_t>> loaded_;
  Bytes stored_;
  Bytes content_;
};

}  // namespace zpack
