// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects of a repository. Loose objects are read directly. Packs are read
// directly if PackReader supports them, and otherwise through FallbackPacks.
// May be used from several threads, except while List runs.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "git/files/directory_listing.h"
#include "git/objects/fallback_packs.h"
#include "git/objects/other_bases.h"
#include "git/objects/packed_objects.h"
#include "object/object_source.h"
#include "pack/base_cache.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// What becomes of an index, of a pack or of a work tree, that is damaged.
enum class BadIndexes : uint8_t { kFail, kSkip };
// Whether an index is skipped with kSkip after this error: its content is bad,
// or something else has its name.
bool MayBeSkipped(const Error& error);

struct ReadingOptions {
  // Maximum bytes of cached delta bases. With small packs and few threads, the
  // cache is smaller.
  uint64_t max_cache = BaseCache::kDefaultSize;
  unsigned threads = 1;  // that scan packs when they are opened
  // For kInfos, packs are not scanned unless there are many of them: opening
  // takes less time then.
  ExpectedReads expected = ExpectedReads::kContents;
  BadIndexes bad_indexes = BadIndexes::kFail;
  UnreadableFiles unreadable = UnreadableFiles::kFail;

  // Options for kContents, with the memory and the threads of `run`.
  static ReadingOptions For(const RunOptions& run);
};

class ObjectDatabase {
 public:
  // Opens the objects, in `format`, in `object_directories`: the repository's
  // own and those of its alternates. `path` is the name of the repository in
  // messages. Errors: kIo, kGit, kLimitExceeded.
  static Result<ObjectDatabase> Open(
      ObjectFormat format, std::string path,
      std::vector<std::string> object_directories,
      const ReadingOptions& options);

  const std::vector<std::string>& directories() const { return directories_; }
  // Why packs were skipped, with BadIndexes::kSkip.
  std::vector<std::string> SkippedPacks() const;
  // What has the name of a loose object and cannot be read as one, and why, if
  // the object is nowhere else. List leaves it out with
  // UnreadableFiles::kPassOver. kIo.
  Result<std::map<ObjectId, std::string>> FindUnreadable() const;

  // As the methods of ObjectSource.
  Result<ObjectIdTable> List();
  Result<ObjectInfo> ReadInfo(const ObjectId& id) const;
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) const;
  void PrefetchReads(std::span<const ObjectId> ids) const;
  Result<std::unique_ptr<ObjectStream>> OpenStream(const ObjectId& id) const;
  bool UseOtherCopy(const ObjectId& id) const;
  std::optional<PackedForm> FindPackedForm(const ObjectId& id) const;
  Status CopyPacked(const ObjectId& id, const PackedSink& sink) const;

 private:
  ObjectDatabase(ObjectFormat format, std::string path,
                 std::vector<std::string> directories)
      : format_(format),
        path_(std::move(path)),
        directories_(std::move(directories)) {}
  // Fills skipped_.
  void FindBadIndexes();
  // Those of `packs` that are not skipped.
  std::vector<std::string> Usable(const std::vector<std::string>& packs) const;
  // Opens the packs that PackReader supports.
  Status OpenReaders(const ReadingOptions& options);
  // If packs have appeared or disappeared since the database was opened, the
  // packs that exist now. Otherwise null.
  const FallbackPacks* PacksOfNow() const;
  // Returns the result for the first sound copy of an object: `from_loose` for
  // a loose object, `from_reader` for a pack with a PackReader, and
  // `from_fallback`.
  template <typename T, typename FromLoose, typename FromReader,
            typename FromFallback>
  Result<T> Find(const ObjectId& id, FromLoose from_loose,
                 FromReader from_reader, FromFallback from_fallback) const;
  Result<ObjectType> ReadCopy(const ObjectId& id, Bytes& content) const;
  // The ids in `listed` without those of FindUnreadable.
  Result<ObjectIdTable> WithoutUnreadable(ObjectIdTable listed) const;
  // Reads a copy whose content has the id, not by the readers. Errors as
  // FallbackPacks::Read.
  Result<ObjectType> ReadHashed(const ObjectId& id, Bytes& content) const;
  // Reads an object of which ReadCopy can read none.
  Result<ObjectType> ReadOnOtherBase(const ObjectId& id, Bytes& content) const;
  // Reads a copy whose content has the id, of all that are there.
  Result<ObjectType> ReadSound(const ObjectId& id, Bytes& content) const;
  // As UseOtherCopy has found it. Nothing for all other objects, and if that
  // copy is gone.
  std::optional<ObjectType> ReadOtherCopy(const ObjectId& id,
                                          Bytes& content) const;

  ObjectFormat format_;
  std::string path_;
  std::vector<std::string> directories_;
  // Why a pack (a path without extension) counts as if it were not there.
  std::map<std::string, std::string> skipped_;
  // The packs that have a PackReader. If a read fails here, `fallback_` reads
  // the object or reports the error.
  std::shared_ptr<const PackedObjects> packed_ =
      std::make_shared<PackedObjects>();
  std::unique_ptr<FallbackPacks> fallback_;
  std::unique_ptr<OtherBases> other_bases_;  // of `fallback_`
  UnreadableFiles unreadable_ = UnreadableFiles::kFail;
  FallbackOptions fallback_options_;
  // From List: ids that are in no pack, which are searched among loose objects
  // first; and ids with several copies, which are checked.
  ObjectIdTable only_loose_;
  ObjectIdTable repeated_;
  // Opened if an object is not found where it was: another process may have
  // moved the object to a new pack.
  struct Late {
    std::mutex mutex;
    std::vector<std::string> listing;  // the packs open in `packs`
    std::unique_ptr<FallbackPacks> packs;
    std::vector<std::unique_ptr<FallbackPacks>> before;
  };
  std::unique_ptr<Late> late_ = std::make_unique<Late>();
  // The objects of UseOtherCopy.
  struct Misread {
    std::atomic<bool> any = false;
    std::mutex mutex;
    std::set<ObjectId> ids;
  };
  std::unique_ptr<Misread> misread_ = std::make_unique<Misread>();
};

}  // namespace zpack
