// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a version 2 pack and its version 2 index, as gitformat-pack(5)
// describes them. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "codec/deflate.h"
#include "zpack/object_id.h"

namespace zpack {

// Appends the header of a pack entry: type and size, seven bits at a time.
void EncodePackEntryHeader(const ObjectInfo& info, Bytes& out);

class StockPackWriter {
 public:
  // Writes into `directory`, which exists. `object_count` is how many objects
  // will be added.
  static Result<std::unique_ptr<StockPackWriter>> Create(
      FileSystem& file_system, std::string directory, uint32_t object_count);

  // Adds one entry: its header and a zlib stream.
  Status Add(const ObjectId& id, ByteView entry);
  // Adds an entry in pieces.
  void BeginEntry(const ObjectId& id);
  Status AppendToEntry(ByteView piece);
  void EndEntry();

  // Writes trailer and index, syncs both, and renames them to 'pack-<hash of
  // the pack>'. Returns their bytes. REQUIRES: as many entries as announced.
  Result<uint64_t> Finish();

 private:
  struct Entry {
    ObjectId id;
    uint32_t crc = 0;
    uint64_t offset = 0;
  };

  StockPackWriter(FileSystem& file_system, std::string directory,
                  uint32_t object_count, std::unique_ptr<WritableFile> file);

  Status Append(ByteView bytes);
  // The index for a pack whose own hash is `pack_hash`.
  Bytes EncodeIndex(ByteView pack_hash);

  FileSystem& file_system_;
  std::string directory_;
  uint32_t object_count_;
  std::unique_ptr<WritableFile> file_;
  Hasher hasher_;
  uint64_t size_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace zpack
