// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every call to the file system fails once during a restore, others do harm
// meanwhile, or the file system does not know some calls. Afterwards what was
// at the destination is there, or the whole new repository, and no other file
// was touched.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/posix_file_system.h"
#include "convert/convert_source.h"
#include "git/restore/repository_sink.h"
#include "reader/archive_file.h"
#include "support/fault_file.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "transfer/repository_restorer.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using Fault = FaultFileSystem::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class RestoreFaults : public ::testing::Test {
 protected:
  RestoreFaults() {
    Convert(SampleHistory(20));
    fs::create_directory(parent_);
  }

  void Convert(MemorySource source) const {
    ConvertOptions options;
    options.overwrite = Overwrite::kYes;
    options.run.threads = 1;
    Require(ConvertSource([&](SourceUse) { return source.Open(); },
                          PosixFileSystem(), file_, options)
                .has_value(),
            "convert");
  }

  Status Restore(FileSystem& system,
                 Overwrite overwrite = Overwrite::kNo) const {
    const auto archive =
        ArchiveFile::Open(*PosixFileSystem().OpenForRead(file_), ReadOptions{});
    EXPECT_TRUE(archive);
    const auto sink =
        CreateRepository(system, target_, overwrite,
                         {.ref_storage = ref_storage_,
                          .object_count = (*archive)->ids().size()});
    if (!sink) return std::unexpected(sink.error());
    RestoreOptions options;
    options.run.threads = 1;
    options.trust = trust_;
    const auto stats = RestoreArchive(**archive, options, **sink);
    if (!stats) return std::unexpected(stats.error());
    return {};
  }

  bool IsRestored() const {
    return Exists(target_ + "/HEAD") &&
           Exists(target_ + (ref_storage_ == RefStorage::kFiles
                                 ? "/packed-refs"
                                 : "/reftable/tables.list"));
  }

  // Calls of a restore in which nothing fails.
  int CountCalls(Overwrite overwrite) const {
    FaultFileSystem sound(-1, Fault::kError);
    EXPECT_THAT(Restore(sound, overwrite), IsOk());
    EXPECT_GT(sound.calls(), 20);
    return sound.calls();
  }

  // Each call fails once, where nothing is in the way.
  void ExpectNothingLeft() const {
    const int calls = CountCalls(Overwrite::kNo);
    for (int at = 0; at < 2 * calls; ++at) {
      fs::remove_all(target_);
      const int call = at / 2;
      FaultFileSystem system(call,
                             at % 2 == 0 ? Fault::kError : Fault::kShortWrite);
      const Status status = Restore(system);
      SCOPED_TRACE("call " + std::to_string(call) + ", " + system.failed());
      // Only the fsync of the directory comes after the rename.
      const bool renamed = call == calls - 1;
      ASSERT_THAT(status,
                  HasCode(renamed ? ErrorCode::kNotDurable : ErrorCode::kIo));
      // The private directory has a name.
      EXPECT_THAT(status.error().path, StartsWith(parent_));
      EXPECT_THAT(status.error().message, HasSubstr(parent_));
      EXPECT_EQ(IsRestored(), renamed);
      EXPECT_EQ(ListDirectory(parent_).size(), renamed ? 1U : 0U);
    }
  }

  TempDir dir_;
  RefStorage ref_storage_ = RefStorage::kFiles;
  Trust trust_ = Trust::kNo;
  std::string file_ = dir_ / "a.zpack";
  std::string parent_ = dir_ / "out";
  std::string target_ = parent_ + "/r.git";
};

TEST_F(RestoreFaults, LeaveNothingWhereNothingWas) { ExpectNothingLeft(); }

TEST_F(RestoreFaults, OfSharedFilesLeaveNothingWhereNothingWas) {
  MemorySource source = SampleHistory(1);
  source.files["config"] = "[core]\n\tsharedRepository = group\n";
  Convert(std::move(source));
  trust_ = Trust::kYes;
  ExpectNothingLeft();
}

TEST_F(RestoreFaults, OfReftablesLeaveNothingWhereNothingWas) {
  ref_storage_ = RefStorage::kReftable;
  ExpectNothingLeft();
}

