// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/file_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/listed_files.h"
#include "support/matchers.h"

namespace zpack::format {
namespace {

using zpack::testing::HasCode;
using zpack::testing::IsOk;

constexpr uint64_t kNoLimit = uint64_t{1} << 40;

FileTable Sample() {
  FileTable table;
  table.left_out = {FileGroup::kLfs};
  table.files = {{FileGroup::kDescription, "description", false, 5, {1}},
                 {FileGroup::kHooks, "hooks/pre-commit", true, 0, {2}},
                 {FileGroup::kReflogs, "logs/HEAD", false, kFilePieceSize, {3}},
                 {FileGroup::kReflogs, "logs/refs/heads/main", false, 1, {4}}};
  table.piece_sizes = {10, 20};
  return table;
}

Result<FileTable> Decoded(const FileTable& table, uint64_t data_size = 30,
                          uint64_t max_content = kNoLimit) {
  Bytes payload;
  Encode(table, payload);
  return DecodeFileTable(payload, data_size, max_content);
}

TEST(FileTable, RoundTrips) {
  const FileTable sample = Sample();
  const auto decoded = Decoded(sample);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(decoded->left_out, sample.left_out);
  EXPECT_EQ(decoded->files, sample.files);
  EXPECT_EQ(decoded->piece_sizes, sample.piece_sizes);
}

TEST(FileTable, HasTheBytesOfTheSpecification) {
  FileTable table;
  table.left_out = {FileGroup::kHooks, FileGroup::kLfs};
  table.files = {{FileGroup::kInfo, "info/exclude", false, 300, {}},
                 {FileGroup::kInfo, "info/grafts", true, 1, {}}};
  table.piece_sizes = {129};
  Bytes payload;
  Encode(table, payload);
  Bytes expected = {2, 4, 5, 2};
  const auto row = [&](std::initializer_list<uint8_t> start, const char* rest,
                       std::initializer_list<uint8_t> size) {
    expected.insert(expected.end(), start);
    Append(expected, AsBytes(std::string_view(rest)));
    expected.insert(expected.end(), size);
    expected.insert(expected.end(), 32, 0);
  };
  row({3, 0, 0, 12}, "info/exclude", {0xac, 0x02});
  row({3, 1, 5, 6}, "grafts", {1});
  expected.insert(expected.end(), {1, 0x81, 0x01});
  EXPECT_EQ(payload, expected);
}

TEST(FileTable, EmptyTableRoundTrips) {
  EXPECT_THAT(Decoded(FileTable{}, 0), IsOk());
  EXPECT_THAT(Decoded(FileTable{}, 1), HasCode(ErrorCode::kCorrupt));
}

TEST(FileTable, EveryGroupMayBeLeftOut) {
  FileTable table;
  table.left_out.assign(kAllFileGroups.begin(), kAllFileGroups.end());
  const auto decoded = Decoded(table, 0);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(decoded->left_out, table.left_out);
}

TEST(FileTable, RefusesNamesThatLeadElsewhere) {
  for (const char* name :
       {"logs/../config", "logs//HEAD", "/etc/passwd", "logs/refs/heads/..",
        "logs/HEAD/x", "config", "hooks/a", "", "logs/refs/heads/x.lock",
        "logs/refs/heads", "logs/refs/tags"}) {
    FileTable table = Sample();
    table.files = {{FileGroup::kReflogs, name, false, 1, {}}};
    table.piece_sizes = {30};
    EXPECT_THAT(Decoded(table), HasCode(ErrorCode::kCorrupt)) << name;
  }
}

TEST(FileTable, RefusesFilesOutOfOrderAndTwice) {
  FileTable table = Sample();
  std::swap(table.files[0], table.files[1]);
  EXPECT_THAT(Decoded(table), HasCode(ErrorCode::kCorrupt));
  table = Sample();
  table.files[1] = table.files[0];
  EXPECT_THAT(Decoded(table), HasCode(ErrorCode::kCorrupt));
}

TEST(FileTable, RefusesANameThatIsADirectoryOfAnother) {
  const auto decoded = [](std::vector<std::string> names) {
    FileTable table;
    for (const std::string& name : names) {
      table.files.push_back({FileGroup::kReflogs, name, false, 0, {}});
    }
    return Decoded(table, 0);
  };
  const std::string name = "logs/refs/heads/a";
  EXPECT_THAT(decoded({name, name + "/b"}), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(decoded({name, name + "-b", name + "-b-c", name + "/b/c"}),
              HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(decoded({name, name + "-b/c", name + "b/c"}), IsOk());
}

TEST(FileTable, RefusesPiecesThatDoNotFit) {
  EXPECT_THAT(Decoded(Sample(), 29), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(Decoded(Sample(), 31), HasCode(ErrorCode::kCorrupt));
  FileTable table = Sample();
  table.piece_sizes = {30};
  EXPECT_THAT(Decoded(table), HasCode(ErrorCode::kCorrupt));
  table.piece_sizes = {10, 10, 10};
  EXPECT_THAT(Decoded(table), HasCode(ErrorCode::kCorrupt));
}

TEST(FileTable, ContentIsBounded) {
  const uint64_t content = Sample().content_size();
  EXPECT_THAT(Decoded(Sample(), 30, content), IsOk());
  EXPECT_THAT(Decoded(Sample(), 30, content - 1), HasCode(ErrorCode::kCorrupt));
  // Sizes whose sum overflows.
  FileTable table = Sample();
  table.files[0].size = ~uint64_t{0};
  EXPECT_THAT(Decoded(table), HasCode(ErrorCode::kCorrupt));
}

TEST(FileTable, EveryFlippedOrMissingByteGivesAnErrorOrAnotherTable) {
  Bytes payload;
  Encode(Sample(), payload);
  const auto same = [](const FileTable& a, const FileTable& b) {
    return a.left_out == b.left_out && a.files == b.files &&
           a.piece_sizes == b.piece_sizes;
  };
  for (size_t at = 0; at < payload.size(); ++at) {
    EXPECT_THAT(DecodeFileTable(ByteView(payload).first(at), 30, kNoLimit),
                HasCode(ErrorCode::kCorrupt));
    for (const uint8_t mask : {0x01, 0x80, 0xff}) {
      Bytes bad = payload;
      bad[at] ^= mask;
      const auto decoded = DecodeFileTable(bad, 30, kNoLimit);
      EXPECT_TRUE(!decoded || !same(*decoded, Sample())) << at;
    }
  }
}

TEST(RepositoryFileNames, FollowTheirGroup) {
  const std::string id(64, 'a');
  EXPECT_TRUE(IsValidFileName(FileGroup::kLfs, "lfs/objects/aa/aa/" + id));
  EXPECT_FALSE(IsValidFileName(FileGroup::kLfs, "lfs/objects/aa/ab/" + id));
  EXPECT_FALSE(IsValidFileName(FileGroup::kLfs, "lfs/objects/aa/aa/a" + id));
  EXPECT_FALSE(IsValidFileName(FileGroup::kLfs, "lfs/objects/aa/aa/.."));
  EXPECT_TRUE(IsValidFileName(FileGroup::kHooks, "hooks/pre-commit"));
  for (const char* name : {"hooks/", "hooks/.x", "hooks/..", "hooks/a/b",
                           "hooks/a\nb", "hooks/x.sample", "hooks/x.archived"})
    EXPECT_FALSE(IsValidFileName(FileGroup::kHooks, name)) << name;
  EXPECT_FALSE(
      IsValidFileName(FileGroup::kHooks, "hooks/" + std::string(250, 'x')));
  EXPECT_TRUE(IsValidFileName(FileGroup::kReflogs, "logs/refs/stash"));
  EXPECT_FALSE(IsValidFileName(FileGroup::kReflogs,
                               "logs/refs/heads/" + std::string(256, 'x')));
  EXPECT_FALSE(IsValidFileName(FileGroup::kInfo, "info/refs"));
  EXPECT_FALSE(IsValidFileName(FileGroup{0}, "description"));
  EXPECT_FALSE(IsValidFileName(FileGroup{6}, "description"));
}

TEST(RepositoryFileNames, OfOtherFilesLeaveRoomForInactiveOnes) {
  EXPECT_TRUE(IsValidFileName(FileGroup::kOther, "d/a"));
  EXPECT_TRUE(IsValidFileName(FileGroup::kOther, "d.archived-by-me/a"));
  for (const char* name :
       {"d/a.archived", "d/a.archived/b", "config.archived/x"}) {
    EXPECT_FALSE(IsValidFileName(FileGroup::kOther, name)) << name;
  }
}

}  // namespace
}  // namespace zpack::format
