// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Temporary files in directories where others may write, too.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/file.h"
#include "support/matchers.h"
#include "support/someone.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using testing::AsSomeone;
using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::ReadFile;
using testing::TempDir;
using testing::WriteFile;

unsigned ModeOf(const std::string& path) {
  return static_cast<unsigned>(fs::symlink_status(path).permissions());
}

class TemporaryFileTest : public ::testing::Test {
 protected:
  TemporaryFileTest() {
    testing::Require(chmod(dir_.path().c_str(), 0777) == 0, "chmod");
  }

  Result<std::unique_ptr<WritableFile>> Open() const {
    return PosixFileSystem().OpenLocked(path_);
  }
  Result<std::unique_ptr<WritableFile>> Create() const {
    return PosixFileSystem().CreateLocked(path_);
  }
  // Takes over what is there and expects that it is empty and new.
  void ExpectReplaced() const {
    struct stat before;
    struct stat after;
    ASSERT_EQ(lstat(path_.c_str(), &before), 0);
    const int held = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const auto file = Open();
    ASSERT_THAT(file, IsOk());
    EXPECT_EQ((*file)->size(), 0U);
    ASSERT_EQ(lstat(path_.c_str(), &after), 0);
    EXPECT_NE(before.st_ino, after.st_ino);
    EXPECT_EQ(after.st_uid, geteuid());
    EXPECT_EQ(ModeOf(path_), 0600U);
    if (held >= 0) close(held);
  }

  TempDir dir_;
  std::string path_ = dir_ / "temporary";
};

TEST_F(TemporaryFileTest, LeftoverOfAKilledRunIsTakenOver) {
  WriteFile(path_, "written before");
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  auto file = Open();
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ((*file)->size(), 14U);
  // The run may have been killed after it gave the file its final mode.
  file->reset();
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  file = Open();
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ((*file)->size(), 14U);
  EXPECT_EQ(ModeOf(path_), 0600U);
  EXPECT_THAT(Open(), HasCode(ErrorCode::kExists));
  EXPECT_THAT(Create(), HasCode(ErrorCode::kExists));
  EXPECT_EQ(ReadFile(path_), "written before");
  file->reset();
  EXPECT_THAT(Create(), IsOk());
  EXPECT_EQ(ReadFile(path_), "");
}

TEST_F(TemporaryFileTest, IsForItsOwnerAloneWhateverTheUmask) {
  const mode_t old = umask(0);
  EXPECT_THAT(Open(), IsOk());
  EXPECT_EQ(ModeOf(path_), 0600U);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  EXPECT_THAT(Create(), IsOk());
  EXPECT_EQ(ModeOf(path_), 0644U);
  umask(old);
}

TEST_F(TemporaryFileTest, SecondNameOfAFileIsNeverWrittenTo) {
  WriteFile(dir_ / "precious", "precious");
  ASSERT_EQ(link((dir_ / "precious").c_str(), path_.c_str()), 0);
  ExpectReplaced();
  EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
}

TEST_F(TemporaryFileTest, FileThatOthersMayWriteIsNotTrusted) {
  WriteFile(path_, "planted");
  for (const mode_t mode : {0660, 0602}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    ExpectReplaced();
  }
}

TEST_F(TemporaryFileTest, FileOfAnotherUserIsNotWrittenTo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make one";
  WriteFile(path_, "planted");
  ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
  ExpectReplaced();
}

TEST_F(TemporaryFileTest, FileOfAnotherUserThatMayNotBeOpenedIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make one";
  WriteFile(path_, "of root");
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  {
    const AsSomeone someone;
    const auto file = Create();
    EXPECT_THAT(file, HasCode(ErrorCode::kExists));
    EXPECT_THAT(file.error().message,
                ::testing::HasSubstr("belongs to user 0"));
  }
  EXPECT_EQ(ReadFile(path_), "of root");
}

TEST_F(TemporaryFileTest, LinksAndDirectoriesAreRefused) {
  WriteFile(dir_ / "precious", "precious");
  fs::create_symlink("precious", path_);
  EXPECT_THAT(Open(), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Create(), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_THAT(Open(), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(Create(), HasCode(ErrorCode::kInvalidArgument));
}

TEST_F(TemporaryFileTest, AtomicFileIsReadableToOthersOnlyWhenFinished) {
  auto output =
      AtomicFile::Create(PosixFileSystem(), dir_ / "x", Overwrite::kNo);
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(ModeOf(output->temporary_path()), 0600U);
  ASSERT_THAT(output->file().Sync(), IsOk());
  const mode_t old = umask(027);
  EXPECT_THAT(output->Commit(), IsOk());
  umask(old);
  EXPECT_EQ(ModeOf(dir_ / "x"), 0640U);
}

}  // namespace
}  // namespace zpack