TEST_F(RestoreFaults, LeaveAnEmptyDirectoryEmpty) {
  fs::create_directory(target_);
  const int calls = CountCalls(Overwrite::kNo);
  for (int call = 0; call < calls; ++call) {
    fs::remove_all(target_);
    fs::create_directory(target_);
    FaultFileSystem system(call, Fault::kError);
    const Status status = Restore(system);
    SCOPED_TRACE("call " + std::to_string(call) + ", " + system.failed());
    ASSERT_THAT(status, HasCode(call == calls - 1 ? ErrorCode::kNotDurable
                                                  : ErrorCode::kIo));
    if (call == calls - 1) {
      EXPECT_TRUE(IsRestored());
    } else {
      EXPECT_THAT(ListDirectory(target_), IsEmpty());
    }
    EXPECT_THAT(ListDirectory(parent_), ElementsAre("r.git"));
  }
}

TEST_F(RestoreFaults, RunKilledInAnEmptyDirectoryIsDoneAgain) {
  fs::create_directory(target_);
  const int calls = CountCalls(Overwrite::kNo);
  for (int call = 0; call < calls - 1; ++call) {
    fs::remove_all(target_);
    fs::create_directory(target_);
    FaultFileSystem system(call, Fault::kKill);
    SCOPED_TRACE("call " + std::to_string(call));
    ASSERT_FALSE(Restore(system));
    EXPECT_FALSE(Exists(target_ + "/HEAD"));
    FaultFileSystem sound(-1, Fault::kError);
    ASSERT_THAT(Restore(sound), IsOk());
    EXPECT_TRUE(IsRestored());
    EXPECT_THAT(ListDirectory(target_),
                ::testing::Each(::testing::Not(HasSubstr("zpack-tmp"))));
  }
}

TEST_F(RestoreFaults, LeaveTheOldRepositoryOrTheNewOne) {
  const RepoBuilder old(dir_ / "old.git");
  old.SetRef("refs/heads/old", old.SimpleCommit("old"));
  const auto reset = [&] {
    fs::remove_all(target_);
    fs::copy(old.path(), target_, fs::copy_options::recursive);
  };
  reset();
  const int calls = CountCalls(Overwrite::kYes);
  for (int call = 0; call < calls; ++call) {
    reset();
    FaultFileSystem system(call, Fault::kError);
    const Status status = Restore(system, Overwrite::kYes);
    SCOPED_TRACE("call " + std::to_string(call) + ", " + system.failed());
    ASSERT_THAT(status, HasCode(call == calls - 1 ? ErrorCode::kNotDurable
                                                  : ErrorCode::kIo));
    EXPECT_EQ(Exists(target_ + "/refs/heads/old"), call != calls - 1);
    EXPECT_EQ(IsRestored(), call == calls - 1);
    EXPECT_THAT(ListDirectory(parent_), ElementsAre("r.git"));
  }
}

TEST_F(RestoreFaults, PlantedLinkIsNotFollowed) {
  const std::string victim = dir_ / "victim";
  fs::create_directory(victim);
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string& path) {
    if (what == "mkdir" && path == parent_ + "/.r.git.zpack-tmp") {
      fs::create_directory_symlink(victim, path);
    }
  });
  EXPECT_THAT(Restore(system), HasCode(ErrorCode::kExists));
  EXPECT_THAT(ListDirectory(victim), IsEmpty());
}

TEST_F(RestoreFaults, NothingIsWrittenThroughADirectoryThatTookOurs) {
  const std::string victim = dir_ / "victim";
  const std::string ours = parent_ + "/.r.git.zpack-tmp";
  WriteFile(victim + "/config", "precious");
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string&) {
    if (what != "mkdir" || !Exists(ours) || fs::is_symlink(ours)) return;
    fs::rename(ours, dir_ / "away");
    fs::create_directory_symlink(victim, ours);
  });
  const Status status = Restore(system);
  EXPECT_THAT(status, HasCode(ErrorCode::kExists));
  EXPECT_THAT(status.error().message, HasSubstr("was replaced"));
  EXPECT_THAT(ListDirectory(victim), ElementsAre("config"));
  EXPECT_EQ(ReadFile(victim + "/config"), "precious");
  EXPECT_FALSE(Exists(target_));
}

