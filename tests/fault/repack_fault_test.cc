// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls to the file system fail while the packs of a repository are rewritten.
// Afterwards it has all its objects, and the next run works and leaves no
// temporary file. Of each kind of call a few fail, one in each run;
// ZPACK_ALL_FAULTS=1 in the environment lets every call fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/repack_repository.h"
#include "base/error.h"
#include "git/objects/pack_directory.h"
#include "support/fault_file.h"
#include "support/matchers.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using Fault = FaultFileSystem::Fault;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::PrintToString;
using ::testing::StartsWith;

// Refuses one call to remove something. And something else may happen right
// before the new pack appears.
class StubbornFileSystem final : public FileSystem {
 public:
  explicit StubbornFileSystem(int fail_at,
                              std::function<void()> before_index = {})
      : fail_at_(fail_at), before_index_(std::move(before_index)) {}

  int removals() const { return removals_; }
  // What was not removed.
  const std::string& refused() const { return refused_; }
  // "sync" and "remove" with their paths, in order.
  const std::vector<std::string>& events() const { return events_; }

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(
      const std::string& path) override {
    return PosixFileSystem().OpenForRead(path);
  }
  Result<std::unique_ptr<WritableFile>> CreateLocked(
      const std::string& path) override {
    return PosixFileSystem().CreateLocked(path);
  }
  Result<std::unique_ptr<WritableFile>> OpenLocked(
      const std::string& path) override {
    return PosixFileSystem().OpenLocked(path);
  }
  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override {
    return PosixFileSystem().Create(path);
  }
  Status MakeDirectory(const std::string& path, unsigned mode) override {
    return PosixFileSystem().MakeDirectory(path, mode);
  }
  Status Rename(const std::string& from, const std::string& to,
                Replace replace) override {
    if (before_index_ && to.ends_with(".idx")) before_index_();
    return PosixFileSystem().Rename(from, to, replace);
  }
  Status SetMode(const std::string& path, unsigned mode) override {
    return PosixFileSystem().SetMode(path, mode);
  }
  Status SetModified(const std::string& path, int64_t seconds) override {
    return PosixFileSystem().SetModified(path, seconds);
  }
  Status SyncDirectory(const std::string& path) override {
    events_.push_back("sync " + path);
    return PosixFileSystem().SyncDirectory(path);
  }
  Status SyncFileSystem(const std::string& path) override {
    return PosixFileSystem().SyncFileSystem(path);
  }
  Status Remove(const std::string& path) override {
    events_.push_back("remove " + path);
    if (removals_++ == fail_at_) {
      refused_ = path;
      return MakeError(ErrorCode::kIo, "cannot remove '{}'", path);
    }
    return PosixFileSystem().Remove(path);
  }
  Status RemoveTree(const std::string& path) override {
    return PosixFileSystem().RemoveTree(path);
  }

 private:
  int fail_at_;
  std::function<void()> before_index_;
  int removals_ = 0;
  std::string refused_;
  std::vector<std::string> events_;
};

class RepackFaults : public ::testing::Test {
 protected:
  RepackFaults() : saved_(dir_ / "saved"), path_(dir_ / "repo") {
    const RepoBuilder repo(saved_);
    repo.History(3);
    repo.Git({"repack", "-q"});
    repo.History(6);
    repo.Git({"repack", "-q"});
    // Doomed, so that needs are looked at again.
    unreachable_.push_back(repo.WriteBlob("unreachable\n"));
    repo.SetRef("refs/heads/other", repo.SimpleCommit("other\n"));
    repo.PackAll();
    // Stored in pieces.
    repo.SetRef("refs/tags/large", repo.WriteBlob(RandomBytes(1, 5000)));
    repo.Git({"config", "core.bigFileThreshold", "4000"});
    Reset();
    needed_ = Needed();
  }

  void Reset() const {
    fs::remove_all(path_);
    fs::copy(saved_, path_, fs::copy_options::recursive);
  }

  // Everything that is reachable, as Git reads it; and fsck is content.
  std::string Needed() const {
    const ProcessResult fsck = RunGit({"fsck", "--full", "--strict"}, path_);
    EXPECT_EQ(fsck.exit_code, 0) << ::testing::PrintToString(fsck);
    const ProcessResult list =
        RunGit({"rev-list", "--objects", "--all"}, path_);
    EXPECT_EQ(list.exit_code, 0) << ::testing::PrintToString(list);
    return list.out;
  }

