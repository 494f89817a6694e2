// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// New stacks in a directory, complete or not at all.

#include "reftable/stack_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/fault_file.h"
#include "support/matchers.h"
#include "support/memory_table.h"
#include "support/temp_dir.h"
#include "unit/reftable/reftable_texts.h"

namespace zpack::reftable {
namespace {

using testing::DirectRef;
using testing::FaultFileSystem;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::ListDirectory;
using testing::LogEntry;
using testing::ReadFile;
using testing::TempDir;
using testing::WriteFile;

Status WriteStack(FileSystem& file_system, const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(StackWriter writer,
                         StackWriter::Create(file_system, directory, {}));
  ZPACK_TRY(writer.table().Add(DirectRef("refs/heads/a", 1)));
  ZPACK_TRY(writer.table().Add(LogEntry("refs/heads/a", 1)));
  return writer.Commit();
}

TEST(StackWriterTest, MakesAStackOfOneTable) {
  const TempDir directory;
  ASSERT_THAT(WriteStack(PosixFileSystem(), directory.path()), IsOk());
  const auto stack =
      Stack::Open(PosixFileSystem(), directory.path(), ObjectFormat::kSha1);
  ASSERT_THAT(stack, IsOk());
  EXPECT_EQ(*testing::RefsText(*stack),
            "refs/heads/a 0101010101010101010101010101010101010101\n");
  EXPECT_THAT(*testing::LogsText(*stack),
              ::testing::StartsWith("refs/heads/a 00"));
  const auto names = ListDirectory(directory.path());
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(ReadFile(directory / "tables.list"), names[0] + '\n');
}

TEST(StackWriterTest, LeavesNothingWithoutCommit) {
  const TempDir directory;
  {
    auto writer = StackWriter::Create(PosixFileSystem(), directory.path(), {});
    ASSERT_THAT(writer, IsOk());
    EXPECT_EQ(ListDirectory(directory.path()).size(), 2U);
    const StackWriter moved = *std::move(writer);
  }
  EXPECT_THAT(ListDirectory(directory.path()), IsEmpty());
}

TEST(StackWriterTest, RespectsGitsLockAndAnExistingStack) {
  for (const std::string name : {"tables.list.lock", "tables.list"}) {
    const TempDir directory;
    WriteFile(directory / name, "");
    EXPECT_THAT(WriteStack(PosixFileSystem(), directory.path()),
                HasCode(ErrorCode::kExists));
    EXPECT_THAT(ListDirectory(directory.path()), ::testing::ElementsAre(name));
  }
}

TEST(StackWriterTest, LeavesNothingAfterAnyFailure) {
  for (int fail_at = 0;; ++fail_at) {
    for (const auto fault : {FaultFileSystem::Fault::kError,
                             FaultFileSystem::Fault::kShortWrite}) {
      const TempDir directory;
      FaultFileSystem file_system(fail_at, fault);
      const Status written = WriteStack(file_system, directory.path());
      if (file_system.failed().empty()) {
        EXPECT_THAT(written, IsOk());
        EXPECT_GT(fail_at, 6);
        return;
      }
      ASSERT_FALSE(written) << file_system.failed();
      if (written.error().code == ErrorCode::kNotDurable) {
        EXPECT_EQ(ListDirectory(directory.path()).size(), 2U);
      } else {
        EXPECT_THAT(ListDirectory(directory.path()), IsEmpty())
            << file_system.failed();
      }
    }
  }
}

}  // namespace
}  // namespace zpack::reftable
