// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a version 2 pack, its version 2 index and its reverse index
// (gitformat-pack(5)). Thread-compatible.

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

// Describes the content of an entry's zlib stream.
struct PackEntry {
  ObjectType type = ObjectType::kBlob;
  uint64_t raw_size = 0;  // uncompressed size of the object or delta
  // Offset of the base's entry; 0 for a whole object.
  uint64_t base_offset = 0;
};

// The indexes of a pack.
struct PackIndexStyle {
  // 1 or 2. An index with an offset of 2 GiB or more always has version 2.
  unsigned version = 2;
  bool reverse = true;  // whether there is a reverse index
};

class PackWriter {
 public:
  // Creates a pack of objects in `format` in `directory`, which must exist.
  // `object_count` is the expected number of objects; if the number is
  // different at the end, the pack is read once more to hash it. `number`
  // distinguishes packs that one process writes at the same time. The writer of
  // number 0 must live longest, because its lock, a file of its own, covers all
  // packs until they have their names. Leftovers of
  // a killed process are replaced. The destructor removes temporary files that
  // were not published.
  //
  // Errors: kExists if another process writes packs there; kIo.
  static Result<std::unique_ptr<PackWriter>> Create(ObjectFormat format,
                                                    FileSystem& file_system,
                                                    std::string directory,
                                                    uint32_t object_count,
                                                    unsigned number = 0);

  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  // Offset of the next entry.
  uint64_t offset() const { return size_; }

  // Number of entries added so far, and the offset of one of them. REQUIRES for
  // entry_offset: entry < entry_count().
  size_t entry_count() const { return offsets_.size(); }
  uint64_t entry_offset(size_t entry) const { return offsets_[entry]; }

  // Adds one entry. REQUIRES: its base, if any, was added before.
  Status Add(const ObjectId& id, const PackEntry& entry, ByteView stream);
  // Adds an entry whose stream arrives in pieces.
  Status BeginEntry(const ObjectId& id, const PackEntry& entry);
  Status AppendToEntry(ByteView piece);

  // Writes the trailer and the indexes, and syncs all files under temporary
  // names.
  Status Finish(const PackIndexStyle& index = {});

  // Makes the pack a cruft pack. `mtimes` are by rank of the id. REQUIRES:
  // Finish has succeeded.
  Status WriteMtimes(const IndexedVector<PackRank, uint32_t>& mtimes);

  // Makes the pack a promisor pack. REQUIRES: Finish has succeeded.
  Status WritePromisor();

  // After Finish: the temporary files with the pack and its index.
  std::string temporary_pack() const;
  std::string temporary_index() const;
  // After Finish: the files that are not published yet, each with its
  // extension. The pack comes first and the index last.
  std::vector<std::pair<std::string, std::string>> files() const;
  // After Finish: the name that Git gives the pack, 'pack-<hash of the pack>'.
  const std::string& name() const { return name_; }

  // Removes files of another process that may not fit a pack that gets this
  // name: a bitmap, and a '.mtimes' or '.promisor' file unless this is a pack
  // of that kind. REQUIRES: Finish has succeeded.
  Status RemoveMisfits(const std::string& name);
  // Publishes the pack: gives the files the modes that Git uses, renames them
  // to `name` plus an extension, and syncs the directory. Existing files of
  // these names are replaced. REQUIRES: Finish has succeeded.
  Status Publish(const std::string& name, const SharedMode& shared = {});
  // As above, under name(). Existing files can only be those of the same pack.
  Result<std::string> Publish(const SharedMode& shared = {});
  // Bytes of all files of the pack written so far.
  uint64_t bytes() const { return size_ + index_bytes_; }

 private:
  PackWriter(ObjectFormat format, FileSystem& file_system,
             std::string directory, uint32_t object_count, unsigned number);

  // The path of a temporary file of this kind.
  std::string Temporary(const char* kind) const;

  Status Append(ByteView bytes);
  // Removes the temporary files of a killed process. REQUIRES: this writer has
  // number 0 and holds its lock.
  Status RemoveLeftovers();
  // Writes and hashes the pending bytes.
  Status Flush();
  // Corrects the number of objects in the header, and hashes the pack again.
  Status Recount();
  const uint8_t* IdOf(uint32_t entry) const {
    return &ids_[entry * ObjectIdWidth(format_)];
  }
  // The entries in the order of their ids.
  std::vector<uint32_t> SortById() const;
  // Both get the result of SortById.
  Status WriteIndex(const std::vector<uint32_t>& order, unsigned version);
  Status WriteReverseIndex(const std::vector<uint32_t>& order);
  Status RemoveIfThere(const std::string& path);
  Result<std::unique_ptr<WritableFile>> CreateTemporary(const char* kind);
  Status WriteTemporary(const char* kind, ByteView bytes);

  ObjectFormat format_;
  FileSystem& file_system_;
  std::string directory_;
  uint32_t object_count_;  // in the header of the pack
  unsigned number_;
  std::unique_ptr<WritableFile> lock_;  // of the writer of number 0
  std::unique_ptr<WritableFile> file_;
  Hasher hasher_;
  Bytes pending_;      // not written yet
  uint64_t size_ = 0;  // including pending bytes
  // By entry, in the order of the pack: the id, the offset, and the checksum.
  Bytes ids_;
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> checksums_;
  // Set by Finish:
  std::string name_;
  Bytes pack_hash_;
  uint64_t index_bytes_ = 0;
  // Kinds of temporary files that are not renamed yet.
  std::vector<const char*> temporaries_;
};

}  // namespace zpack