  Result<RepackStats> Run(FileSystem& system) const {
    RepackOptions options;
    options.run.threads = 1;
    options.redundant = Redundant::kRemove;
    options.unreachable = mode_;
    options.reuse = reuse_;
    options.geometric = geometric_;
    options.multi_pack_index = own_index_;
    options.filter.blob_limit = blob_limit_;
    options.max_pack_size = max_pack_size_;
    if (!expired_.empty()) {
      options.expiration = std::numeric_limits<int64_t>::max() / 2;
      options.expire_to = expired_ + "/objects/pack/pack";
    }
    if (writes_index_) {
      options.bitmap = Bitmap::kYes;
      options.write_multi_pack_index = [&](const MultiPackIndexRequest& asked) {
        return WriteIndex(asked);
      };
    }
    return RepackRepository(system, path_, options);
  }

  Status WriteIndex(const MultiPackIndexRequest& asked) const {
    ProcessOptions process;
    process.environment = HermeticEnvironment(dir_.path());
    for (const std::string& name : asked.packs)
      process.input += name + ".idx\n";
    const ProcessResult written =
        RunProcess({"git", "-C", asked.common_directory, "multi-pack-index",
                    "write", "--bitmap", "--stdin-packs", "--no-progress"},
                   process);
    if (written.ok()) return {};
    return MakeError(ErrorCode::kGit, "git failed: {}", written.err);
  }

  static ::testing::Matcher<std::string> IsPublished() {
    return ::testing::AnyOf(StartsWith("pack-"), "multi-pack-index");
  }

  void ExpectSoundIndex() const {
    if (!Exists(path_ + "/objects/pack/multi-pack-index")) return;
    const auto verified = RunGit({"multi-pack-index", "verify"}, path_);
    EXPECT_TRUE(verified.ok()) << PrintToString(verified);
  }

  // Between the last change of a multi-pack-index and the removal of the first
  // pack.
  void ExpectSyncedBeforePacksGo(const std::vector<std::string>& events) const {
    const std::string packs = fs::canonical(path_).string() + "/objects/pack";
    const auto first = std::ranges::find_if(events, [&](const auto& event) {
      return event.starts_with("remove " + packs + "/pack-");
    });
    ASSERT_NE(first, events.end()) << PrintToString(events);
    ASSERT_NE(first, events.begin());
    EXPECT_EQ(*(first - 1), "sync " + packs) << PrintToString(events);
  }

  // What is left of a pack or a multi-pack-index is an error; temporaries are
  // found by the next run.
  static void ExpectTold(const Result<RepackStats>& stats,
                         const StubbornFileSystem& system) {
    const std::string& refused = system.refused();
    const std::string name = fs::path(refused).filename();
    if (!name.starts_with("pack-") && name != "multi-pack-index") return;
    EXPECT_THAT(stats, HasCode(ErrorCode::kIo)) << refused;
  }

  // After a failure: nothing lost, and the next run works.
  void ExpectRecovers() const {
    EXPECT_EQ(Needed(), needed_);
    ExpectUnreachableObjects();
    ASSERT_THAT(Run(PosixFileSystem()), IsOk());
    EXPECT_EQ(Needed(), needed_);
    ExpectUnreachableObjects();
    int indexes = 0;
    for (const std::string& name : ListDirectory(path_ + "/objects/pack")) {
      EXPECT_THAT(name, IsPublished());
      indexes += name.ends_with(".idx") ? 1 : 0;
    }
    if (max_pack_size_ != 0) {
      EXPECT_GT(indexes, 2);
    } else {
      EXPECT_EQ(indexes, HasSecondPack() ? 2 : 1);
    }
  }

  // Unless they were to be dropped.
  void ExpectUnreachableObjects() const {
    if (mode_ == Unreachable::kDrop && geometric_ == 0 && !IsFiltered()) return;
    for (const std::string& id : unreachable_) {
      const bool here = RunGit({"cat-file", "-e", id}, path_).ok();
      EXPECT_TRUE(here || (!expired_.empty() &&
                           RunGit({"cat-file", "-e", id}, expired_).ok()))
          << id;
    }
  }

