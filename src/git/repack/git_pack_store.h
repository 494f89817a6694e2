// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs and loose objects of a repository for a repack. One call at a time.

#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "git/objects/object_database.h"
#include "git/repository_location.h"
#include "pack/pack_store.h"
#include "pack/repack_settings.h"
#include "zpack/result.h"

namespace zpack {

class GitPackStore final : public PackStore {
 public:
  // For the repository at `location`; `settings` has its directories and modes.
  // `reading` is used for ExpectedReads::kContents. Files are written, renamed
  // and removed through `file_system`.
  GitPackStore(FileSystem& file_system, const RepositoryLocation& location,
               RepackSettings settings, const ReadingOptions& reading);

  ObjectFormat object_format() const override {
    return settings_.object_format;
  }
  Result<std::unique_ptr<ObjectSource>> Open(ExpectedReads expected) override;
  Result<std::unique_ptr<AlternateObjects>> OpenAlternates() override;

  std::string directory() const override;
  Result<std::vector<PackFiles>> ListPacks() override;
  Result<ObjectIdTable> ReadIds(const std::string& name) override;
  bool IsWhole(const std::string& name) override;
  Result<ObjectIdTable> FindDamaged(const std::string& name,
                                    const ObjectIdTable& ids,
                                    const RunOptions& run) override;

  Result<ObjectIdTable> ListLooseObjects() override;
  Result<ObjectAges> ReadAges(const ListIds& ids,
                              const std::vector<PackFiles>& packs,
                              CruftTimes cruft_times) override;
  Status WriteLooseObject(ObjectSource& source, const ObjectId& id,
                          int64_t mtime) override;
  Status SyncLooseObjects() override;
  Result<RemovedLoose> RemoveLooseObjects(const ObjectIdTable& ids) override;

  Status CheckPackLock() override;
  Status CheckShallowLock() override;
  std::optional<std::set<std::string>> ReadMultiPackIndex() override;
  Result<std::vector<std::string>> WriteMultiPackIndex(
      const std::vector<PackFiles>& packs,
      const std::string& preferred) override;
  std::set<std::string> ListUnfinishedIndex() override;
  void RemoveUnfinishedIndex(const std::set<std::string>& before) override;
  Result<uint64_t> RemovePacks(const std::vector<PackFiles>& packs) override;
  Status PruneShallow(ObjectSource& now) override;

  Status UpdateRefList(const RefsSnapshot& refs) override;
  Status UpdatePackList() override;

 private:
  // Those of `packs` that are as they were listed.
  Result<std::vector<PackFiles>> Unchanged(std::vector<PackFiles> packs);

  FileSystem& file_system_;
  RepositoryLocation location_;
  RepackSettings settings_;
  ReadingOptions reading_;
};

}  // namespace zpack
