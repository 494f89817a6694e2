// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds objects of an open file by id: in its index if that is loaded, else
// with a few reads. After so many of these that loading the index would have
// cost less, it is loaded. May be used from several threads at once.
//
// A damaged index never makes an answer. What is found is proven by the object,
// whose content hashes to the id, or by a checksum; and that something is not
// there is said only after the whole index was loaded and checked.

#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "base/once_status.h"
#include "reader/archive_file.h"
#include "reader/index_lookup.h"
#include "zpack/result.h"

namespace zpack {

class ObjectLocator {
 public:
  // Lookups after which the index of a file is loaded.
  static uint64_t MaxLookups(uint32_t object_count) {
    return 1000 + object_count / 64;
  }

  // `archive` outlives this.
  explicit ObjectLocator(const ArchiveFile& archive)
      : archive_(archive),
        lookup_(archive.file(), archive.index_chunks(),
                archive.header().object_format, archive.object_count()) {}

  // Succeeds when there is such an object, kNotFound when there is none;
  // kCorrupt, kIo and kLimitExceeded when that cannot be known.
  Status Contains(const ObjectId& id);

  // The number of the object, for someone who hashes its content: with a
  // damaged index it may be that of another one. Errors as above.
  Result<ObjectNumber> Find(const ObjectId& id);

  // The same for anyone else: the numbers' checksum is checked first, once.
  Result<ObjectNumber> FindChecked(const ObjectId& id);

  struct Matches {
    uint32_t count = 0;
    std::vector<ObjectId> first;  // ascending
  };
  // The ids whose hexadecimal form starts with `hex_prefix`, at most
  // `max_first` of them by name. The ids' checksum is checked first, once.
  Result<Matches> FindPrefix(std::string_view hex_prefix, uint32_t max_first);

 private:
  // Whether to look into the index that is loaded.
  bool UseWholeIndex();
  Result<FileRank> Rank(const ObjectId& id);
  Result<std::pair<FileRank, FileRank>> Ranks(std::string_view hex_prefix);
  Result<ObjectId> Id(FileRank rank);

  const ArchiveFile& archive_;
  IndexLookup lookup_;
  std::atomic<uint64_t> lookups_ = 0;
  OnceStatus ids_checked_;
  OnceStatus numbers_checked_;
};

}  // namespace zpack