  bool IsFiltered() const { return blob_limit_ != ObjectFilter::kNoLimit; }
  bool HasSecondPack() const {
    return IsFiltered() || (mode_ == Unreachable::kCruft && expired_.empty());
  }

  // The first call of each kind and the last, and one between if there are
  // many.
  static std::set<int> Choose(
      const std::map<std::string, std::vector<int>>& by_kind) {
    std::set<int> chosen;
    for (const auto& [what, calls] : by_kind) {
      if (std::getenv("ZPACK_ALL_FAULTS") != nullptr) {
        chosen.insert(calls.begin(), calls.end());
      } else {
        chosen.insert({calls.front(), calls.back()});
        if (calls.size() > 16) chosen.insert(calls[calls.size() / 2]);
      }
    }
    return chosen;
  }

  void ExpectSurvives(Fault fault) const {
    FaultFileSystem sound(-1, fault);
    std::map<std::string, std::vector<int>> by_kind;
    sound.set_meanwhile([&](const std::string& what, const std::string&) {
      by_kind[what].push_back(sound.calls());
    });
    ASSERT_THAT(Run(sound), IsOk());
    ASSERT_GT(sound.calls(), 20);
    for (const int call : Choose(by_kind)) {
      Reset();
      FaultFileSystem system(call, fault);
      const auto stats = Run(system);
      SCOPED_TRACE("call " + std::to_string(call) + ", " + system.failed());
      if (stats) {
        ASSERT_THAT(stats->warnings, Contains(HasSubstr(dir_.path())));
      } else {
        ASSERT_THAT(stats, IsError(ErrorCode::kIo, HasSubstr(dir_.path())));
      }
      for (const std::string& name : ListDirectory(path_ + "/objects/pack")) {
        EXPECT_THAT(name, IsPublished());
      }
      ExpectSoundIndex();
      ExpectRecovers();
    }
  }

  TempDir dir_;
  std::string saved_;
  std::string path_;
  std::string needed_;
  std::vector<std::string> unreachable_;
  Unreachable mode_ = Unreachable::kDrop;
  PackReuse reuse_ = PackReuse::kDeltas;
  int32_t geometric_ = 0;
  uint64_t blob_limit_ = ObjectFilter::kNoLimit;
  uint64_t max_pack_size_ = 0;
  std::string expired_;  // a repository for objects that expire
  MultiPackIndex own_index_ = MultiPackIndex::kLeave;
  bool writes_index_ = false;
};

TEST_F(RepackFaults, ErrorsLoseNothing) { ExpectSurvives(Fault::kError); }

TEST_F(RepackFaults, ShortWritesLoseNothing) {
  ExpectSurvives(Fault::kShortWrite);
}

TEST_F(RepackFaults, LooseningLosesNothing) {
  mode_ = Unreachable::kLoosen;
  ExpectSurvives(Fault::kError);
}

TEST_F(RepackFaults, CruftPackLosesNothing) {
  mode_ = Unreachable::kCruft;
  ExpectSurvives(Fault::kError);
}

TEST_F(RepackFaults, GeometricRepackLosesNothing) {
  geometric_ = 1000;
  ExpectSurvives(Fault::kError);
}

TEST_F(RepackFaults, SeveralPacksLoseNothing) {
  max_pack_size_ = 4000;
  ExpectSurvives(Fault::kError);
}

TEST_F(RepackFaults, FilterLosesNothing) {
  blob_limit_ = 0;
  ExpectSurvives(Fault::kError);
}

TEST_F(RepackFaults, ExpiryToAnotherPlaceLosesNothing) {
  mode_ = Unreachable::kCruft;
  expired_ = dir_ / "expired";
  const RepoBuilder elsewhere(expired_);
  ExpectSurvives(Fault::kError);
  ExpectSurvives(Fault::kShortWrite);
}

TEST_F(RepackFaults, MultiPackIndexLosesNothing) {
  own_index_ = MultiPackIndex::kWrite;
  ExpectSurvives(Fault::kError);
  ExpectSurvives(Fault::kShortWrite);
}

