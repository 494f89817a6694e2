// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/deflate.h"
#include "object/object_hasher.h"
#include "pack/pack_format.h"
#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::ListDirectory;
using testing::TempDir;

std::string Header(uint64_t size, uint64_t distance) {
  Bytes out;
  EncodeOffsetDeltaHeader(size, distance, out);
  return std::string(AsText(out));
}

TEST(EncodeOffsetDeltaHeader, WritesSizeAndDistanceAsGitDoes) {
  using std::string_literals::operator""s;
  EXPECT_EQ(Header(5, 1), "\x65\x01");
  EXPECT_EQ(Header(16, 127), "\xe0\x01\x7f");
  // Each further byte stands for one more than its bits say.
  EXPECT_EQ(Header(0, 128), "\x60\x80\x00"s);
  EXPECT_EQ(Header(0, 16511), "\x60\xff\x7f");
  EXPECT_EQ(Header(0, 16512), "\x60\x80\x80\x00"s);
}

class PackWriterTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<PackWriter>> Create(uint32_t count,
                                             unsigned number = 0) const {
    return PackWriter::Create(testing::TestFormat(), PosixFileSystem(),
                              dir_.path(), count, number);
  }

  // Adds a blob stored whole.
  static void Add(PackWriter& writer, const std::string& content) {
    Bytes stream;
    Deflater(6).Deflate(AsBytes(content), stream);
    const ObjectId id = ObjectHasher(testing::TestFormat())
                            .Hash(ObjectType::kBlob, AsBytes(content));
    ASSERT_THAT(writer.Add(id, {ObjectType::kBlob, content.size()}, stream),
                IsOk());
  }

  // Finishes the pack, which Git must find sound.
  void Publish(PackWriter& writer) {
    ASSERT_THAT(writer.Finish(), IsOk());
    const auto name = writer.Publish();
    ASSERT_THAT(name, IsOk());
    name_ = *name;
    EXPECT_TRUE(testing::RunGit(
                    {"verify-pack", format_option_, (dir_ / name_) + ".pack"},
                    dir_.path())
                    .ok());
  }

  TempDir dir_;
  std::string name_;  // of the published pack
  // Git is not in a repository that has a format.
  const std::string format_option_ =
      "--object-format=" + std::string(ObjectFormatName(testing::TestFormat()));
};

TEST_F(PackWriterTest, GitReadsPackIndexAndReverseIndex) {
  auto writer = Create(3);
  ASSERT_THAT(writer, IsOk());
  for (const char* const content : {"one", "two", "three"}) {
    Add(**writer, content);
  }
  ASSERT_NO_FATAL_FAILURE(Publish(**writer));
  // More packs of this process may get their names now.
  EXPECT_THAT(Create(1), HasCode(ErrorCode::kExists));
  writer->reset();
  EXPECT_THAT(
      ListDirectory(dir_.path()),
      ::testing::ElementsAre(name_ + ".idx", name_ + ".pack", name_ + ".rev"));
  const std::string path = dir_ / name_;
  // The reverse index that git makes of the same pack.
  ASSERT_TRUE(testing::RunGit({"index-pack", format_option_, "--rev-index",
                               "-o", dir_ / "git.idx", path + ".pack"},
                              dir_.path())
                  .ok());
  EXPECT_EQ(testing::ReadFile(path + ".rev"),
            testing::ReadFile(dir_ / "git.rev"));
  EXPECT_EQ(testing::ReadFile(path + ".idx"),
            testing::ReadFile(dir_ / "git.idx"));
}

// What is written comes in larger pieces than entries.
TEST_F(PackWriterTest, EntriesAreWhereItSays) {
  const auto writer = Create(4);
  ASSERT_THAT(writer, IsOk());
  std::vector<uint64_t> offsets;
  for (const size_t size : {10U, 3'000'000U, 700'000U, 10U}) {
    EXPECT_EQ((*writer)->entry_count(), offsets.size());
    offsets.push_back((*writer)->offset());
    Add(**writer, testing::RandomBytes(size + offsets.size(), size));
    EXPECT_EQ((*writer)->entry_offset(offsets.size() - 1), offsets.back());
  }
  ASSERT_NO_FATAL_FAILURE(Publish(**writer));
}

TEST_F(PackWriterTest, LeavesNothingUnlessPublished) {
  {
    const auto writer = Create(1);
    ASSERT_THAT(writer, IsOk());
    Add(**writer, "one");
    ASSERT_THAT((*writer)->Finish(), IsOk());
  }
  EXPECT_THAT(ListDirectory(dir_.path()), ::testing::IsEmpty());
}

TEST_F(PackWriterTest, OnlyOneAtATime) {
  const auto first = Create(1);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(Create(1), HasCode(ErrorCode::kExists));
}

// There may be more packs than a process may have open files.
TEST_F(PackWriterTest, FurtherPacksAreNotKeptOpen) {
  const auto open_files = [] { return ListDirectory("/proc/self/fd").size(); };
  const auto first = Create(1);
  ASSERT_THAT(first, IsOk());
  const size_t before = open_files();
  const auto second = Create(1, 1);
  ASSERT_THAT(second, IsOk());
  Add(**second, "one");
  ASSERT_THAT((*second)->Finish(), IsOk());
  EXPECT_EQ(open_files(), before);
}

TEST_F(PackWriterTest, TakesOverWhatAKilledOneLeft) {
  testing::WriteFile(dir_ / "tmp_pack_zpack", "half a pack");
  const auto writer = Create(1);
  ASSERT_THAT(writer, IsOk());
  Add(**writer, "one");
  ASSERT_NO_FATAL_FAILURE(Publish(**writer));
}

}  // namespace
}  // namespace zpack
