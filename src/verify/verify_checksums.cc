// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "base/progress_phase.h"
#include "verify/verify_pack.h"

namespace zpack {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 20;

// Feeds [begin, end) of the file to `hasher`.
Status HashRange(const PackFile& pack, uint64_t begin, uint64_t end,
                 const RunOptions& run, const ProgressPhase& phase,
                 Hasher& hasher) {
  Bytes piece;
  while (begin < end) {
    ZPACK_TRY(CheckStop(run.stop));
    piece.resize(std::min(kPiece, end - begin));
    ZPACK_TRY(pack.file().Read(begin, piece));
    hasher.Update(piece);
    begin += piece.size();
    phase.Advance(0, piece.size());
  }
  return {};
}

// Every chunk is read for its checksum, and the file once more for its hash.
uint64_t BytesToRead(const PackFile& pack) {
  uint64_t bytes = pack.blocks_stored_size();
  for (const format::ChunkLocation& row : pack.toc().chunks) {
    bytes += row.end() - row.offset;
  }
  return bytes + pack.file().size() - format::kDigestSize;
}

}  // namespace

Status VerifyChecksums(const PackFile& pack, const RunOptions& run,
                       VerifyReport& report) {
  const size_t block_count = pack.blocks().block_count();
  const ProgressPhase phase(run.progress, "Checking checksums", block_count,
                            BytesToRead(pack));
  Bytes chunk;
  for (size_t block = 0; block < block_count; ++block) {
    ZPACK_TRY(CheckStop(run.stop));
    const uint64_t offset = pack.block_offset(block);
    Status status = pack.ReadBlockChunk(block, chunk);
    if (status) {
      const auto payload = format::DecodeChunk(format::kBlockChunk, chunk);
      if (!payload) status = std::unexpected(payload.error());
    }
    if (!status) {
      report.damages.push_back(
          {fmt::format("{} in block {} at offset {} of '{}'",
                       status.error().message, block, offset, pack.path()),
           {},
           offset,
           status.error().code});
    }
    phase.Advance(1, chunk.size());
  }
  // Chunks that this version does not know are checked like any other.
  for (const format::ChunkLocation& row : pack.toc().chunks) {
    const uint64_t size = row.end() - row.offset;
    if (size > pack.options().max_chunk_size) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "chunk '{}' of {} bytes is above the limit of {} at "
                       "offset {} of '{}'",
                       format::ChunkName(row.id), size,
                       pack.options().max_chunk_size, row.offset, pack.path());
    }
    chunk.resize(size);
    ZPACK_TRY(pack.file().Read(row.offset, chunk));
    phase.Advance(0, size);
    if (const auto payload = format::DecodeChunk(row.id, chunk); !payload) {
      report.damages.push_back(
          {fmt::format("{} at offset {} of '{}'", payload.error().message,
                       row.offset, pack.path()),
           {},
           row.offset});
    }
  }

  const uint64_t trailer_offset = pack.file().size() - format::kTrailerSize;
  if (format::ContentDigest(pack.ids()) != pack.trailer().content_digest) {
    report.damages.push_back(
        {fmt::format("bad content digest in trailer at offset {} of '{}'",
                     trailer_offset, pack.path()),
         {},
         trailer_offset});
  }
  Hasher hasher(HashAlgorithm::kSha256);
  const uint64_t header_size = pack.header().EncodedSize();
  Status hashed =
      HashRange(pack, header_size, pack.file().size() - format::kDigestSize,
                run, phase, hasher);
  if (hashed) hashed = HashRange(pack, 0, header_size, run, phase, hasher);
  if (!hashed && hashed.error().code == ErrorCode::kIo) {
    // A bad sector must not hide what else is damaged.
    report.damages.push_back(
        {hashed.error().message, {}, header_size, ErrorCode::kIo});
    return {};
  }
  ZPACK_TRY(hashed);
  format::Digest hash;
  hasher.Finish(hash);
  if (hash != pack.trailer().file_hash) {
    report.damages.push_back(
        {fmt::format("bad file hash in trailer at offset {} of '{}'",
                     trailer_offset, pack.path()),
         {},
         trailer_offset});
  }
  return {};
}

}  // namespace zpack
