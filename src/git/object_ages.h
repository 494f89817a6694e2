// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// When the objects of a repository were last used. A function without state;
// any thread.

#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

// Of those of `ids` that are loose in `object_directory` or in one of its
// `packs`: by the time of its loose file, its pack or its entry in a cruft
// pack, whichever is last. A pack that is gone by now does not count.
// kSourceCorrupt for a pack whose index or times cannot be read; kIo.
Result<ObjectAges> ReadObjectAges(FileSystem& file_system,
                                  const std::string& object_directory,
                                  const ListIds& ids,
                                  const std::vector<PackFiles>& packs,
                                  CruftTimes cruft_times);

}  // namespace zpack
