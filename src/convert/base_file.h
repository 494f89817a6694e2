// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An older archive whose blocks become the start of a new one. May be used from
// several threads at once.

#pragma once

#include <memory>
#include <semaphore>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/once_status.h"
#include "format/refs_chunk.h"
#include "inventory/older_versions.h"
#include "reader/archive_file.h"
#include "reader/block_types.h"
#include "reader/decoders.h"
#include "writer/far_bases.h"
#include "writer/reusable_blocks.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

class BaseFile final : public ReusableBlocks {
 public:
  // Errors are those of ArchiveFile::Open.
  static Result<std::unique_ptr<BaseFile>> Open(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

  // The first `count` files of the archive alone (ArchiveFile::OpenBelow).
  Result<std::unique_ptr<BaseFile>> OpenBelow(size_t count) const;

  const ArchiveFile& archive() const { return *archive_; }
  const std::string& path() const { return archive_->path(); }
  ObjectFormat object_format() const {
    return archive_->header().object_format;
  }

  // Returns objects whose entire reachable set is in the archive, given the
  // shallow boundaries of `refs`. The result may leave out some of these
  // objects, and is empty if the history in the archive cannot be walked.
  // Returns kIo if the archive cannot be read.
  //
  // With ObjectSet::kAll, objects that the archive lacks are listed whether the
  // walk finds them or not. Then only commits are read, and trees and blobs of
  // a file that lacks nothing are taken to be complete; HasAllBelow tells
  // whether those are that matter.
  Result<FileMarks> FindComplete(const RefsSnapshot& refs, ObjectSet objects,
                                 const std::stop_token& stop) const;

  // Returns whether the archive has all that the trees among `starts` reach.
  // Returns kIo if the archive cannot be read.
  Result<bool> HasAllBelow(const FileMarks& starts,
                           const std::stop_token& stop) const;

  // Returns the objects of `starts` and everything that they reach, or no
  // objects if their history cannot be walked. Returns kIo if the archive
  // cannot be read.
  Result<FileMarks> FindReached(const FileMarks& starts) const;

  // Returns the objects of `older` that can be bases of new objects, each
  // within few blocks. Leaves out what is damaged. Returns kIo if the archive
  // cannot be read, and kInterrupted.
  Result<FarVersions> FindBases(const OlderVersions& older,
                                const std::stop_token& stop) const;

  // What a file that depends on this one states of it. kInvalidArgument if it
  // cannot be named.
  Result<format::FileBelow> Describe() const;

  // The type of a block, and what it holds.
  struct BlockSummary {
    format::BlockHeader header;
    uint64_t raw_size = 0;  // bytes of object content
  };
  // Reads and decodes as little of the block as possible. Errors are those of
  // BlockDecoder::DecodeObjects.
  Result<BlockSummary> Summarize(size_t block) const;

  const FileIds& ids() const override { return archive_->ids(); }
  ObjectNumber number(FileRank rank) const override {
    return archive_->number(rank);
  }
  size_t block_count() const override {
    return archive_->blocks().block_count();
  }
  const std::vector<std::string>& features() const override {
    return archive_->blocks().features();
  }
  ByteView fingerprint() const override {
    return archive_->trailer().file_hash;
  }
  Result<ReusedBlock> Read(size_t block, const format::FileNumbers& numbers,
                           BlockEncoder& encoder) const override;

 private:
  explicit BaseFile(std::unique_ptr<ArchiveFile> archive)
      : archive_(std::move(archive)),
        decoders_(MaxDecoders(archive_->total_size())) {}

  // Marks all trees and blobs.
  Status MarkContents(const std::stop_token& stop, FileMarks& marks) const;
  // Reads `types_`, once.
  Status LoadTypes(const std::stop_token& stop) const;

  std::unique_ptr<ArchiveFile> archive_;
  mutable OnceStatus load_types_;
  mutable BlockTypes types_;
  // Limits the number of threads that decode blocks at the same time.
  mutable std::counting_semaphore<> decoders_;
};

}  // namespace zpack
