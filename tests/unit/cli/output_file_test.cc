// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <mutex>
#include <new>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_dir.h"

namespace {

// The paths of what was synced, by any thread of the program.
class SyncedFiles {
 public:
  void Add(std::string path) {
    const std::lock_guard<std::mutex> lock(mutex_);
    paths_.push_back(std::move(path));
  }
  std::vector<std::string> Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(paths_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> paths_;
};
SyncedFiles synced_files;

}  // namespace

// In place of that of the C library.
extern "C" int fsync(int fd) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink(
      "/proc/self/fd/" + std::to_string(fd), error);
  synced_files.Add(path.string());
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ListDirectory;
using testing::ReadFile;
using testing::TempDir;
using testing::WriteFile;

class OutputFileTest : public ::testing::Test {
 protected:
  // Writes "new", and does `meanwhile` before the end.
  int Write(const std::function<void()>& meanwhile, int code = kDone) {
    const OutputFile file(path_);
    return file.Write(io_, [&](std::ostream& out) {
      out << "new";
      meanwhile();
      return code;
    });
  }

  TempDir dir_;
  std::string path_ = dir_ / "out";
  std::istringstream in_;
  std::ostringstream out_;
  std::ostringstream err_;
  Io io_{in_, out_, err_};
};

TEST_F(OutputFileTest, ReplacesWhatWasThereAndNothingThatCameMeanwhile) {
  EXPECT_EQ(Write([] {}), kDone);
  EXPECT_EQ(ReadFile(path_), "new");
  WriteFile(path_, "old");
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(Write([] {}), kDone);
  EXPECT_EQ(ReadFile(path_), "new");
  EXPECT_EQ(err_.str(), "");
  // Written to, replaced, removed.
  EXPECT_EQ(Write([&] { WriteFile(path_, "of another process"); }), 128);
  EXPECT_EQ(ReadFile(path_), "of another process");
  EXPECT_THAT(err_.str(), HasSubstr("another process changed"));
  EXPECT_EQ(Write([&] {
              WriteFile(dir_ / "other", "of another process");
              fs::rename(dir_ / "other", path_);
            }),
            128);
  EXPECT_EQ(ReadFile(path_), "of another process");
  EXPECT_EQ(Write([&] { fs::remove(path_); }), 128);
  EXPECT_THAT(ListDirectory(dir_.path()), IsEmpty());
  // Appeared.
  EXPECT_EQ(Write([&] { WriteFile(path_, "mine"); }), 128);
  EXPECT_EQ(ReadFile(path_), "mine");
  EXPECT_THAT(ListDirectory(dir_.path()), ElementsAre("out"));
}

TEST_F(OutputFileTest, KeepsWhatAppearedBeforeTheWritingBegan) {
  const OutputFile file(path_);
  EXPECT_FALSE(file.exists());
  WriteFile(path_, "mine");
  EXPECT_EQ(file.Write(io_, [](std::ostream& out) { return out << 1, kDone; }),
            128);
  EXPECT_EQ(ReadFile(path_), "mine");
}

// The content is on disk before the name stands for it, and the name before
// the command ends.
TEST_F(OutputFileTest, IsSyncedBeforeAndAfterItGetsItsName) {
  for (int i = 0; i < 2; ++i) {
    synced_files.Take();
    EXPECT_EQ(Write([] {}), kDone);
    EXPECT_THAT(synced_files.Take(),
                ElementsAre(dir_.path(), dir_ / ".out.zpack-tmp", dir_.path()));
  }
  // Even if its owner may not open it, as long as its permissions let it be
  // made at all.
  fs::permissions(path_, fs::perms::none);
  EXPECT_EQ(Write([] {}), kDone);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::none);
}

// What a killed process has left is no file of the user.
TEST_F(OutputFileTest, TakesOverWhatAnotherRunLeft) {
  WriteFile(dir_ / ".out.zpack-tmp", "left, and longer than the new one");
  EXPECT_EQ(Write([] {}), kDone);
  EXPECT_EQ(ReadFile(path_), "new");
  EXPECT_THAT(ListDirectory(dir_.path()), ElementsAre("out"));
}

TEST_F(OutputFileTest, AFailureLeavesWhatWasThere) {
  EXPECT_THROW(Write([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THAT(ListDirectory(dir_.path()), IsEmpty());
  EXPECT_EQ(Write([] {}, 1), 1);
  EXPECT_THAT(ListDirectory(dir_.path()), IsEmpty());
  WriteFile(path_, "old");
  EXPECT_EQ(Write([] {}, 1), 1);
  EXPECT_EQ(ReadFile(path_), "old");
  // Through a link, which stays one.
  fs::create_symlink("out", dir_ / "link");
  path_ = dir_ / "link";
  EXPECT_EQ(Write([] {}), kDone);
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(ReadFile(dir_ / "out"), "new");
}

}  // namespace
}  // namespace zpack::cli
