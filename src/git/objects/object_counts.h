// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the objects of an object directory as `git count-objects -v` does. The
// functions have no state and may be called from any thread.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

struct DirectoryCounts {
  struct Loose {
    ObjectId id;
    uint64_t bytes = 0;  // of the file
  };

  std::vector<Loose> loose;
  uint64_t loose_disk_bytes = 0;  // what the files occupy
  uint64_t packed = 0;            // objects, by the indexes
  uint64_t packs = 0;
  uint64_t pack_bytes = 0;  // packs and indexes
};

// The loose objects, in `format`, of `object_directory`. Files that vanish
// meanwhile do not count. kIo if a directory cannot be read.
Result<std::vector<DirectoryCounts::Loose>> ListLooseFiles(
    const std::string& object_directory, ObjectFormat format);

// Counts the objects, in `format`, of the repository's own object directory,
// without alternates. Files that vanish meanwhile do not count. kIo if a
// directory or an index cannot be read.
Result<DirectoryCounts> CountObjects(const std::string& object_directory,
                                     ObjectFormat format);

}  // namespace zpack
