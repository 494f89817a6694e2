// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/matchers.h"
#include "support/someone.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::AsSomeone;
using testing::HasCode;
using testing::IsOk;
using testing::ReadFile;
using testing::TempDir;

TEST(CreateLocked, ReplacesWhatMayNotBeWrittenUnlessSomeoneHoldsIt) {
  const TempDir directory;
  ASSERT_EQ(chmod(directory.path().c_str(), 0777), 0);
  const AsSomeone someone;
  const std::string path = directory / "file";
  {
    const auto first = PosixFileSystem().CreateLocked(path);
    ASSERT_THAT(first, IsOk());
    ASSERT_THAT((*first)->Append(AsBytes("finished")), IsOk());
    ASSERT_THAT(PosixFileSystem().SetMode(path, 0444), IsOk());
    EXPECT_THAT(PosixFileSystem().CreateLocked(path),
                HasCode(ErrorCode::kExists));
    EXPECT_EQ(ReadFile(path), "finished");
  }
  const auto second = PosixFileSystem().CreateLocked(path);
  ASSERT_THAT(second, IsOk());
  ASSERT_THAT((*second)->Append(AsBytes("new")), IsOk());
  EXPECT_EQ(ReadFile(path), "new");
}

}  // namespace
}  // namespace zpack
