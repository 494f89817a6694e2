// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives a directory of packs a multi-pack-index, as 'git multi-pack-index
// write' does. A function without state; any thread.

#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/shared_mode.h"
#include "pack/pack_store.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

struct NewMultiPackIndex {
  ObjectFormat format = ObjectFormat::kSha1;
  unsigned version = 1;
  std::vector<PackFiles> packs;
  std::string preferred;  // the name of one pack, or empty
  SharedMode shared;
};

// Writes 'multi-pack-index' in `directory`, synced, and then removes the
// bitmaps and chain of an earlier one. A file that already has these packs
// stays, but loses its bitmap. Without packs, does nothing. Returns the names
// of packs that are left out because their index cannot be read.
//
// REQUIRES: LockMultiPackIndex has succeeded, and the packs exist. Errors: kIo,
// kExists if another process writes the file without the lock, and those of
// pack/multi_pack_index_writer.h.
Result<std::vector<std::string>> WriteNewMultiPackIndex(
    FileSystem& file_system, const std::string& directory,
    const NewMultiPackIndex& plan);

}  // namespace zpack
