// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a file that lead to all others: header, trailer, table of
// contents, refs, block table. The file has a copy of each of them but the
// trailer (FORMAT.md, "Copies"): where one is damaged, its copy is used.

#pragma once

#include <optional>
#include <vector>

#include "base/file.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "format/refs_chunk.h"
#include "format/trailer.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

struct FileStructure {
  // Number of the first object that the file may hold.
  uint32_t first_object() const {
    return backed ? backed->below.object_count : 0;
  }

  format::FileHeader header;
  format::TableOfContents toc;
  format::Trailer trailer;  // zeros if it is damaged
  // In a file with the feature `backing`, `backed` in the place of `refs`.
  RefsSnapshot refs;
  std::optional<format::BackedRefs> backed;
  format::BlockTable blocks;
  // One error for each part that is damaged, and in whose place a copy is used.
  // The trailer and the digest of ids need no copy to open the file, because
  // only checks need them.
  std::vector<Error> damages;
};

// True for errors that a copy can make good: not for those of a connection.
bool IsDamage(const RandomAccessFile& file, const Error& error);

// Reads and checks the structure of `file`. Tells
// ReadOptions::damages of each of the damages. Errors are those of
// ArchiveFile::Open; they are about the original of a part whose copy is
// damaged as well.
Result<FileStructure> ReadStructure(const RandomAccessFile& file,
                                    const ReadOptions& options);

// The header of `file` or, if it is damaged, its copy. Nothing if both are
// damaged, or if damage hides the copy. Errors: kIo.
Result<std::optional<format::FileHeader>> FindHeader(
    const RandomAccessFile& file, const ReadOptions& options);

// Reads only the header and the refs, which are at the start of the file; if
// one of them is damaged, the whole structure. Only `header` and the two fields
// for refs are set.
Result<FileStructure> ReadRefsOnly(const RandomAccessFile& file,
                                   const ReadOptions& options);

}  // namespace zpack
