// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "base/error.h"
#include "format/copies.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

// Bytes per read.
constexpr uint64_t kCompared = uint64_t{64} << 10;

struct CopiedPart {
  uint64_t offset = 0;
  uint64_t copy = 0;
  uint64_t size = 0;
};

Result<bool> IsSame(const RandomAccessFile& file, const CopiedPart& part) {
  Bytes original;
  Bytes copy;
  for (uint64_t done = 0; done < part.size; done += original.size()) {
    original.resize(std::min(kCompared, part.size - done));
    copy.resize(original.size());
    ZPACK_TRY(file.Read(part.offset + done, original));
    ZPACK_TRY(file.Read(part.copy + done, copy));
    if (original != copy) return false;
  }
  return true;
}

}  // namespace

Status VerifyCopies(const SingleFile& file, VerifyReport& report) {
  const format::TableOfContents& toc = file.toc();
  const format::ChunkLocation* const chunk = toc.Find(format::kCopiesChunk);
  if (chunk == nullptr) return {};
  const uint64_t header_size = file.header().EncodedSize();
  const uint64_t toc_offset = file.header().table_of_contents_offset;
  const uint64_t toc_size =
      file.file().size() - format::kTrailerSize - toc_offset;
  const auto at = format::FindCopies(toc, header_size, toc_offset, toc_size);
  const auto part = [&](uint32_t id, uint64_t copy) {
    const format::ChunkLocation& original = *toc.Find(id);
    return CopiedPart{original.offset, copy, original.end() - original.offset};
  };
  bool same = at.has_value();
  if (same) {
    for (const CopiedPart& copied :
         {CopiedPart{0, at->header, header_size},
          part(format::kRefsChunk, at->refs_chunk),
          part(format::kBlockTableChunk, at->block_table_chunk),
          CopiedPart{toc_offset, at->table_of_contents_chunk, toc_size}}) {
      ZPACK_ASSIGN_OR_RETURN(const bool equal, IsSame(file.file(), copied));
      same = same && equal;
    }
  }
  if (same) return {};
  report.damages.push_back(
      NewError(ErrorCode::kCorrupt,
               "chunk '{}' does not hold what it copies, at offset {} of '{}'",
               format::ChunkName(chunk->id), AtOffset{chunk->offset},
               AtPath{file.path()}));
  return {};
}

}  // namespace zpack
