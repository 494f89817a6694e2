// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "git/refs/shallow_file.h"
#include "git/repack/git_pack_store.h"
#include "git/repack/repack_configuration.h"
#include "repack/repacker.h"
#include "support/fault_file.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::IsOk;

// Passes calls on, and notes those that open the repository, lock, or change
// something.
class WatchedStore final : public PackStore {
 public:
  explicit WatchedStore(PackStore& store) : store_(store) {}
  const std::vector<std::string>& calls() const { return calls_; }

  ObjectFormat object_format() const override { return store_.object_format(); }
  Result<std::unique_ptr<ObjectSource>> Open(ExpectedReads expected) override {
    calls_.emplace_back(expected == ExpectedReads::kContents ? "open"
                                                             : "open again");
    return store_.Open(expected);
  }
  Result<std::unique_ptr<AlternateObjects>> OpenAlternates() override {
    return store_.OpenAlternates();
  }
  std::string directory() const override { return store_.directory(); }
  Result<std::vector<PackFiles>> ListPacks() override {
    return store_.ListPacks();
  }
  Result<ObjectIdTable> ReadIds(const std::string& name) override {
    return store_.ReadIds(name);
  }
  bool IsWhole(const std::string& name) override {
    return store_.IsWhole(name);
  }
  Result<ObjectIdTable> FindDamaged(const std::string& name,
                                    const ObjectIdTable& ids,
                                    const RunOptions& run) override {
    return store_.FindDamaged(name, ids, run);
  }
  Result<ObjectIdTable> ListLooseObjects() override {
    return store_.ListLooseObjects();
  }
  Result<ObjectAges> ReadAges(const ListIds& ids,
                              const std::vector<PackFiles>& packs,
                              CruftTimes cruft_times) override {
    return store_.ReadAges(ids, packs, cruft_times);
  }
  Status WriteLooseObject(ObjectSource& source, const ObjectId& id,
                          int64_t mtime) override {
    calls_.emplace_back("loosen");
    return store_.WriteLooseObject(source, id, mtime);
  }
  Status SyncLooseObjects() override {
    calls_.emplace_back("sync");
    return store_.SyncLooseObjects();
  }
  Result<RemovedLoose> RemoveLooseObjects(const ObjectIdTable& ids) override {
    calls_.emplace_back("remove loose");
    return store_.RemoveLooseObjects(ids);
  }
  Status CheckPackLock() override {
    calls_.emplace_back("check packs");
    return store_.CheckPackLock();
  }
  Status CheckShallowLock() override {
    calls_.emplace_back("check shallow");
    return store_.CheckShallowLock();
  }
  std::optional<std::set<std::string>> ReadMultiPackIndex() override {
    return store_.ReadMultiPackIndex();
  }
  Result<std::vector<std::string>> WriteMultiPackIndex(
      const std::vector<PackFiles>& packs,
      const std::string& preferred) override {
    calls_.emplace_back("index packs");
    return store_.WriteMultiPackIndex(packs, preferred);
  }
  std::set<std::string> ListUnfinishedIndex() override {
    return store_.ListUnfinishedIndex();
  }
  void RemoveUnfinishedIndex(const std::set<std::string>& before) override {
    store_.RemoveUnfinishedIndex(before);
  }
  Result<uint64_t> RemovePacks(const std::vector<PackFiles>& packs) override {
    calls_.emplace_back("remove packs");
    return store_.RemovePacks(packs);
  }
  Status PruneShallow(ObjectSource& now) override {
    calls_.emplace_back("prune shallow");
    return store_.PruneShallow(now);
  }
  Status UpdateRefList(const RefsSnapshot& refs) override {
    calls_.emplace_back("refs");
    return store_.UpdateRefList(refs);
  }
  Status UpdatePackList() override {
    calls_.emplace_back("packs");
    return store_.UpdatePackList();
  }

 private:
  PackStore& store_;
  std::vector<std::string> calls_;
};

class RepackStepsTest : public ::testing::Test {
 protected:
  RepackStepsTest() : path_(dir_ / "repo") {
    const testing::RepoBuilder repo(path_);
    repo.History(3);
    repo.PackAll();
    repo.History(5);
  }

