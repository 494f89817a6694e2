// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The seam between a repack and the repository that it changes: its packs and
// loose objects as things that can be listed and removed, and the files that
// speak of them. One call at a time.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "object/object_id_table.h"
#include "object/object_source.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

struct PackFiles {
  std::string name;       // mostly "pack-<hash>"; no directory or extension
  bool keep = false;      // there is a .keep file
  bool promisor = false;  // there is a .promisor file
  bool cruft = false;     // there is a .mtimes file
  // Inode and time of the index: others when the pack was written again.
  uint64_t inode = 0;
  int64_t nanoseconds = 0;
  int64_t modified = 0;  // of the pack, in seconds since 1970

  friend bool operator==(const PackFiles&, const PackFiles&) = default;
};

struct RemovedLoose {
  uint64_t count = 0;
  uint64_t left = 0;         // that could not be removed
  std::optional<Error> why;  // of the first of these
};

struct ObjectAges {
  static constexpr int64_t kNone = -1;

  // When it was last used, in seconds since 1970, or kNone. What has a time and
  // was not reached is unreachable.
  IndexedVector<ListRank, int64_t> mtimes;
};

// When objects of a cruft pack were last used: when it was written, or what it
// says about each.
enum class CruftTimes : uint8_t { kOfPack, kOfObjects };

// How much of a repository is going to be read.
enum class Reading : uint8_t { kManyObjects, kFewObjects };

// What the alternates of a repository have.
class AlternateObjects {
 public:
  virtual ~AlternateObjects() = default;

  // All objects, and those in packs that can be read.
  virtual Result<ObjectIdTable> List() = 0;
  virtual Result<ObjectIdTable> ListPacked() = 0;
  // As ObjectSource::Open.
  virtual Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) = 0;
};

class PackStore {
 public:
  virtual ~PackStore() = default;

  // Opens the repository as it is now. Not from a linked worktree: what that
  // has for itself is among the other tips of the repository, but not the other
  // way round.
  virtual Result<std::unique_ptr<ObjectSource>> Open(Reading reading) = 0;
  // Opens its alternates, but not those with a link to the repository's own
  // objects, which would go with them; null when there are none.
  virtual Result<std::unique_ptr<AlternateObjects>> OpenAlternates() = 0;

  // The directory of the packs, whether it is there or not.
  virtual std::string directory() const = 0;
  // The packs that have an index, sorted by name. kIo when the directory cannot
  // be read.
  virtual Result<std::vector<PackFiles>> ListPacks() = 0;
  // The ids that the index of a pack names. kNotFound when it is gone, and
  // kSourceCorrupt when it cannot be read.
  virtual Result<ObjectIdTable> ReadIds(const std::string& name) = 0;
  // Whether a pack has the header and the hash that its index speaks of. False
  // when it cannot be read.
  virtual bool IsWhole(const std::string& name) = 0;

  // Loose objects. kIo when a directory cannot be read.
  virtual Result<ObjectIdTable> ListLooseObjects() = 0;
  // When those of `ids` that are loose or in one of `packs` were last used.
  virtual Result<ObjectAges> ReadAges(const ListIds& ids,
                                      const std::vector<PackFiles>& packs,
                                      CruftTimes cruft_times) = 0;
  // Writes a sound loose object that was last changed at `mtime`, unless there
  // is one. SyncLooseObjects brings the names of all to the disk.
  virtual Status WriteLooseObject(ObjectSource& source, const ObjectId& id,
                                  int64_t mtime) = 0;
  virtual Status SyncLooseObjects() = 0;
  // Removes those of `ids`, as far as it can.
  virtual Result<RemovedLoose> RemoveLooseObjects(const ObjectIdTable& ids) = 0;

  // Whether RemovePacks and PruneShallow will get their locks, as far as it can
  // be known before: the error that they would end with.
  virtual Status CheckPackLock() = 0;
  virtual Status CheckShallowLock() = 0;

  // Removes those of `packs` that are as they were when they were listed, and
  // returns how many. A pack that was written again, or is to be kept by now,
  // stays: another repack may be removing ours, which it saw under the same
  // name.
  virtual Result<uint64_t> RemovePacks(const std::vector<PackFiles>& packs) = 0;
  // Takes the commits out of 'shallow' that `now` does not have.
  virtual Status PruneShallow(ObjectSource& now) = 0;

  // Bring 'info/refs', which lists `refs`, and 'objects/info/packs' up to date.
  virtual Status UpdateRefList(const RefsSnapshot& refs) = 0;
  virtual Status UpdatePackList() = 0;
};

}  // namespace zpack