// After a power cut, an entry that was not synced may be gone, and with it the
// directory with the new pack.
TEST_F(RepackFaults, NewDirectoryOfPacksIsSyncedBeforeAnythingIsRemoved) {
  const std::string objects = path_ + "/objects";
  fs::remove_all(path_);
  const RepoBuilder repo(path_);
  repo.History(3);
  fs::remove(objects + "/pack");
  StubbornFileSystem system(-1);
  const auto stats = Run(system);
  ASSERT_THAT(stats, IsOk());
  EXPECT_NE(stats->removed_loose, 0U);
  const auto& events = system.events();
  const auto synced =
      std::ranges::find(events, "sync " + fs::canonical(objects).string());
  ASSERT_NE(synced, events.end()) << PrintToString(events);
  EXPECT_THAT(std::vector<std::string>(events.begin(), synced),
              Each(Not(StartsWith("remove"))));
}

// The repository has a multi-pack-index of old packs, which is removed or
// replaced; each call to remove something fails once.
TEST_F(RepackFaults, NoMultiPackIndexListsAPackThatIsGone) {
  ASSERT_TRUE(RunGit({"multi-pack-index", "write"}, saved_).ok());
  for (const int writer : {0, 1, 2}) {
    writes_index_ = writer == 1;
    own_index_ = writer == 2 ? MultiPackIndex::kWrite : MultiPackIndex::kLeave;
    Reset();
    StubbornFileSystem sound(-1);
    ASSERT_THAT(Run(sound), IsOk());
    ExpectSyncedBeforePacksGo(sound.events());
    for (int call = 0; call < sound.removals(); ++call) {
      Reset();
      StubbornFileSystem system(call);
      SCOPED_TRACE("removal " + std::to_string(call));
      ExpectTold(Run(system), system);
      ExpectSoundIndex();
      EXPECT_EQ(Needed(), needed_);
    }
  }
}

TEST_F(RepackFaults, FailedRemovalsLoseNothing) {
  StubbornFileSystem sound(-1);
  ASSERT_THAT(Run(sound), IsOk());
  ASSERT_GE(sound.removals(), 8);
  for (int call = 0; call < sound.removals(); ++call) {
    Reset();
    StubbornFileSystem system(call);
    SCOPED_TRACE("removal " + std::to_string(call));
    ExpectTold(Run(system), system);
    EXPECT_GT(system.removals(), call);
    ExpectRecovers();
  }
}

// Two repacks at once, each of which writes a pack again that the other is
// about to remove: one of the two stays.
TEST_F(RepackFaults, PackThatIsWrittenAgainMeanwhileStays) {
  ASSERT_TRUE(RunGit({"repack", "-q", "-a", "-d"}, path_).ok());
  const std::string pack_directory = path_ + "/objects/pack/";
  std::string old;
  for (const std::string& name : ListDirectory(path_ + "/objects/pack")) {
    if (name.ends_with(".idx")) old = pack_directory + name;
  }
  StubbornFileSystem system(-1, [&] {
    fs::copy_file(old, old + ".new");
    fs::rename(old + ".new", old);
  });
  const auto stats = Run(system);
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->removed_packs, 0U);
  EXPECT_TRUE(Exists(old));
  for (const char* extension : {".idx", ".rev", ".pack"}) {
    fs::remove(pack_directory + stats->names.at(0) + extension);
  }
  EXPECT_EQ(Needed(), needed_);
}

// Another repack begins when the new pack has its name, and its index not yet.
// It must not replace the files that are still to be renamed.
TEST_F(RepackFaults, NoOtherBeginsWhileAPackGetsItsNames) {
  int others = 0;
  StubbornFileSystem system(-1, [&] {
    ++others;
    EXPECT_THAT(Run(PosixFileSystem()), HasCode(ErrorCode::kExists));
  });
  ASSERT_THAT(Run(system), IsOk());
  EXPECT_GE(others, 1);
  EXPECT_TRUE(RunGit({"fsck", "--full"}, path_).ok());
  EXPECT_EQ(Needed(), needed_);
  ExpectRecovers();
}

