// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Indexes of files that leave them out, on disk, for later runs
// (base/disk_cache.h). A cache is never needed: what fails is as if the index
// were not there. Any number of threads and processes.

#pragma once

#include <cstdint>
#include <optional>

#include "format/trailer.h"
#include "reader/file_blocks.h"
#include "zpack/object_id.h"
#include "zpack/options.h"

namespace zpack {

// A file, and what its index must be.
struct CachedIndexKey {
  format::Digest file_hash{};
  ObjectFormat object_format = ObjectFormat::kSha1;
  uint32_t object_count = 0;
  format::Digest ids_digest{};  // of all ids in the order of their numbers
};

// Reads and proves an index. ReadOptions::index_cache and max_disk_cache say
// whether there is a cache.
std::optional<FileIndex> ReadCachedIndex(const ReadOptions& options,
                                         const CachedIndexKey& key);
void WriteCachedIndex(const ReadOptions& options, const CachedIndexKey& key,
                      const FileIndex& index);

}  // namespace zpack