  // What a repack with `options` does to the repository. If `error` is not
  // empty, the repack fails with it.
  std::vector<std::string> Steps(const RepackOptions& options,
                                 const std::string& error = "") const {
    const auto location = FindRepository(path_, Discovery::kNone);
    EXPECT_THAT(location, IsOk());
    const auto settings = ReadRepackSettings(*location);
    EXPECT_THAT(settings, IsOk());
    GitPackStore store(PosixFileSystem(), *location, *settings, {});
    WatchedStore watched(store);
    const auto stats =
        RunRepack({PosixFileSystem(), watched, *settings, options});
    if (error.empty()) {
      EXPECT_THAT(stats, IsOk());
    } else {
      EXPECT_THAT(stats, testing::IsError(ErrorCode::kSourceCorrupt,
                                          ::testing::HasSubstr(error)));
    }
    return watched.calls();
  }

  testing::TempDir dir_;
  std::string path_;
};

// Locks are tried before the work, and afterwards one opening serves both what
// is pruned and what is listed.
TEST_F(RepackStepsTest, OpensTheRepositoryOnceAfterwards) {
  RepackOptions options;
  options.redundant = Redundant::kRemove;
  options.server_info = ServerInfo::kUpdate;
  EXPECT_THAT(Steps(options),
              ElementsAre("check packs", "check shallow", "open",
                          "remove packs", "remove loose", "open again",
                          "prune shallow", "refs", "packs"));
}

// Without the index, nobody knows what would be lost with the pack.
TEST_F(RepackStepsTest, DamagedIndexOfAPackThatWouldGoEndsTheWorkAtOnce) {
  const std::string packs = path_ + "/objects/pack";
  for (const std::string& name : testing::ListDirectory(packs)) {
    if (!name.ends_with(".idx")) continue;
    std::string index = testing::ReadFile(packs + '/' + name);
    index[index.size() / 2] ^= 1;
    testing::WriteFile(packs + '/' + name, index);
  }
  RepackOptions options;
  options.redundant = Redundant::kRemove;
  EXPECT_THAT(Steps(options, ".idx"), ::testing::IsEmpty());
}

TEST_F(RepackStepsTest, MultiPackIndexComesBeforeAnythingGoes) {
  RepackOptions options;
  options.redundant = Redundant::kRemove;
  options.multi_pack_index = MultiPackIndex::kWrite;
  options.server_info = ServerInfo::kLeave;
  options.geometric = 2;
  EXPECT_THAT(Steps(options),
              ElementsAre("check packs", "open", "index packs", "remove packs",
                          "remove loose", "open again", "prune shallow"));
}

TEST_F(RepackStepsTest, OpensNothingTwiceWithoutNeed) {
  RepackOptions options;
  options.server_info = ServerInfo::kLeave;
  EXPECT_THAT(Steps(options), ElementsAre("open"));
}

TEST_F(RepackStepsTest, ListsOfOthersComeLast) {
  RepackOptions options;
  options.server_info = ServerInfo::kUpdate;
  EXPECT_THAT(Steps(options),
              ElementsAre("open", "open again", "refs", "packs"));
}

TEST_F(RepackStepsTest, AFailureLeavesAWholeBoundary) {
  testing::MemorySource source;
  const ObjectId there = source.AddBlob("as good as a commit");
  const std::string path = path_ + "/shallow";
  const std::string after = there.ToHex() + '\n';
  const std::string before =
      after + std::string(testing::IdDigits(), '1') + '\n';
  const auto now = source.Open();
  Status status;
  for (int call = 0; call == 0 || !status; ++call) {
    testing::WriteFile(path, before);
    testing::FaultFileSystem system(call,
                                    testing::FaultFileSystem::Fault::kError);
    status = PruneShallow(system, path_, *now);
    EXPECT_THAT(testing::ReadFile(path), ::testing::AnyOf(before, after))
        << system.failed();
  }
  EXPECT_EQ(testing::ReadFile(path), after);
}

}  // namespace
}  // namespace zpack
