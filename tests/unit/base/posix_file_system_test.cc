// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// File systems that do not know some calls: NFS, FUSE, exFAT.

#include "base/posix_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "base/atomic_file.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::ListDirectory;
using testing::ReadFile;
using testing::TempDir;
using testing::WriteFile;

class PoorFileSystemTest : public ::testing::Test {
 protected:
  PoorFileSystemTest() {
    calls_.rename = [](const char* from, const char* to, unsigned flags) {
      if (flags == 0) return rename(from, to);
      errno = EINVAL;
      return -1;
    };
    calls_.sync_directory = Fail<EINVAL>;
    calls_.sync_file_system = Fail<ENOSYS>;
  }

  template <int kError>
  static int Fail(int) {
    errno = kError;
    return -1;
  }
  template <int kError>
  static int FailLink(const char*, const char*) {
    errno = kError;
    return -1;
  }

  // Writes "new" to `path_`.
  Status Publish(Overwrite overwrite,
                 const std::function<void()>& meanwhile = {}) const {
    const auto system = MakePosixFileSystem(calls_);
    auto output = AtomicFile::Create(*system, path_, overwrite);
    if (!output) return std::unexpected(output.error());
    if (Status status = output->file().Append(AsBytes("new")); !status) {
      return status;
    }
    if (Status status = output->file().Sync(); !status) return status;
    if (meanwhile) meanwhile();
    return output->Commit();
  }

  // Publishes where nothing is, where something is and where something appears.
  void ExpectKeepsItsPromise() const {
    EXPECT_THAT(Publish(Overwrite::kNo), IsOk());
    EXPECT_EQ(ReadFile(path_), "new");
    EXPECT_THAT(Publish(Overwrite::kNo), HasCode(ErrorCode::kExists));
    EXPECT_THAT(Publish(Overwrite::kYes), IsOk());
    fs::remove(path_);
    EXPECT_THAT(
        Publish(Overwrite::kNo, [&] { WriteFile(path_, "of another"); }),
        HasCode(ErrorCode::kExists));
    EXPECT_EQ(ReadFile(path_), "of another");
    EXPECT_THAT(ListDirectory(dir_.path()), ElementsAre("file"));
  }

  TempDir dir_;
  std::string path_ = dir_ / "file";
  PosixCalls calls_;
};

TEST_F(PoorFileSystemTest, WithoutExclusiveRenameNothingIsOverwritten) {
  ExpectKeepsItsPromise();
}

TEST_F(PoorFileSystemTest, WithoutHardLinksNothingIsOverwritten) {
  for (auto* const link :
       {&FailLink<EPERM>, &FailLink<ENOSYS>, &FailLink<EOPNOTSUPP>}) {
    calls_.link = link;
    ExpectKeepsItsPromise();
    fs::remove(path_);
  }
}

TEST_F(PoorFileSystemTest, FailedRenameLeavesNoPlaceholder) {
  calls_.link = FailLink<EPERM>;
  calls_.rename = [](const char*, const char*, unsigned flags) {
    errno = flags == 0 ? EIO : EINVAL;
    return -1;
  };
  EXPECT_THAT(Publish(Overwrite::kNo), HasCode(ErrorCode::kIo));
  EXPECT_THAT(ListDirectory(dir_.path()), IsEmpty());
}

TEST_F(PoorFileSystemTest, LinkThatWasMadeIsNoFailureThoughTheServerSaysSo) {
  calls_.link = [](const char* from, const char* to) {
    if (link(from, to) != 0) return -1;
    errno = EEXIST;
    return -1;
  };
  EXPECT_THAT(Publish(Overwrite::kNo), IsOk());
  EXPECT_EQ(ReadFile(path_), "new");
  EXPECT_THAT(ListDirectory(dir_.path()), ElementsAre("file"));
}

