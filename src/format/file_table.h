// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of the repository's files (FORMAT.md, "Files"). Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "zpack/repository_files.h"
#include "zpack/result.h"

namespace zpack::format {

// The contents of all files, one after the other, are cut into pieces of this
// many bytes; the last piece may be shorter.
inline constexpr uint64_t kFilePieceSize = uint64_t{4} << 20;

struct FileTable {
  // Groups that are not in the file although the repository may have them.
  std::vector<FileGroup> left_out;    // ascending
  std::vector<RepositoryFile> files;  // ascending by name
  std::vector<uint64_t> piece_sizes;  // stored bytes of each piece

  // Bytes of all contents.
  uint64_t content_size() const;
};

void Encode(const FileTable& table, Bytes& out);

// Decodes the payload of the chunk. kCorrupt unless the names are valid,
// different and in order, no name is a directory of another one, the contents
// have at most `max_content` bytes and as
// many pieces as they need, and the pieces fill `data_size` bytes.
Result<FileTable> DecodeFileTable(ByteView payload, uint64_t data_size,
                                  uint64_t max_content);

}  // namespace zpack::format
