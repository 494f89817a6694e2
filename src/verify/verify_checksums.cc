// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

// Bytes per read.
constexpr uint64_t kPiece = uint64_t{1} << 20;

// A chunk that has a checksum of its own.
struct FileChunk {
  uint32_t id = format::kBlockChunk;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::optional<size_t> block = std::nullopt;  // its number
};

// All chunks between the header and the table of contents, in the order of the
// file, except for blocks that are left out. Chunks of unknown kinds are
// checked as well.
std::vector<FileChunk> ListChunks(const SingleFile& file, size_t first_block,
                                  const std::vector<bool>& left_out) {
  std::vector<FileChunk> chunks;
  const auto& rows = file.toc().chunks;
  const auto add = [&](const format::ChunkLocation& row) {
    chunks.push_back({row.id, row.offset, row.end()});
  };
  add(rows.front());
  const format::BlockTable& table = file.structure().blocks;
  for (size_t i = 0; i < table.block_count(); ++i) {
    const size_t block = first_block + i;
    if (block < left_out.size() && left_out[block]) continue;
    chunks.push_back({.begin = table.rows[i].offset,
                      .end = table.rows[i + 1].offset,
                      .block = block});
  }
  std::for_each(rows.begin() + 1, rows.end(), add);
  return chunks;
}

// A part of a chunk in the pipeline. Pieces never split the checksum at the end
// of a chunk.
struct Piece {
  size_t chunk = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  Bytes bytes;
  Status read;
};

// What hashes the file while it is read.
struct FileHashers {
  Hasher& file_hash;
  Hasher* whole_file;  // may be null

  void Update(ByteView bytes) const {
    file_hash.Update(bytes);
    if (whole_file != nullptr) whole_file->Update(bytes);
  }
};

// Reads all chunks once, and computes their checksums and the hash of the file.
class ChunkPass {
 public:
  ChunkPass(const FileBlocks& blocks, const SingleFile& file,
            std::vector<FileChunk> chunks, const ProgressPhase& phase,
            FileHashers hashers, VerifyReport& report)
      : blocks_(blocks),
        file_(file),
        phase_(phase),
        hashers_(hashers),
        report_(report),
        chunks_(std::move(chunks)) {}

  bool Next(Piece& piece) {
    if (next_ == chunks_.size()) return false;
    const FileChunk& chunk = chunks_[next_];
    piece.chunk = next_;
    piece.begin = std::max(next_begin_, chunk.begin);
    piece.end = chunk.end - piece.begin < kPiece + format::kChecksumSize
                    ? chunk.end
                    : piece.begin + kPiece;
    next_begin_ = piece.end;
    if (piece.end == chunk.end) ++next_;
    return true;
  }

  void Read(Piece& piece) const {
    piece.bytes.resize(piece.end - piece.begin);
    piece.read = file_.file().Read(piece.begin, piece.bytes);
  }

  // REQUIRES: pieces come in the order of the file.
  Status Check(const Piece& piece) {
    const FileChunk& chunk = chunks_[piece.chunk];
    if (piece.begin == chunk.begin) {
      checksum_.emplace();
      status_ = {};
    }
    if (!piece.read) {
      if (!chunk.block) return piece.read;
      if (unread_) unread_ = piece.read;
    }
    hashers_.Update(piece.bytes);
    if (status_) status_ = CheckPiece(piece, chunk);
    const bool last = piece.end == chunk.end;
    if (last && !status_) Report(chunk);
    phase_.Advance(last && chunk.block ? 1 : 0, piece.bytes.size());
    return {};
  }

  // The first error of reading a block. After such an error, there is no file
  // hash.
  const Status& unread() const { return unread_; }

 private:
  Status CheckPiece(const Piece& piece, const FileChunk& chunk) {
    ZPACK_TRY(piece.read);
    ByteView bytes = piece.bytes;
    if (piece.begin == chunk.begin) {
      // Nobody could read what it holds.
      if (chunk.block) ZPACK_TRY(blocks_.CheckBlockSize(*chunk.block));
      ZPACK_TRY(
          format::CheckChunkHeader(chunk.id, chunk.end - chunk.begin, bytes));
    }
    if (piece.end < chunk.end) {
      checksum_->Update(bytes);
      return {};
    }
    checksum_->Update(bytes.first(bytes.size() - format::kChecksumSize));
    return format::CheckChunkChecksum(
        chunk.id, bytes.last(format::kChecksumSize), checksum_->Value());
  }

  void Report(const FileChunk& chunk) {
    // Damage found while the file was opened is in the report already.
    if (std::ranges::any_of(file_.damages(), [&](const Error& known) {
          return known.offset == chunk.begin;
        })) {
      return;
    }
    const Error& error = status_.error();
    const std::string where =
        chunk.block
            ? FormatMessage(" in block {}",
                            *chunk.block - blocks_.first_in_file(*chunk.block))
            : "";
    report_.damages.push_back(Extend(error, "{} at offset {} of '{}'",
                                     MessageText{where}, AtOffset{chunk.begin},
                                     AtPath{file_.path()}));
  }

