// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/matchers.h"
#include "support/someone.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using testing::AsSomeone;
using ::testing::ElementsAre;
using testing::Exists;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::ListDirectory;
using testing::TempDir;
using testing::WriteFile;

TEST(MakeDirectory, NeverAcceptsWhatIsThere) {
  const TempDir dir;
  fs::create_directory(dir / "victim");
  fs::create_directory_symlink("victim", dir / "link");
  EXPECT_THAT(MakeDirectory(dir / "victim", 0700), HasCode(ErrorCode::kExists));
  EXPECT_THAT(MakeDirectory(dir / "link", 0700), HasCode(ErrorCode::kExists));
  EXPECT_THAT(MakeDirectory(dir / "new", 0700), IsOk());
  EXPECT_EQ(fs::status(dir / "new").permissions(), fs::perms::owner_all);
}

TEST(OpenOwnDirectory, RefusesWhatMayNotBeTheOneThatWasMade) {
  const TempDir dir;
  fs::create_directory(dir / "ours");
  fs::create_directory_symlink("ours", dir / "link");
  WriteFile(dir / "file", "");
  EXPECT_THAT(OpenOwnDirectory(dir / "ours"), IsOk());
  EXPECT_THAT(OpenOwnDirectory(dir / "link"), HasCode(ErrorCode::kExists));
  EXPECT_THAT(OpenOwnDirectory(dir / "file"), HasCode(ErrorCode::kExists));
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  fs::create_directory(dir / "theirs");
  ASSERT_EQ(chown((dir / "theirs").c_str(), AsSomeone::kNobody, getegid()), 0);
  EXPECT_THAT(OpenOwnDirectory(dir / "theirs"), HasCode(ErrorCode::kExists));
}

TEST(MakeDirectories, FollowsWhatIsThereAndMakesTheRest) {
  const TempDir dir;
  fs::create_directory(dir / "real");
  fs::create_directory_symlink("real", dir / "link");
  EXPECT_THAT(MakeDirectories(dir / "link/a/b"), IsOk());
  EXPECT_THAT(MakeDirectories(dir / "link/a/b"), IsOk());
  EXPECT_TRUE(Exists(dir / "real/a/b"));
  fs::create_symlink("nowhere", dir / "dangling");
  EXPECT_FALSE(MakeDirectories(dir / "dangling/a"));
  EXPECT_FALSE(Exists(dir / "nowhere"));
}

TEST(ListEntries, ListsEverythingInOrderWithItsKind) {
  const TempDir dir;
  WriteFile(dir / "b", "");
  fs::create_directory(dir / "a");
  fs::create_symlink("b", dir / "c");
  ASSERT_EQ(mkfifo((dir / "d").c_str(), 0600), 0);
  WriteFile(dir / ".hidden", "");
  const auto entries = ListEntries(dir.path());
  ASSERT_THAT(entries, IsOk());
  const auto is = [](const char* name, fs::file_type type) {
    return ::testing::AllOf(::testing::Field(&DirectoryEntry::name, name),
                            ::testing::Field(&DirectoryEntry::type, type));
  };
  EXPECT_THAT(*entries, ElementsAre(is(".hidden", fs::file_type::regular),
                                    is("a", fs::file_type::directory),
                                    is("b", fs::file_type::regular),
                                    is("c", fs::file_type::symlink),
                                    is("d", fs::file_type::unknown)));
  // As often as is asked.
  const Descriptor readable(open(dir.path().c_str(), O_RDONLY | O_DIRECTORY));
  for (int i = 0; i < 2; ++i) {
    const auto again = ListEntries(readable, dir.path());
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->size(), entries->size());
  }
}

TEST(ListEntries, TellsWhatIsMissingFromWhatCannotBeRead) {
  const TempDir dir;
  WriteFile(dir / "file", "");
  fs::create_symlink("nowhere", dir / "dangling");
  fs::create_symlink("loop", dir / "loop");
  EXPECT_THAT(ListEntries(dir / "missing"), HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(ListEntries(dir / "dangling"), HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(ListEntries(dir / "file"), HasCode(ErrorCode::kIo));
  EXPECT_THAT(ListEntries(dir / "loop"), HasCode(ErrorCode::kIo));
  ASSERT_EQ(chmod(dir.path().c_str(), 0300), 0);
  {
    const AsSomeone someone;
    EXPECT_THAT(ListEntries(dir.path()), HasCode(ErrorCode::kIo));
  }
  ASSERT_EQ(chmod(dir.path().c_str(), 0700), 0);
}

// However deep the tree is: what a failed command leaves is removed when it may
// have used up all descriptors but two.
TEST(RemoveTree, NeedsTwoDescriptors) {
  const TempDir dir;
  fs::create_directories(dir / "away");
  WriteFile(dir / "away/file", "content");
  std::string deepest = dir / "tree";
  for (int i = 0; i < 20; ++i) {
    fs::create_directories(deepest + "/a");
    fs::create_directory_symlink(dir / "away", deepest + "/b");
    fs::create_directories(deepest + "/c");
    deepest += "/c";
    WriteFile(deepest + "/file", "content");
  }
  fs::permissions(deepest, fs::perms::owner_read);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const int next = dup(STDERR_FILENO);
  ASSERT_GE(next, 0);
  close(next);
  rlimit little = limit;
  little.rlim_cur = static_cast<rlim_t>(next) + 2;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &little), 0);
  const Status removed = RemoveTree(dir / "tree");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_THAT(removed, IsOk());
  EXPECT_THAT(ListDirectory(dir.path()), ElementsAre("away"));
  EXPECT_THAT(ListDirectory(dir / "away"), ElementsAre("file"));
}

TEST(RemoveTree, RemovesDirectoriesThatMayNotBeWritten) {
  const TempDir dir;
  ASSERT_EQ(chmod(dir.path().c_str(), 0777), 0);
  const AsSomeone someone;
  WriteFile(dir / "tree/a/b/file", "");
  WriteFile(dir / "victim/file", "");
  fs::permissions(dir / "victim", fs::perms::owner_exec);
  fs::create_directory_symlink("../victim", dir / "tree/link");
  for (const char* path : {"tree/a/b", "tree/a", "tree"}) {
    fs::permissions(dir / path, fs::perms::owner_read);
  }
  EXPECT_THAT(RemoveTree(dir / "tree"), IsOk());
  EXPECT_THAT(ListDirectory(dir.path()), ElementsAre("victim"));
  EXPECT_EQ(fs::status(dir / "victim").permissions(), fs::perms::owner_exec);
  EXPECT_THAT(RemoveTree(dir / "tree"), IsOk());
}

}  // namespace
}  // namespace zpack