TEST_F(RestoreFaults, WhatAppearsInAnEmptyDirectoryIsKept) {
  fs::create_directory(target_);
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string& path) {
    if (what == "rename" && path.ends_with("/refs")) {
      WriteFile(target_ + "/refs/mine", "mine");
    }
  });
  EXPECT_THAT(Restore(system), HasCode(ErrorCode::kExists));
  EXPECT_THAT(ListDirectory(target_), ElementsAre("refs"));
  EXPECT_EQ(ReadFile(target_ + "/refs/mine"), "mine");
}

TEST_F(RestoreFaults, WhatAppearsUnderAnotherNameEndsTheWork) {
  fs::create_directory(target_);
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string& path) {
    if (what == "fsync" && path.starts_with("/proc/")) {
      WriteFile(target_ + "/mine", "mine");
    }
  });
  EXPECT_THAT(Restore(system), HasCode(ErrorCode::kExists));
  EXPECT_THAT(ListDirectory(target_), ElementsAre("mine"));
}

TEST_F(RestoreFaults, WhatAppearsInAReplacedRepositoryIsKept) {
  const RepoBuilder old(target_);
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string& path) {
    if (what == "fsync" && path.starts_with("/proc/")) {
      WriteFile(target_ + "/worktrees/new/locked", "mine");
    }
  });
  EXPECT_THAT(Restore(system, Overwrite::kYes), HasCode(ErrorCode::kExists));
  EXPECT_EQ(ReadFile(target_ + "/worktrees/new/locked"), "mine");
}

TEST_F(RestoreFaults, WhatAnotherRunFinishedMeanwhileIsKept) {
  fs::create_directory(target_);
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string& path) {
    if (what == "create" && path.ends_with("/.zpack-tmp.lock")) {
      const RepoBuilder other(target_);
      other.SetRef("refs/heads/other", other.SimpleCommit("other"));
    }
  });
  EXPECT_THAT(Restore(system, Overwrite::kYes), HasCode(ErrorCode::kExists));
  EXPECT_TRUE(RunGit({"rev-parse", "other"}, target_).ok());
}

// The name stands for another repository by the time that the old one is
// exchanged.
TEST_F(RestoreFaults, AnotherRepositoryThatTookTheNameIsKept) {
  for (const std::string_view moment : {"fsync", "rename"}) {
    fs::remove_all(parent_);
    fs::create_directory(parent_);
    const RepoBuilder old(target_);
    const std::string away = dir_ / "away";
    fs::remove_all(away);
    FaultFileSystem system(-1, Fault::kError);
    system.set_meanwhile([&](const std::string& what, const std::string& path) {
      const bool is_now =
          what == "rename" ? path == target_ : path.starts_with("/proc/");
      if (what != moment || !is_now || Exists(away)) return;
      fs::rename(target_, away);
      const RepoBuilder other(target_);
      other.SetRef("refs/heads/other", other.SimpleCommit("other"));
    });
    const Status status = Restore(system, Overwrite::kYes);
    EXPECT_THAT(status, HasCode(ErrorCode::kExists)) << moment;
    EXPECT_TRUE(RunGit({"rev-parse", "other"}, target_).ok()) << moment;
    EXPECT_THAT(ListDirectory(parent_), ElementsAre("r.git")) << moment;
  }
}