// Whoever took the file for unpublished could write to it by its other name.
TEST_F(PoorFileSystemTest, TemporaryNameThatStaysIsNoFailure) {
  calls_.unlink = [](const char*) {
    errno = EIO;
    return -1;
  };
  EXPECT_THAT(Publish(Overwrite::kNo), IsOk());
  EXPECT_EQ(ReadFile(path_), "new");
  // The next run does not write to the published file.
  EXPECT_THAT(Publish(Overwrite::kNo), HasCode(ErrorCode::kExists));
  EXPECT_EQ(ReadFile(path_), "new");
}

TEST_F(PoorFileSystemTest, RunKilledBetweenLinkAndUnlinkSpoilsNothing) {
  const auto system = MakePosixFileSystem(calls_);
  const auto temporary = AtomicFile::TemporaryPath(path_);
  ASSERT_THAT(temporary, IsOk());
  WriteFile(path_, "published");
  ASSERT_EQ(link(path_.c_str(), temporary->c_str()), 0);
  EXPECT_THAT(Publish(Overwrite::kNo), HasCode(ErrorCode::kExists));
  EXPECT_THAT(AtomicFile::Create(*system, path_, Overwrite::kYes,
                                 AtomicFile::Leftover::kKeep),
              IsOk());
  EXPECT_EQ(ReadFile(path_), "published");
}

TEST_F(PoorFileSystemTest, DirectoryDoesNotReplaceWhatHasAppeared) {
  const auto system = MakePosixFileSystem(calls_);
  const std::string from = dir_ / "from";
  fs::create_directory(from);
  WriteFile(path_ + "/file", "");
  EXPECT_THAT(system->Rename(from, path_, Replace::kNo),
              HasCode(ErrorCode::kExists));
  fs::remove_all(path_);
  WriteFile(path_, "");
  EXPECT_THAT(system->Rename(from, path_, Replace::kNo),
              HasCode(ErrorCode::kExists));
  fs::remove(path_);
  EXPECT_THAT(system->Rename(from, path_, Replace::kNo), IsOk());
  fs::create_directory(from);
  EXPECT_THAT(system->Rename(from, path_, Replace::kExchange),
              HasCode(ErrorCode::kUnsupported));
}

TEST_F(PoorFileSystemTest, WithoutLocksOnlyANewFileIsWritten) {
  for (auto* const lock : {&Fail<ENOLCK>, &Fail<EOPNOTSUPP>, &Fail<ENOSYS>}) {
    calls_.lock = lock;
    const auto system = MakePosixFileSystem(calls_);
    EXPECT_THAT(Publish(Overwrite::kYes), IsOk());
    const auto first = system->CreateLocked(dir_ / "lock");
    EXPECT_THAT(first, IsOk());
    const auto second = system->CreateLocked(dir_ / "lock");
    EXPECT_THAT(second, HasCode(ErrorCode::kExists));
    EXPECT_THAT(second.error().message, ::testing::HasSubstr("has no locks"));
    EXPECT_THAT(system->Remove(dir_ / "lock"), IsOk());
  }
}

TEST_F(PoorFileSystemTest, WithoutModesFilesAreWritten) {
  for (const auto& set_mode :
       {+[](const char*, mode_t) { return errno = EPERM, -1; },
        +[](const char*, mode_t) { return errno = EOPNOTSUPP, -1; }}) {
    calls_.set_mode = set_mode;
    EXPECT_THAT(Publish(Overwrite::kYes), IsOk());
  }
  calls_.set_mode = [](const char*, mode_t) { return errno = EIO, -1; };
  EXPECT_THAT(Publish(Overwrite::kYes), HasCode(ErrorCode::kIo));
}

TEST_F(PoorFileSystemTest, DirectoriesThatCannotBeSyncedAreNoError) {
  const auto system = MakePosixFileSystem(calls_);
  EXPECT_THAT(system->SyncDirectory(dir_.path()), IsOk());
  EXPECT_THAT(system->SyncFileSystem(dir_.path()), IsOk());
  calls_.sync_directory = Fail<EIO>;
  EXPECT_THAT(MakePosixFileSystem(calls_)->SyncDirectory(dir_.path()),
              HasCode(ErrorCode::kIo));
}

}  // namespace
}  // namespace zpack