  const FileBlocks& blocks_;
  const SingleFile& file_;
  const ProgressPhase& phase_;
  FileHashers hashers_;
  VerifyReport& report_;
  std::vector<FileChunk> chunks_;
  size_t next_ = 0;
  uint64_t next_begin_ = 0;
  // State of the chunk being checked.
  std::optional<ChecksumHasher> checksum_;
  Status status_;
  Status unread_;
};

uint64_t TrailerOffset(const SingleFile& file) {
  return file.file().size() - format::kTrailerSize;
}

// True if the trailer itself is in the report: what it says means nothing then.
bool IsTrailerDamaged(const SingleFile& file) {
  return std::ranges::any_of(file.damages(), [&](const Error& known) {
    return known.offset == TrailerOffset(file);
  });
}

Status HashHeader(const SingleFile& file, Hasher& hasher) {
  Bytes bytes(file.header().EncodedSize());
  ZPACK_TRY(file.file().Read(0, bytes));
  hasher.Update(bytes);
  return {};
}

// Feeds the table of contents and the trailer to the hashers. The hash of the
// file does not cover itself.
Status HashEnd(const SingleFile& file, const ProgressPhase& phase,
               const FileHashers& hashers) {
  const uint64_t size = file.file().size();
  const uint64_t hash_begin = size - format::kDigestSize;
  const uint64_t begin = file.header().table_of_contents_offset;
  Bytes bytes(size - begin);
  ZPACK_TRY(file.file().Read(begin, bytes));
  const ByteView covered = ByteView(bytes).first(hash_begin - begin);
  hashers.Update(covered);
  if (hashers.whole_file != nullptr) {
    hashers.whole_file->Update(ByteView(bytes).last(format::kDigestSize));
  }
  phase.Advance(0, covered.size());
  return {};
}

// Hashes what is left of the file, and compares the hash of the file. `unread`
// is the first error of reading a block.
Status CheckFileHash(const SingleFile& file, const Status& unread,
                     const ProgressPhase& phase, const FileHashers& hashers,
                     VerifyReport& report) {
  // The header is hashed last, because its offsets are known only at the end.
  Status hashed = unread;
  if (hashed) hashed = HashEnd(file, phase, hashers);
  if (hashed) hashed = HashHeader(file, hashers.file_hash);
  if (hashed) phase.Advance(0, file.header().EncodedSize());
  if (!hashed && hashed.error().code == ErrorCode::kIo) {
    // A read error must not hide damage elsewhere.
    report.damages.push_back(hashed.error());
    return {};
  }
  ZPACK_TRY(hashed);
  format::Digest hash;
  hashers.file_hash.Finish(hash);
  if (hash != file.trailer().file_hash && !IsTrailerDamaged(file)) {
    report.damages.push_back(NewError(
        ErrorCode::kCorrupt, "bad file hash in trailer at offset {} of '{}'",
        AtOffset{TrailerOffset(file)}, AtPath{file.path()}));
  }
  return {};
}

uint64_t BytesOf(const std::vector<FileChunk>& chunks) {
  uint64_t bytes = 0;
  for (const FileChunk& chunk : chunks) bytes += chunk.end - chunk.begin;
  return bytes;
}

uint64_t CountBlocks(const std::vector<FileChunk>& chunks) {
  return static_cast<uint64_t>(std::ranges::count_if(
      chunks, [](const FileChunk& chunk) { return chunk.block.has_value(); }));
}

// Checks everything but the objects in one of the files.
class FileChecksums {
 public:
  FileChecksums(const FileBlocks& blocks, const SingleFile& file,
                size_t first_block, const std::vector<bool>& left_out)
      : blocks_(blocks),
        file_(file),
        chunks_(ListChunks(file, first_block, left_out)),
        all_(CountBlocks(chunks_) == file.structure().blocks.block_count()) {}

  uint64_t bytes() const {
    return all_ ? file_.file().size() - format::kDigestSize : BytesOf(chunks_);
  }
  uint64_t block_count() const { return CountBlocks(chunks_); }

  // REQUIRES: this is the only call. `whole_file` may be null.
  Status Verify(const RunOptions& run, const ProgressPhase& phase,
                VerifyReport& report, Hasher* whole_file) {
    for (const format::ChunkLocation& chunk : file_.toc().chunks) {
      ZPACK_TRY(file_.CheckChunkSize(chunk));
    }
    if (all_) file_.file().Prefetch(0, file_.file().size());
    const size_t before = report.damages.size();
    Hasher hasher(HashAlgorithm::kSha256);
    const FileHashers hashers{hasher, whole_file};
    if (whole_file != nullptr) ZPACK_TRY(HashHeader(file_, *whole_file));
    ChunkPass pass(blocks_, file_, std::move(chunks_), phase, hashers, report);
    struct NoState {};
    const Status checked = RunOrderedPipeline<Piece>(
        PipelineThreads{ResolveThreads(run.threads), run.stop},
        [] { return NoState{}; },
        [&](Piece& piece) -> Result<bool> { return pass.Next(piece); },
        [&](Piece& piece, NoState&) -> Status {
          pass.Read(piece);
          return {};
        },
        [&](const Piece& piece) { return pass.Check(piece); });
    ZPACK_TRY(checked);

    // A copy of a damaged part may well differ.
    if (report.damages.size() == before && file_.damages().empty()) {
      ZPACK_TRY(VerifyCopies(file_, report));
    }
    if (all_)
      return CheckFileHash(file_, pass.unread(), phase, hashers, report);
    if (!pass.unread()) report.damages.push_back(pass.unread().error());
    return {};
  }

