// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs and loose objects of a MemorySource, for tests of repack that need
// no libgit2. Only new packs are files. One thread, except for what Open
// returns.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pack/pack_store.h"
#include "support/memory_source.h"

namespace zpack::testing {

class MemoryPackStore final : public PackStore {
 public:
  // New packs are written to `directory`. All objects of `source` are loose at
  // first, and were last used at time 0. An object that is removed from its
  // last place is removed from `source`.
  MemoryPackStore(MemorySource& source, std::string directory);

  // Moves loose objects into a pack with this name. Its other values may be
  // changed afterwards.
  PackFiles& Pack(const std::string& name, const std::vector<ObjectId>& ids);
  // The pack with this name; null if there is none.
  PackFiles* Find(const std::string& name);
  std::vector<std::string> PackNames();
  // The loose objects and when they were last used.
  std::map<ObjectId, int64_t> loose;
  // Objects of the alternates; none: there are no alternates.
  std::optional<std::set<ObjectId>> alternates;
  // What another process does right before the repository is opened again.
  std::function<void()> meanwhile = [] {};
  // The answer of CheckPackLock.
  Status lock;

  ObjectFormat object_format() const override { return ObjectFormat::kSha1; }
  Result<std::unique_ptr<ObjectSource>> Open(ExpectedReads expected) override;
  Result<std::unique_ptr<AlternateObjects>> OpenAlternates() override;
  std::string directory() const override { return directory_; }
  Result<std::vector<PackFiles>> ListPacks() override;
  Result<ObjectIdTable> ReadIds(const std::string& name) override;
  bool IsWhole(const std::string& name) override {
    return Find(name) != nullptr;
  }
  Result<ObjectIdTable> FindDamaged(const std::string& /*name*/,
                                    const ObjectIdTable& /*ids*/,
                                    const RunOptions& /*run*/) override {
    return ObjectIdTable();
  }
  Result<ObjectIdTable> ListLooseObjects() override;
  Result<ObjectAges> ReadAges(const ListIds& ids,
                              const std::vector<PackFiles>& packs,
                              CruftTimes cruft_times) override;
  Status WriteLooseObject(ObjectSource& source, const ObjectId& id,
                          int64_t mtime) override;
  Status SyncLooseObjects() override { return {}; }
  Result<RemovedLoose> RemoveLooseObjects(const ObjectIdTable& ids) override;
  Status CheckPackLock() override { return lock; }
  Status CheckShallowLock() override { return {}; }
  std::optional<std::set<std::string>> ReadMultiPackIndex() override {
    return std::nullopt;
  }
  Result<std::vector<std::string>> WriteMultiPackIndex(
      const std::vector<PackFiles>& /*packs*/,
      const std::string& /*preferred*/) override {
    return std::vector<std::string>();
  }
  std::set<std::string> ListUnfinishedIndex() override { return {}; }
  void RemoveUnfinishedIndex(const std::set<std::string>& /*before*/) override {
  }
  Result<uint64_t> RemovePacks(const std::vector<PackFiles>& packs) override;
  Status PruneShallow(ObjectSource& /*now*/) override { return {}; }
  Status UpdateRefList(const RefsSnapshot& /*refs*/) override { return {}; }
  Status UpdatePackList() override { return {}; }

 private:
  struct PackOfMemory {
    PackFiles files;
    std::set<ObjectId> ids;
  };

  // Takes in the packs that were written to the directory.
  void FindNewPacks();
  // Removes what is in no place any more.
  void Forget(const ObjectId& id);

  MemorySource& source_;
  std::string directory_;
  std::map<std::string, PackOfMemory> packs_;
  int64_t clock_ = 0;
  bool opened_ = false;
};

}  // namespace zpack::testing
