// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/file_tree.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

// A pipe that gives what one write wrote to each read.
class PacketPipe {
 public:
  PacketPipe() {
    std::array<int, 2> ends;
    EXPECT_EQ(pipe2(ends.data(), O_DIRECT | O_CLOEXEC), 0);
    reading_ = Descriptor(ends[0]);
    writing_ = Descriptor(ends[1]);
  }

  void Write(std::string_view text) {
    EXPECT_EQ(write(writing_.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  const Descriptor& Finish() {
    writing_ = Descriptor(-1);
    return reading_;
  }

 private:
  Descriptor reading_{-1};
  Descriptor writing_{-1};
};

// Network file systems and signals make reads short in the middle of a file.
TEST(FileTree, AShortReadIsNotTheEnd) {
  PacketPipe pipe;
  pipe.Write("# a comment\n");
  pipe.Write("*.o\n");
  Bytes content(100);
  const auto size = ReadFull(pipe.Finish(), content, "exclude");
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(AsText(ByteView(content).first(*size)), "# a comment\n*.o\n");
}

TEST(FileTree, NoMoreIsReadThanThereIsRoomFor) {
  PacketPipe pipe;
  pipe.Write("ab");
  pipe.Write("cd");
  Bytes content(3);
  const auto size = ReadFull(pipe.Finish(), content, "exclude");
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(AsText(content), "abc");
}

TEST(FileTree, WhatIsNoFileIsNotOpened) {
  const testing::TempDir directory;
  testing::WriteFile(directory / "a/file", "x");
  std::filesystem::create_symlink("file", directory / "a/link");
  std::filesystem::create_directory_symlink("a", directory / "b");
  const auto opens = [&](const std::string& name) {
    const auto file = OpenInTree(directory.path(), name);
    EXPECT_THAT(file, testing::IsOk()) << name;
    return file && file->has_value();
  };
  EXPECT_TRUE(opens("a/file"));
  for (const char* const name :
       {"a", "a/none", "none/file", "a/link", "b/file", "a/file/below"}) {
    EXPECT_FALSE(opens(name)) << name;
  }
}

}  // namespace
}  // namespace zpack