// The name of the private directory stands for something else by the time that
// it gets the final name, or its mode.
TEST_F(RestoreFaults, WhatTookThePrivateDirectoryIsNotPublished) {
  const std::string victim = dir_ / "victim";
  const std::string ours = parent_ + "/.r.git.zpack-tmp";
  WriteFile(victim + "/config", "precious");
  fs::permissions(victim, fs::perms::owner_all);
  for (const bool is_old_there : {false, true}) {
    for (const std::string_view moment : {"chmod", "rename"}) {
      SCOPED_TRACE(std::string(moment) + (is_old_there ? " old" : " new"));
      fs::remove_all(parent_);
      fs::create_directory(parent_);
      fs::remove_all(dir_ / "away");
      if (is_old_there) {
        const RepoBuilder old(target_);
        old.SetRef("refs/heads/old", old.SimpleCommit("old"));
      }
      FaultFileSystem system(-1, Fault::kError);
      system.set_meanwhile(
          [&](const std::string& what, const std::string& path) {
            const bool is_now =
                what == "rename"
                    ? path == target_
                    : path == ours || DirectoryOf(path) == "/proc/self/fd";
            if (what != moment || !is_now || Exists(dir_ / "away")) return;
            fs::rename(ours, dir_ / "away");
            fs::create_directory_symlink(victim, ours);
          });
      EXPECT_THAT(Restore(system, Overwrite::kYes),
                  HasCode(ErrorCode::kExists));
      EXPECT_TRUE(Exists(dir_ / "away"));
      EXPECT_EQ(fs::status(victim).permissions(), fs::perms::owner_all);
      EXPECT_EQ(ReadFile(victim + "/config"), "precious");
      EXPECT_EQ(Exists(target_), is_old_there);
      if (is_old_there) {
        EXPECT_TRUE(RunGit({"rev-parse", "old"}, target_).ok());
      }
    }
  }
}

// Right before any call, the destination or the private directory becomes a
// link.
TEST_F(RestoreFaults, NothingOutsideChangesWheneverALinkTakesAName) {
  const std::string victim = dir_ / "victim";
  const std::vector<std::string> kept = {"HEAD", "config", "objects", "refs"};
  const std::string away = dir_ / "away";
  const RepoBuilder old(dir_ / "old.git");
  for (const std::string before : {"nothing", "empty", "repository"}) {
    const auto reset = [&] {
      fs::remove_all(parent_);
      fs::remove_all(away);
      fs::remove_all(victim);
      for (const std::string& name : kept) {
        WriteFile(victim + '/' + name, "mine");
      }
      fs::create_directory(parent_);
      if (before == "empty") fs::create_directory(target_);
      if (before == "repository") {
        fs::copy(old.path(), target_, fs::copy_options::recursive);
      }
    };
    reset();
    const int calls = CountCalls(Overwrite::kYes);
    const std::string ours = before == "empty" ? target_ + "/.zpack-tmp"
                                               : parent_ + "/.r.git.zpack-tmp";
    for (int at = 0; at < 2 * calls; ++at) {
      reset();
      const std::string& taken = at % 2 == 0 ? target_ : ours;
      SCOPED_TRACE(before + ", call " + std::to_string(at / 2) + ", " + taken);
      FaultFileSystem system(-1, Fault::kError);
      int call = 0;
      system.set_meanwhile([&](const std::string&, const std::string&) {
        if (call++ != at / 2) return;
        if (Exists(taken)) fs::rename(taken, away);
        fs::create_directory_symlink(victim, taken);
      });
      (void)Restore(system, Overwrite::kYes);
      EXPECT_EQ(ListDirectory(victim), kept);
      for (const std::string& name : kept) {
        if (Exists(victim + '/' + name)) {
          EXPECT_EQ(ReadFile(victim + '/' + name), "mine");
        }
      }
    }
  }
}

TEST_F(RestoreFaults, NothingIsMovedIntoADirectoryThatTookTheName) {
  const std::string victim = dir_ / "victim";
  for (const bool link : {false, true}) {
    fs::create_directory(target_);
    fs::remove_all(victim);
    fs::create_directory(victim);
    fs::remove_all(dir_ / "away");
    FaultFileSystem system(-1, Fault::kError);
    system.set_meanwhile([&](const std::string& what, const std::string& path) {
      if (what != "fsync" || !path.starts_with("/proc/") ||
          Exists(dir_ / "away")) {
        return;
      }
      fs::rename(target_, dir_ / "away");
      if (link) {
        fs::create_directory_symlink(victim, target_);
      } else {
        fs::create_directory(target_);
      }
    });
    EXPECT_THAT(Restore(system), HasCode(ErrorCode::kExists));
    EXPECT_THAT(ListDirectory(victim), IsEmpty());
    EXPECT_THAT(ListDirectory(target_), IsEmpty());
    fs::remove_all(target_);
  }
}

