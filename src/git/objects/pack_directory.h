// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists and removes the packs and loose objects of one object directory.
// Functions without state; any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "object/object_id_table.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

// The directory of the packs of `object_directory`.
std::string PackDirectory(const std::string& object_directory);

// True if `file` is the name of a pack index. The name need not begin with
// 'pack-'. A name that begins with a dot is a temporary file, of a process that
// writes a pack or of another system.
bool IsPackIndexName(std::string_view file);

// Names of the files in the pack directory of `object_directory`. Empty if
// there is no such directory. kIo if it cannot be read.
Result<std::set<std::string>> ListPackFiles(
    const std::string& object_directory);

// Names, without extension, of the packs with an index among `files`, which
// ListPackFiles has found. As in Git, a pack is a regular file.
std::vector<std::string> PacksAmong(const std::string& object_directory,
                                    const std::set<std::string>& files);

// A pipe or a device with the name of a pack, an index or a commit graph, for
// which Git would wait, or a directory in place of a bitmap or a commit graph,
// at which it fails on most file systems: a path. Nothing if there is none.
std::optional<std::string> FindEndlessPackFile(
    const std::string& object_directory);

// The packs of `object_directory` that have an index, sorted by name. As in
// Git, a link that leads nowhere makes no promisor or cruft pack of one. kIo if
// the directory cannot be read.
Result<std::vector<PackFiles>> ListPacks(const std::string& object_directory);

// The packs of `object_directory` without an index: paths. Not those with names
// of temporary files. kIo if the directory cannot be read.
Result<std::vector<std::string>> ListPacksWithoutIndex(
    const std::string& object_directory);

// What has the name of a pack with an index and is none: sentences. kIo if the
// directory cannot be read.
Result<std::vector<std::string>> ListNoPacks(
    const std::string& object_directory);

// The ids, in `format`, in the index of a pack. kNotFound if the index does not
// exist; kSourceCorrupt if it is malformed; kIo.
Result<ObjectIdTable> ReadPackIds(ObjectFormat format, FileSystem& file_system,
                                  const std::string& object_directory,
                                  const std::string& name);

// True if the pack has the header and the hash that its index requires, and the
// index has a correct hash. Git makes this check before it trusts an index.
// False if a file cannot be read.
bool IsPackWhole(ObjectFormat format, FileSystem& file_system,
                 const std::string& object_directory, const std::string& name);

// When each object of a cruft pack was last used, by rank. kSourceCorrupt if
// the '.mtimes' file is malformed; other errors as ReadWholeFile.
Result<IndexedVector<PackRank, uint32_t>> ReadPackMtimes(
    ObjectFormat format, FileSystem& file_system,
    const std::string& object_directory, const std::string& name,
    uint32_t count);

// Removes packs as Git does: first the multi-pack-indexes that list one of the
// packs, then of each pack the index first, so that no process finds an
// incomplete pack. A missing file is not an error. REQUIRES: LockMultiPackIndex
// has succeeded.
Status RemovePacks(FileSystem& file_system, const std::string& object_directory,
                   const std::vector<PackFiles>& packs);

// Removes the loose objects among `ids`, as far as possible. Unlike Git, leaves
// their directories: a program that is about to write an object there would
// fail. kIo if a directory cannot be read.
Result<RemovedLoose> RemoveLooseObjects(FileSystem& file_system,
                                        const std::string& object_directory,
                                        const ObjectIdTable& ids);

}  // namespace zpack
