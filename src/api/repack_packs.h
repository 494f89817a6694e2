// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs of a repository before a repack, and what is in them. Functions
// without state; any thread.

#pragma once

#include <vector>

#include "base/file.h"
#include "git/pack_directory.h"
#include "git/repack_settings.h"
#include "object/object_id_table.h"
#include "zpack/repack.h"

namespace zpack {

// By what is to become of them.
struct PackSets {
  std::vector<StockPackFiles> kept;
  // Stay, but do not count: what is in them, and needed, is packed, too.
  std::vector<StockPackFiles> staying;
  std::vector<StockPackFiles> rewritten;
};

// kNotFound for a pack to keep that is not there.
Result<PackSets> DividePacks(const RepackSettings& settings,
                             const RepackOptions& options);

// The ids of several packs. One that is gone by now was removed by another
// repack, which keeps what is needed.
Result<ObjectIdTable> ReadIds(FileSystem& file_system,
                              const RepackSettings& settings,
                              const std::vector<StockPackFiles>& packs);
// The same, but of those that are whole: what others name may be nowhere else.
Result<ObjectIdTable> ReadWholeIds(FileSystem& file_system,
                                   const RepackSettings& settings,
                                   const std::vector<StockPackFiles>& packs);

// Those of `packs` that have an object of `ids`.
Result<std::vector<StockPackFiles>> PacksWith(
    FileSystem& file_system, const RepackSettings& settings,
    const std::vector<StockPackFiles>& packs, const ObjectIdTable& ids);

// What is in one table and not in the other.
Result<ObjectIdTable> Without(const ObjectIdTable& ids,
                              const ObjectIdTable& others);
// What is in one of them.
Result<ObjectIdTable> Join(const ObjectIdTable& a, const ObjectIdTable& b);

}  // namespace zpack
