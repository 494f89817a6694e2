// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a version 2 pack, its version 2 index and its reverse index, as
// gitformat-pack(5) describes them. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/index_spaces.h"
#include "base/shared_mode.h"
#include "codec/deflate.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// What the zlib stream of an entry stands for.
struct PackEntry {
  ObjectType type = ObjectType::kBlob;
  uint64_t raw_size = 0;  // of the object, or of the delta
  // Where the entry begins that it is a delta against; 0 for a whole object.
  uint64_t base_offset = 0;
};

// Appends the header of a delta of `size` bytes against the entry that begins
// `distance` bytes before it.
void EncodeOffsetDeltaHeader(uint64_t size, uint64_t distance, Bytes& out);

class PackWriter {
 public:
  // Writes into `directory`, which exists. `object_count` is how many objects
  // will be added; where it is another number in the end, the pack is read once
  // more to be hashed. `number` tells packs apart that one process writes at
  // the same time; the first, 0, lives longest, and its lock holds for all.
  // kExists while another process does the same; what a killed
  // one left is taken over. Temporary files that were not published are removed
  // at the end.
  static Result<std::unique_ptr<PackWriter>> Create(FileSystem& file_system,
                                                    std::string directory,
                                                    uint32_t object_count,
                                                    unsigned number = 0);

  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  // Where the next entry will be.
  uint64_t offset() const { return size_; }

  // Entries added so far, and where one of them is. REQUIRES, for the latter:
  // it was added, and Finish was not called.
  size_t entry_count() const { return entries_.size(); }
  uint64_t entry_offset(size_t entry) const { return entries_[entry].offset; }

  // Adds one entry. REQUIRES: its base, if it has one, was added.
  Status Add(const ObjectId& id, const PackEntry& entry, ByteView stream);
  // Adds an entry whose stream comes in pieces.
  Status BeginEntry(const ObjectId& id, const PackEntry& entry);
  Status AppendToEntry(ByteView piece);

  // Writes trailer, index and reverse index, and syncs them, all under
  // temporary names.
  Status Finish();

  // Makes it a cruft pack; `mtimes` by rank of the id. REQUIRES: Finish has
  // succeeded.
  Status WriteMtimes(const IndexedVector<PackRank, uint32_t>& mtimes);

  // After Finish, the files with the pack and its index.
  std::string temporary_pack() const;
  std::string temporary_index() const;
  // After Finish, the files that are not published yet, each with its
  // extension, the pack first and the index last.
  std::vector<std::pair<std::string, std::string>> files() const;
  // After Finish, the name that Git gives the pack: 'pack-<hash of the pack>'.
  const std::string& name() const { return name_; }

  // Gives the files the modes that Git gives them, and the names that it looks
  // for, `name` and an extension, and syncs the directory. Files of these names
  // are replaced. REQUIRES: Finish has succeeded.
  Status Publish(const std::string& name, const SharedMode& shared = {});
  // The same under name(): what is replaced can only be the same pack.
  Result<std::string> Publish(const SharedMode& shared = {});
  // Bytes of pack, index and reverse index.
  uint64_t bytes() const { return size_ + index_bytes_; }

 private:
  struct Entry {
    ObjectId id;
    uint32_t crc = 0;
    uint64_t offset = 0;
  };

  PackWriter(FileSystem& file_system, std::string directory,
             uint32_t object_count, unsigned number);

  // The path of a temporary file of this kind.
  std::string Temporary(const char* kind) const;

  Status Append(ByteView bytes);
  // Removes what a killed process left. REQUIRES: the first pack is locked.
  Status RemoveLeftovers();
  // Writes and hashes what was appended.
  Status Flush();
  // Corrects the number of objects, and hashes everything again.
  Status Recount();
  // The index for a pack whose own hash is `pack_hash`.
  Bytes EncodeIndex(ByteView pack_hash);
  // The order of entries in the pack, by rank. REQUIRES: entries are sorted.
  Bytes EncodeReverseIndex(ByteView pack_hash);
  Status RemoveIfThere(const std::string& path);
  Status WriteTemporary(const char* kind, ByteView bytes);

  FileSystem& file_system_;
  std::string directory_;
  uint32_t object_count_;  // as the header has it
  unsigned number_;
  std::unique_ptr<WritableFile> file_;
  Hasher hasher_;
  Bytes pending_;      // appended, but not written yet
  uint64_t size_ = 0;  // with what is pending
  std::vector<Entry> entries_;
  // After Finish:
  std::string name_;
  Bytes pack_hash_;
  uint64_t index_bytes_ = 0;
  // Kinds of temporary files that are not renamed yet.
  std::vector<const char*> temporaries_;
};

}  // namespace zpack
