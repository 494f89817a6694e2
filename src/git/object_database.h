// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects of a repository: packs directly as far as they are what stock Git
// writes, else through libgit2; loose objects directly.
// May be used from several threads, except while List runs.

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "git/libgit2.h"
#include "git/packed_objects.h"
#include "object/object_source.h"
#include "pack/base_cache.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// What will be asked of the objects of a repository.
enum class ExpectedReads : uint8_t {
  kInfos,     // types and sizes, of any number of objects; few contents
  kContents,  // the contents of many objects
};

struct ReadingOptions {
  // Bytes of bases that are kept at most; fewer where packs are not large and
  // threads are few.
  uint64_t max_cache = BaseCache::kDefaultSize;
  unsigned threads = 1;  // that look into packs when they are opened
  // For kInfos, libgit2 reads the packs, unless there are many of them: opening
  // takes less time then.
  ExpectedReads expected = ExpectedReads::kContents;

  // For kContents, with the memory and the threads of `run`.
  static ReadingOptions For(const RunOptions& run);
};

class ObjectDatabase {
 public:
  // `object_directories`: the repository's own and its alternates. `path` is
  // what messages call it.
  static Result<ObjectDatabase> Open(
      std::string path, std::vector<std::string> object_directories,
      const ReadingOptions& options);

  const std::vector<std::string>& directories() const { return directories_; }

  // As the methods of ObjectSource.
  Result<ObjectIdTable> List();
  Result<ObjectInfo> ReadInfo(const ObjectId& id) const;
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) const;
  void PrefetchReads(std::span<const ObjectId> ids) const;
  Result<std::unique_ptr<ObjectStream>> OpenStream(const ObjectId& id) const;
  std::optional<PackedForm> FindPackedForm(const ObjectId& id) const;
  Status CopyPacked(const ObjectId& id, const PackedSink& sink) const;

 private:
  ObjectDatabase(std::string path, std::vector<std::string> directories,
                 OdbHandle packs);
  // Opens the packs that we can read ourselves.
  Status OpenReaders(const ReadingOptions& options);

  Result<ObjectIdTable> ListWithLibgit2() const;

  // An error about object `id`, from libgit2's return code.
  std::unexpected<Error> PackError(int code, const ObjectId& id) const;
  static Result<OdbHandle> OpenPacks(
      const std::vector<std::string>& object_directories);
  // The packs that are there now, for libgit2, if others have come or gone
  // since the database was opened; else nothing.
  git_odb* PacksOfNow() const;
  Result<OdbObjectHandle> ReadPacked(git_odb* packs, const ObjectId& id) const;
  // What is said of the first sound copy of an object: `from_loose` of a loose
  // object, `from_reader` of a pack that we read ourselves, and `from_libgit2`.
  template <typename T, typename FromLoose, typename FromReader,
            typename FromLibgit2>
  Result<T> Find(const ObjectId& id, FromLoose from_loose,
                 FromReader from_reader, FromLibgit2 from_libgit2) const;
  Result<ObjectType> ReadCopy(const ObjectId& id, Bytes& content) const;
  // Reads a delta whose base, near or far, is damaged in its pack, but has
  // another copy.
  Result<ObjectType> ReadOnOtherBase(const ObjectId& id, Bytes& content) const;

  std::string path_;
  std::vector<std::string> directories_;
  OdbHandle packs_;
  // Those packs that are read without libgit2, which stays the reference: what
  // cannot be read here is read there, and it says what is wrong.
  PackedObjects packed_;
  // As List saw it: what is in no pack, which is looked for among loose objects
  // first, and what has several copies, which are checked.
  ObjectIdTable only_loose_;
  ObjectIdTable repeated_;
  // Opened when an object is not where it was: another process may have moved
  // it into a pack that is new.
  struct Late {
    std::mutex mutex;
    std::vector<std::string> listing;  // packs that are open in `packs`
    OdbHandle packs;
    std::vector<OdbHandle> before;
  };
  std::unique_ptr<Late> late_ = std::make_unique<Late>();
};

}  // namespace zpack
