// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of the repository's files (FORMAT.md, "Files"). Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/trailer.h"
#include "zpack/repository_files.h"
#include "zpack/result.h"

namespace zpack::format {

// The contents of all files, one after the other, are cut into pieces of this
// many bytes; the last piece may be shorter.
inline constexpr uint64_t kFilePieceSize = uint64_t{4} << 20;

struct FileTable {
  // True in a file with a file below. `files` are then those that are new or
  // different.
  bool backed = false;
  // Groups that are not in the file although the repository may have them.
  std::vector<FileGroup> left_out;    // ascending
  std::vector<std::string> removed;   // names, ascending; only if `backed`
  std::vector<RepositoryFile> files;  // ascending by name
  // By file: the content begins with that of the file of the same name below,
  // and RepositoryFile::size is what follows. Empty unless `backed`.
  std::vector<bool> continued;
  std::vector<uint64_t> piece_sizes;  // stored bytes of each piece
  Digest digest{};  // FilesDigest of all files; only if `backed`

  // Bytes of all contents.
  uint64_t content_size() const;
};

// The SHA-256 of what a table of these files has before the number of pieces.
Digest FilesDigest(const std::vector<FileGroup>& left_out,
                   const std::vector<RepositoryFile>& files);

void Encode(const FileTable& table, Bytes& out);

// Decodes the payload of the chunk, which is `backed`. kCorrupt unless the
// names are valid, different and in order, no name is a directory of another
// one, the contents have at most `max_content` bytes and as many pieces as they
// need, and the pieces fill `data_size` bytes.
Result<FileTable> DecodeFileTable(ByteView payload, uint64_t data_size,
                                  uint64_t max_content, bool backed = false);

}  // namespace zpack::format