// A 'git repack' that began when there was one pack only, has written it anew
// as another, and waits before it removes, by its name, what it saw.
TEST_F(RepackFaults, NameThatOthersMayRemoveIsNotGivenAgain) {
  // Every run makes the same pack.
  reuse_ = PackReuse::kNothing;
  const auto first = Run(PosixFileSystem());
  ASSERT_THAT(first, IsOk());
  const std::string old = first->names.at(0);
  const std::string packs = path_ + "/objects/pack/";
  const std::string other = dir_ / "other";
  fs::copy(path_, other, fs::copy_options::recursive);
  ASSERT_TRUE(RunGit({"repack", "-q", "-a", "-d", "-f"}, other).ok());
  for (const std::string& name : ListDirectory(other + "/objects/pack")) {
    fs::copy_file(other + "/objects/pack/" + name, packs + name);
  }
  const auto second = Run(PosixFileSystem());
  ASSERT_THAT(second, IsOk());
  for (const char* extension : {".idx", ".rev", ".pack"}) {
    fs::remove(packs + old + extension);
  }
  EXPECT_EQ(Needed(), needed_);
  // Once nobody can know it, the name comes back.
  const auto third = Run(PosixFileSystem());
  ASSERT_THAT(third, IsOk());
  EXPECT_THAT(third->names, ::testing::ElementsAre(old));
  EXPECT_EQ(Needed(), needed_);
}

TEST_F(RepackFaults, PackThatIsThereAlreadyIsKept) {
  for (const Unreachable mode : {Unreachable::kDrop, Unreachable::kCruft}) {
    Reset();
    mode_ = mode;
    const auto first = Run(PosixFileSystem());
    ASSERT_THAT(first, IsOk());
    const auto before = ListPacks(path_ + "/objects");
    const auto second = Run(PosixFileSystem());
    ASSERT_THAT(second, IsOk());
    EXPECT_EQ(second->names, first->names);
    EXPECT_EQ(second->cruft_names, first->cruft_names);
    EXPECT_EQ(second->removed_packs, 0U);
    EXPECT_EQ(*ListPacks(path_ + "/objects"), *before);
    EXPECT_EQ(Needed(), needed_);
  }
}

TEST_F(RepackFaults, DamagedPackOfTheSameNameIsNotReliedOn) {
  const auto first = Run(PosixFileSystem());
  ASSERT_THAT(first, IsOk());
  const std::string reverse =
      path_ + "/objects/pack/" + first->names.at(0) + ".rev";
  WriteFile(reverse, "no reverse index");
  const auto second = Run(PosixFileSystem());
  ASSERT_THAT(second, IsOk());
  EXPECT_NE(second->names, first->names);
  EXPECT_FALSE(Exists(reverse));
  EXPECT_EQ(Needed(), needed_);
}

TEST_F(RepackFaults, PackThatIsToBeKeptByNowStays) {
  ASSERT_TRUE(RunGit({"repack", "-q", "-a", "-d"}, path_).ok());
  const std::string pack_directory = path_ + "/objects/pack/";
  const std::string old = ListDirectory(pack_directory).front();
  const std::string name = pack_directory + old.substr(0, 45);
  StubbornFileSystem system(-1, [&] { WriteFile(name + ".keep", ""); });
  const auto stats = Run(system);
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->removed_packs, 0U);
  EXPECT_TRUE(Exists(name + ".pack"));
}

// A ref is created whose commit was unreachable when the objects were listed.
TEST_F(RepackFaults, WhatIsNeededByNowKeepsItsPack) {
  const RepoBuilder repo = RepoBuilder::Existing(path_);
  const std::string doomed = repo.SimpleCommit("doomed\n");
  repo.SetRef("refs/heads/doomed", doomed);
  repo.PackAll();
  repo.Git({"update-ref", "-d", "refs/heads/doomed"});
  StubbornFileSystem system(-1, [&] { repo.SetRef("refs/heads/b", doomed); });
  const auto stats = Run(system);
  ASSERT_THAT(stats, IsOk());
  EXPECT_NE(stats->needed_again, "");
  EXPECT_EQ(stats->removed_packs, 0U);
  EXPECT_THAT(Needed(), HasSubstr(doomed));
}

}  // namespace
}  // namespace zpack::testing
