// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs and loose objects of one object directory as things that can be
// listed and removed. Functions without state; any thread.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "object/object_id_table.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

// Where the packs of `object_directory` are.
std::string PackDirectory(const std::string& object_directory);

// Whether `file` is the name of a pack's index. It need not begin with 'pack-';
// but what begins with a dot is a temporary file of a process that is writing a
// pack, or of another system.
bool IsPackIndexName(std::string_view file);

// Names of the files in the pack directory of `object_directory`; none when
// there is no such directory. kIo when it cannot be read.
Result<std::set<std::string>> ListPackFiles(
    const std::string& object_directory);

// The packs of `object_directory` that have an index, sorted by name. kIo when
// the directory cannot be read.
Result<std::vector<PackFiles>> ListPacks(const std::string& object_directory);

// The ids that the index of a pack names. kSourceCorrupt when it cannot be
// read.
Result<ObjectIdTable> ReadPackIds(FileSystem& file_system,
                                  const std::string& object_directory,
                                  const std::string& name);

// Whether a pack has the header and the hash that its index speaks of, as Git
// checks it before it believes the index. False when it cannot be read.
bool IsPackWhole(FileSystem& file_system, const std::string& object_directory,
                 const std::string& name);

// When each object of a cruft pack was last used, by rank. kSourceCorrupt when
// that cannot be read.
Result<IndexedVector<PackRank, uint32_t>> ReadPackMtimes(
    FileSystem& file_system, const std::string& object_directory,
    const std::string& name, uint32_t count);

// Removes packs as Git does: first indexes of several packs that list one of
// them, then of each pack the index first, so that nobody finds a pack that is
// not whole. Files that are gone already are no error. REQUIRES:
// LockMultiPackIndex has succeeded.
Status RemovePacks(FileSystem& file_system, const std::string& object_directory,
                   const std::vector<PackFiles>& packs);

// Removes the loose objects among `ids`, as far as it can. kIo when the
// directory cannot be read.
Result<RemovedLoose> RemoveLooseObjects(FileSystem& file_system,
                                        const std::string& object_directory,
                                        const ObjectIdTable& ids);

}  // namespace zpack
