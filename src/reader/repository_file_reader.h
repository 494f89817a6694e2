// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the files of the repository from an archive.

#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/visitor.h"
#include "codec/zstd_codec.h"
#include "format/file_table.h"
#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

// The table of the files; an empty one if the archive has none. kCorrupt if it
// is damaged; kLimitExceeded.
Result<format::FileTable> ReadFileTable(const ArchiveFile& archive);

// Thread-compatible. Holds one piece at a time.
class RepositoryFileReader {
 public:
  // REQUIRES: `table` is that of `archive`. Both must outlive the reader.
  RepositoryFileReader(const ArchiveFile& archive,
                       const format::FileTable& table);
  // The same without an archive: the contents are a chunk at `data_offset` of
  // `file`.
  RepositoryFileReader(const RandomAccessFile& file,
                       const format::FileTable& table, uint64_t data_offset);

  const format::FileTable& table() const { return table_; }

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
  Status LoadPiece(uint64_t number);

  const RandomAccessFile& file_;
  uint64_t data_offset_;
  const format::FileTable& table_;
  uint64_t content_size_;
  std::vector<uint64_t> file_offsets_;   // in the contents
  std::vector<uint64_t> piece_offsets_;  // in the archive
  ZstdDecompressor decompressor_;
  std::optional<uint64_t> loaded_;  // number of the piece in content_
  Bytes stored_;
  Bytes content_;
};

}  // namespace zpack
