// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds when the objects of a repository were last used. A function without
// state; any thread.

#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

// Finds the times for those of `ids` that are loose in `object_directory` or in
// one of its `packs`. The time of an object is the latest time of its loose
// file and of its packs; with CruftTimes::kOfObjects, the time of its entry
// replaces the time of a cruft pack. A pack that no longer exists does not
// count. kSourceCorrupt if the index or the times of a pack are malformed; kIo.
Result<ObjectAges> ReadObjectAges(FileSystem& file_system,
                                  const std::string& object_directory,
                                  const ListIds& ids,
                                  const std::vector<PackFiles>& packs,
                                  CruftTimes cruft_times);

}  // namespace zpack
