// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An open .zpack file together with the files that it depends on, if there are
// any: one archive with the objects of all. Immutable once open, except for the
// index and the lists of promised and lost objects, which may be loaded later.
// Any number of threads may use it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/index_spaces.h"
#include "format/chunk.h"
#include "format/file_header.h"
#include "object/lost_objects.h"
#include "object/object_id_table.h"
#include "object/promises.h"
#include "reader/derived_index.h"
#include "reader/file_blocks.h"
#include "reader/joined_index.h"
#include "reader/single_file.h"
#include "reader/stated_size.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

class ArchiveFile {
 public:
  // Opens `file`, and the files that it depends on (OpenChain), and checks
  // everything that VerifyLevel::kStructure checks. Errors name the file and
  // the offset. Returns kIo if reading fails,
  // kUnsupported if the file has another format or a newer version, kCorrupt if
  // it is damaged, and kLimitExceeded if it exceeds the limits of `options`.
  static Result<std::unique_ptr<ArchiveFile>> Open(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

  // Like Open, but does not compute the ids of a file that leaves them out.
  static Result<std::unique_ptr<ArchiveFile>> OpenStructure(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

  // Like Open, but neither reads nor checks the index. `mend` is that of
  // OpenChain.
  static Result<std::unique_ptr<ArchiveFile>> OpenWithoutIndex(
      std::unique_ptr<RandomAccessFile> file, const ReadOptions& options,
      const FileMender& mend = {});

  // The archive of the first `count` files alone, which are not opened again.
  // REQUIRES: 0 < count < files().size(), and LoadIndex() has succeeded.
  Result<std::unique_ptr<ArchiveFile>> OpenBelow(size_t count) const;

  // The files of which the archive consists, the first one first. The last one
  // is the file that was opened; all below is about it alone, except where
  // something else is said.
  FileChain files() const { return files_; }
  const SingleFile& top() const { return *files_.back(); }

  const std::string& path() const { return top().path(); }
  const RandomAccessFile& file() const { return top().file(); }
  const ReadOptions& options() const { return options_; }
  const format::FileHeader& header() const { return top().header(); }
  const format::TableOfContents& toc() const { return top().toc(); }
  const format::Trailer& trailer() const { return top().trailer(); }
  // The blocks of all files.
  const FileBlocks& blocks() const { return *blocks_; }
  // All refs, also those that only a file below lists.
  const RefsSnapshot& refs() const {
    return joined_refs_ ? *joined_refs_ : top().structure().refs;
  }
  // Damage of any of the files that does not keep the archive from being read
  // (FileStructure).
  const std::vector<Error>& damages() const { return damages_; }
  // Returns the first of damages(), for callers that would lose data by going
  // on with a copy.
  Status CheckUndamaged() const;
  // True if the ids of some of the files are derived.
  bool derives_ids() const;
  // The objects of all files, and the first number that is of the last file.
  uint32_t object_count() const { return top().object_end(); }
  // The empty tree, which Git knows without storing it. It has this number
  // where the archive has no other for it.
  const ObjectId& empty_tree_id() const { return empty_tree_id_; }
  ObjectNumber empty_tree() const { return ObjectNumber(object_count()); }
  ObjectNumber first_own_object() const {
    return ObjectNumber(top().first_object());
  }
  // The block with which the last file begins, or the number of blocks.
  size_t first_own_block() const;
  // Bytes of all files.
  uint64_t total_size() const;

  // Reads and checks the whole index and the list of promised objects, and
  // reads the list of lost objects. Derives ids that the file leaves out. Later
  // calls return the result of the first one. Open calls LoadIndex.
  Status LoadIndex() const { return blocks_->LoadIndex(); }
  // LoadIndex, except that no ids are derived: then, checks the list of
  // promised objects alone.
  Status LoadStatedIndex() const;
  bool index_loaded() const { return blocks_->index_loaded(); }
  // Gives the index of a file that leaves its ids out, in place of deriving it.
  // kMismatch unless it fits the file's digest of all ids. REQUIRES: the index
  // is not loaded, and no other thread uses the file yet.
  Status SetIndex(FileIndex index);
  // What LoadIndex found when it derived the ids; nothing if it did not.
  const std::optional<Derivation>& derivation() const { return derivation_; }

  // REQUIRES for ids, number and rank: LoadIndex() has succeeded.
  const FileIds& ids() const { return blocks_->ids(); }
  // The object number of a rank, and the rank of an object number.
  ObjectNumber number(FileRank rank) const { return blocks_->number(rank); }
  FileRank rank(ObjectNumber number) const { return blocks_->rank(number); }

  // True if the file is of a partial clone and lacks objects.
  bool has_promises() const {
    return toc().Find(format::kPromisesChunk) != nullptr;
  }
  // The promised objects, none of which is in the file. REQUIRES: LoadIndex()
  // has succeeded.
  const Promises& promises() const { return promises_; }

  // True if the file lists objects that its source had lost.
  bool has_lost() const { return toc().Find(format::kLostChunk) != nullptr; }
  // The lost objects, none of which is in the file; none without a list. The
  // list is optional, so it does not keep the file from being read:
  // kCorrupt, kLimitExceeded or kIo if the list cannot be used. REQUIRES:
  // LoadIndex() has succeeded.
  const Result<LostObjects>& lost() const { return lost_; }
  // Why an object is not in the file, for a message: "missing", "promised, not
  // in the file" or "lost". REQUIRES: LoadIndex() has succeeded.
  std::string_view WhyAbsent(const ObjectId& id) const;
  // kNotFound with that reason. REQUIRES: as for WhyAbsent.
  std::unexpected<Error> Absent(const ObjectId& id) const;

 private:
  explicit ArchiveFile(const ReadOptions& options) : options_(options) {}

  Status Load(std::unique_ptr<RandomAccessFile> file, const FileMender& mend);
  // REQUIRES: `files_` is set.
  Status Join();
  Status JoinRefs();
  Result<FileIndex> ReadIndex() const;
  // `ids` are those of the file.
  Result<Promises> ReadPromises(const ObjectIdTable& ids) const;
  Result<LostObjects> ReadLost(const ObjectIdTable& ids) const;

  ReadOptions options_;
  OpenFiles files_;
  ObjectId empty_tree_id_;
  std::optional<RefsSnapshot> joined_refs_;  // of a chain
  std::vector<Error> damages_;
  std::optional<FileBlocks> blocks_;  // set once the file is open
  // Written once, with the index.
  mutable std::optional<FileIndex> given_index_;  // until it is loaded
  mutable std::optional<Derivation> derivation_;
  mutable Promises promises_;
  Status promises_read_;  // before ids are derived
  mutable Result<LostObjects> lost_;
};

}  // namespace zpack
