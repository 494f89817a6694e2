// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/lock_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/posix_file_system.h"
#include "support/fault_file.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::FaultFileSystem;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::ListDirectory;
using testing::WriteFile;

class LockFileTest : public ::testing::Test {
 protected:
  testing::TempDir dir_;
  std::string path_ = dir_ / "shallow.lock";
};

TEST_F(LockFileTest, OneAtATimeHasTheLock) {
  {
    const auto lock = LockFile::Take(PosixFileSystem(), path_);
    ASSERT_THAT(lock, IsOk());
    EXPECT_THAT(LockFile::Take(PosixFileSystem(), path_),
                HasCode(ErrorCode::kExists));
    EXPECT_THAT(ListDirectory(dir_.path()), ElementsAre("shallow.lock"));
  }
  EXPECT_THAT(ListDirectory(dir_.path()), IsEmpty());
}

TEST_F(LockFileTest, OnlyALockThatWeLeftIsTakenOver) {
  WriteFile(path_, "git-zpack\n");
  EXPECT_THAT(LockFile::Take(PosixFileSystem(), path_), IsOk());
  WriteFile(path_, "");
  EXPECT_THAT(LockFile::Take(PosixFileSystem(), path_),
              HasCode(ErrorCode::kExists));
  EXPECT_THAT(ListDirectory(dir_.path()), ElementsAre("shallow.lock"));
}

TEST_F(LockFileTest, NobodyIsBlamedForACallThatFails) {
  int fail_at = 0;
  for (;; ++fail_at) {
    FaultFileSystem file_system(fail_at, FaultFileSystem::Fault::kError);
    const auto lock = LockFile::Take(file_system, path_);
    if (file_system.failed().empty()) break;
    EXPECT_THAT(lock, HasCode(ErrorCode::kIo)) << file_system.failed();
    EXPECT_THAT(ListDirectory(dir_.path()), IsEmpty());
  }
  EXPECT_GT(fail_at, 1);
}

}  // namespace
}  // namespace zpack
