// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface between a repack and the repository that it changes: packs and
// loose objects to list and remove, and the files that refer to them. One call
// at a time.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "object/object_id_table.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

struct PackFiles {
  std::string name;       // usually "pack-<hash>"; no directory, no extension
  bool keep = false;      // there is a .keep file
  bool promisor = false;  // there is a .promisor file
  bool cruft = false;     // there is a .mtimes file
  // Inode and time of the index. They change if the pack is written again.
  uint64_t inode = 0;
  int64_t nanoseconds = 0;
  int64_t modified = 0;  // time of the pack, in seconds since 1970

  friend bool operator==(const PackFiles&, const PackFiles&) = default;
};

struct RemovedLoose {
  uint64_t count = 0;
  uint64_t left = 0;         // objects that could not be removed
  std::optional<Error> why;  // error for the first of these
};

struct ObjectAges {
  static constexpr int64_t kNone = -1;

  // When an object was last used, in seconds since 1970, or kNone. An object
  // with a time that the walk did not reach is unreachable.
  IndexedVector<ListRank, int64_t> mtimes;
};

// When the objects of a cruft pack were last used: when the pack was written,
// or the time that the pack has for each object.
enum class CruftTimes : uint8_t { kOfPack, kOfObjects };

enum class AlternatePacks : uint8_t { kAll, kPromisor };

struct AlternatePack {
  PackFiles files;
  ObjectIdTable ids;
};

// The objects of a repository's alternates.
class AlternateObjects {
 public:
  virtual ~AlternateObjects() = default;

  // All objects.
  virtual Result<ObjectIdTable> List() = 0;
  // Those of these packs whose index can be read.
  virtual Result<std::vector<AlternatePack>> ListPacks(
      AlternatePacks which) = 0;
  // As ObjectSource::Open.
  virtual Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) = 0;
};

class PackStore {
 public:
  virtual ~PackStore() = default;

  virtual ObjectFormat object_format() const = 0;
  // Opens the repository in its current state, as seen from its main work tree,
  // even if it was named by a linked work tree: the other tips of the main work
  // tree include those of linked work trees, but not vice versa.
  virtual Result<std::unique_ptr<ObjectSource>> Open(
      ExpectedReads expected) = 0;
  // Opens the alternates, except those that share objects with the repository
  // through a link: their objects would be deleted with the repository's own.
  // Null if there are none.
  virtual Result<std::unique_ptr<AlternateObjects>> OpenAlternates() = 0;

  // The directory of the packs, which may not exist.
  virtual std::string directory() const = 0;
  // The packs that have an index, sorted by name. kIo if the directory cannot
  // be read.
  virtual Result<std::vector<PackFiles>> ListPacks() = 0;
  // The ids in the index of a pack. kNotFound if the index does not exist;
  // kSourceCorrupt if it is malformed; kIo.
  virtual Result<ObjectIdTable> ReadIds(const std::string& name) = 0;
  // True if the pack has the header and the hash that its index requires. False
  // if the pack cannot be read.
  virtual bool IsWhole(const std::string& name) = 0;
  // Reads `ids` from the pack. Returns those that cannot be read from this pack
  // alone. kInterrupted.
  virtual Result<ObjectIdTable> FindDamaged(const std::string& name,
                                            const ObjectIdTable& ids,
                                            const RunOptions& run) = 0;

  // The loose objects. kIo if a directory cannot be read.
  virtual Result<ObjectIdTable> ListLooseObjects() = 0;
  // The time when each of `ids` was last used, for ids that are loose or in one
  // of `packs`.
  virtual Result<ObjectAges> ReadAges(const ListIds& ids,
                                      const std::vector<PackFiles>& packs,
                                      CruftTimes cruft_times) = 0;
  // Writes a loose object with the modification time `mtime`, unless a sound
  // one exists. The name is on disk only after SyncLooseObjects.
  virtual Status WriteLooseObject(ObjectSource& source, const ObjectId& id,
                                  int64_t mtime) = 0;
  virtual Status SyncLooseObjects() = 0;
  // Removes the loose objects with these ids, as far as possible.
  virtual Result<RemovedLoose> RemoveLooseObjects(const ObjectIdTable& ids) = 0;

  // The error that RemovePacks or PruneShallow would return if another process
  // holds its lock, as far as this can be determined in advance.
  virtual Status CheckPackLock() = 0;
  virtual Status CheckShallowLock() = 0;

  // The names of the packs in the multi-pack-index; nothing if there is none
  // that can be read.
  virtual std::optional<std::set<std::string>> ReadMultiPackIndex() = 0;
  // Writes a multi-pack-index of `packs`, unless there is one. Packs that have
  // changed since they were listed are left out, and so are those whose index
  // cannot be read, whose names are returned. `preferred` names one of the
  // packs or is empty. Takes the lock of CheckPackLock.
  virtual Result<std::vector<std::string>> WriteMultiPackIndex(
      const std::vector<PackFiles>& packs, const std::string& preferred) = 0;

  // Names of files that a process which writes a multi-pack-index has made, or
  // has left if it was killed. None if the directory cannot be read.
  virtual std::set<std::string> ListUnfinishedIndex() = 0;
  // Removes those that are not in `before`, as far as it is certain that no
  // process writes them any more.
  virtual void RemoveUnfinishedIndex(const std::set<std::string>& before) = 0;

  // Removes the packs that have not changed since they were listed, and returns
  // their number. A pack that was written again or has a .keep file now stays,
  // because another repack may be removing our pack of the same name.
  virtual Result<uint64_t> RemovePacks(const std::vector<PackFiles>& packs) = 0;
  // Removes commits that are not in `now` from the file 'shallow'.
  virtual Status PruneShallow(ObjectSource& now) = 0;

  // Update 'info/refs', which lists `refs`, and 'objects/info/packs'.
  virtual Status UpdateRefList(const RefsSnapshot& refs) = 0;
  virtual Status UpdatePackList() = 0;
};

}  // namespace zpack