// What was moved up before may have the names of what is there now.
TEST_F(RestoreFaults, NothingIsRemovedFromARepositoryThatTookTheName) {
  fs::create_directory(target_);
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string& path) {
    if (what != "rename" || !path.ends_with("/refs")) return;
    fs::rename(target_, dir_ / "away");
    const RepoBuilder other(target_);
    other.SetRef("refs/heads/other", other.SimpleCommit("other"));
  });
  EXPECT_FALSE(Restore(system));
  EXPECT_TRUE(RunGit({"rev-parse", "other"}, target_).ok());
}

TEST_F(RestoreFaults, NothingIsPublishedThatIsNotSynced) {
  constexpr std::string_view kInside = "/proc/self/fd/";
  bool synced = false;
  bool published = false;
  FaultFileSystem system(-1, Fault::kError);
  system.set_meanwhile([&](const std::string& what, const std::string& path) {
    if (what == "rename" && path == target_) {
      published = true;
      EXPECT_TRUE(synced);
    }
    // Of the whole, after what is written into it.
    if (what == "create") synced = false;
    if (what == "fsync" && path.starts_with(kInside) &&
        path.find('/', kInside.size()) == std::string::npos) {
      synced = true;
    }
  });
  EXPECT_THAT(Restore(system), IsOk());
  EXPECT_TRUE(published);
}

// NFS, FUSE and exFAT, at their poorest.
PosixCalls PoorCalls() {
  PosixCalls calls;
  calls.rename = [](const char* from, const char* to, unsigned flags) {
    if (flags == 0) return rename(from, to);
    return errno = EINVAL, -1;
  };
  calls.link = [](const char*, const char*) { return errno = EPERM, -1; };
  calls.lock = [](int) { return errno = ENOLCK, -1; };
  calls.set_mode = [](const char*, mode_t) { return errno = EPERM, -1; };
  calls.sync_directory = [](int) { return errno = EINVAL, -1; };
  calls.sync_file_system = [](int) { return errno = ENOSYS, -1; };
  return calls;
}

TEST_F(RestoreFaults, PoorFileSystemGetsWholeRepositories) {
  const auto system = MakePosixFileSystem(PoorCalls());
  EXPECT_THAT(Restore(*system), IsOk());
  EXPECT_TRUE(IsRestored());
  fs::remove_all(target_);
  fs::create_directory(target_);
  EXPECT_THAT(Restore(*system), IsOk());
  EXPECT_TRUE(IsRestored());
  EXPECT_THAT(ListDirectory(parent_), ElementsAre("r.git"));
}

TEST_F(RestoreFaults, PoorFileSystemRefusesToReplaceBeforeTheWork) {
  const RepoBuilder old(target_);
  old.SetRef("refs/heads/old", old.SimpleCommit("old"));
  const auto system = MakePosixFileSystem(PoorCalls());
  const auto sink =
      CreateRepository(*system, target_, Overwrite::kYes, {.object_count = 1});
  EXPECT_THAT(sink, HasCode(ErrorCode::kUnsupported));
  EXPECT_THAT(sink.error().message, StartsWith("--force cannot replace"));
  EXPECT_TRUE(old.TryGit({"rev-parse", "old"}).ok());
  EXPECT_THAT(ListDirectory(parent_), ElementsAre("r.git"));
}

TEST(RestoreSyncs, SymbolicRefsAllAtOnce) {
  const auto syncs = [](int symrefs) {
    const TempDir directory;
    FaultFileSystem system(-1, Fault::kError);
    const auto sink =
        CreateRepository(system, directory / "r.git", Overwrite::kNo, {});
    EXPECT_TRUE(sink);
    RefsSnapshot refs;
    refs.head_symref = "refs/heads/main";
    for (int i = 0; i < symrefs; ++i) {
      refs.refs.push_back(
          {"refs/x/" + std::to_string(i), {}, {}, "refs/heads/main"});
    }
    EXPECT_TRUE((*sink)->Finish(refs));
    EXPECT_GE(system.calls("create"), symrefs);
    return system.calls("fsync");
  };
  EXPECT_EQ(syncs(9), syncs(1));
}

}  // namespace
}  // namespace zpack::testing
