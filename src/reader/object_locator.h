// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds objects of an open file by id: in the index if it is loaded, otherwise
// with a few reads. Loads the index once the number of lookups makes loading
// cheaper. May be used from several threads at once.
//
// A damaged index never leads to a wrong result. A found object is proven by
// its content, which hashes to the id, or by a checksum. kNotFound is returned
// only after the whole index has been loaded and checked. The empty tree exists
// in every file, as ArchiveFile::empty_tree(), and is not looked for.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/index_spaces.h"
#include "base/once_status.h"
#include "reader/archive_file.h"
#include "reader/index_lookup.h"
#include "zpack/result.h"

namespace zpack {

class ObjectLocator {
 public:
  // Number of lookups after which the index is loaded.
  static uint64_t MaxLookups(uint32_t object_count) {
    return 1000 + object_count / 64;
  }

  // `archive` must outlive this object.
  explicit ObjectLocator(const ArchiveFile& archive);

  // Succeeds if the object exists. Returns kNotFound if it does not exist, and
  // kCorrupt, kIo or kLimitExceeded if this cannot be determined.
  Status Contains(const ObjectId& id);

  // Returns the number of the object. If the index is damaged, the number may
  // be that of another object, so the caller must hash the content. Errors are
  // those of Contains.
  Result<ObjectNumber> Find(const ObjectId& id);

  // Like Find, but checks the checksum of the numbers first, once, so the
  // caller need not hash the content.
  Result<ObjectNumber> FindChecked(const ObjectId& id);

  struct Matches {
    uint32_t count = 0;
    std::vector<ObjectId> first;  // in the order of ids
  };
  // Counts the ids whose hexadecimal form starts with `hex_prefix`, and lists
  // the first `max_first` of them. Checks the checksum of the ids first, once.
  Result<Matches> FindPrefix(std::string_view hex_prefix, uint32_t max_first);

 private:
  // True if the lookup should use the loaded index. Derives ids that the file
  // leaves out; returns an error only if that fails.
  Result<bool> UseWholeIndex();
  // The number of the object in the files; nothing if none of them has it.
  Result<std::optional<ObjectNumber>> LookUp(const ObjectId& id) const;
  // Adds the matches in one file, without its index.
  Status LookUpPrefix(const IndexLookup& lookup, std::string_view hex_prefix,
                      uint32_t max_first, Matches& matches) const;
  // Checks a chunk of each index.
  Status CheckChunks(format::ChunkLocation format::IndexChunks::* chunk) const;

  const ArchiveFile& archive_;
  std::vector<IndexLookup> lookups_of_files_;  // the first file first
  std::atomic<uint64_t> lookups_ = 0;
  OnceStatus ids_checked_;
  OnceStatus numbers_checked_;
};

}  // namespace zpack