 private:
  const FileBlocks& blocks_;
  const SingleFile& file_;
  std::vector<FileChunk> chunks_;
  bool all_;  // no block is left out
};

// `ids` are those of the file and of the files below it.
void CheckContentDigest(const SingleFile& file, const FileIds& ids,
                        VerifyReport& report) {
  if (IsTrailerDamaged(file) ||
      format::ContentDigest(ids) == file.trailer().content_digest) {
    return;
  }
  report.damages.push_back(NewError(
      ErrorCode::kCorrupt, "bad content digest in trailer at offset {} of '{}'",
      AtOffset{TrailerOffset(file)}, AtPath{file.path()}));
}

// Checks the refs of each file, and that each file below is the one that the
// file above it was written for. If its hash is, and was checked, it is the
// same file; else it must have the same objects under the same numbers.
Status CheckBelow(const ArchiveFile& archive, VerifyReport& report) {
  const FileChain files = archive.files();
  RefsSnapshot refs = files.front()->structure().refs;
  for (size_t i = 1; i < files.size(); ++i) {
    const format::BackedRefs& changes = *files[i]->structure().backed;
    ZPACK_TRY(format::Apply(changes, refs));
    if (const Status applied = format::CheckApplied(changes, refs); !applied) {
      report.damages.push_back(
          Extend(applied.error(), " at offset {} of '{}'",
                 AtOffset{files[i]->toc().Find(format::kRefsChunk)->offset},
                 AtPath{files[i]->path()}));
    }
    const format::FileBelow& stated = changes.below;
    if (files[i - 1]->trailer().file_hash == stated.file_hash) continue;
    ZPACK_ASSIGN_OR_RETURN(const format::Digest digest,
                           JoinedIdsDigest(files.first(i), archive.options()));
    if (digest == stated.ids_digest) continue;
    report.damages.push_back(
        NewError(ErrorCode::kCorrupt,
                 "'{}' has other objects than '{}' needs, at offset {} of '{}'",
                 AtPath{files[i - 1]->path()}, files[i]->path(),
                 AtOffset{files[i]->toc().Find(format::kRefsChunk)->offset},
                 files[i]->path()));
  }
  return {};
}

}  // namespace

void CheckContentDigest(const ArchiveFile& archive, VerifyReport& report) {
  CheckContentDigest(archive.top(), archive.ids(), report);
}

Status VerifySingleFile(const std::shared_ptr<const SingleFile>& file,
                        const RunOptions& run, VerifyReport& report) {
  report.damages = file->damages();
  const FileBlocks blocks(file->file(), ReadOptions{}, JoinBlocks({&file, 1}),
                          FileBlocks::IndexReader());
  FileChecksums checksums(blocks, *file, 0, {});
  const ProgressPhase phase(run.progress, Phase::kCheckingChecksums,
                            checksums.block_count(), checksums.bytes());
  ZPACK_TRY(checksums.Verify(run, phase, report, nullptr));
  if (!report.ok() || !file->index_chunks()) return {};
  ZPACK_ASSIGN_OR_RETURN(const FileIndex index, file->ReadIndexChunks());
  if (file->below() == nullptr) CheckContentDigest(*file, index.ids, report);
  return {};
}

Status VerifyChecksums(const ArchiveFile& archive, const ChecksumScope& scope,
                       const RunOptions& run, VerifyReport& report,
                       Hasher* whole_file) {
  std::vector<FileChecksums> files;
  size_t first_block = 0;
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  for (const auto& file : archive.files()) {
    if (!scope.own || file.get() == &archive.top()) {
      files.emplace_back(archive.blocks(), *file, first_block, scope.left_out);
      blocks += files.back().block_count();
      bytes += files.back().bytes();
    }
    first_block += file->structure().blocks.block_count();
  }
  const ProgressPhase phase(run.progress, Phase::kCheckingChecksums, blocks,
                            bytes);
  for (FileChecksums& file : files) {
    const bool is_top = &file == &files.back();
    ZPACK_TRY(file.Verify(run, phase, report, is_top ? whole_file : nullptr));
  }
  // Derived ids may not be known yet.
  if (archive.derives_ids()) return {};
  CheckContentDigest(archive, report);
  return CheckBelow(archive, report);
}

}  // namespace zpack
