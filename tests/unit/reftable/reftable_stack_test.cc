// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Stacks that Git wrote, and lists of tables that are not what they should be.

#include "reftable/reftable_stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reftable/table_names.h"
#include "support/fault_file.h"
#include "support/matchers.h"
#include "support/temp_dir.h"
#include "unit/reftable/reftable_texts.h"

namespace zpack::reftable {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;
using testing::ReadFile;
using testing::TempDir;
using testing::WriteFile;

Result<Stack> OpenStack(const std::string& directory,
                        ObjectFormat format = ObjectFormat::kSha1) {
  return Stack::Open(PosixFileSystem(), directory, format);
}

class FixtureTest : public ::testing::TestWithParam<std::string> {};

TEST_P(FixtureTest, HasTheRefsAndReflogsThatGitShows) {
  const std::string directory = testing::ReftableFixture(GetParam());
  const auto stack = OpenStack(directory, testing::FormatOfFixture(GetParam()));
  ASSERT_THAT(stack, IsOk());
  const auto refs = testing::RefsText(*stack);
  ASSERT_THAT(refs, IsOk());
  EXPECT_EQ(*refs, ReadFile(directory + "/refs.txt"));
  const auto logs = testing::LogsText(*stack);
  ASSERT_THAT(logs, IsOk());
  EXPECT_EQ(*logs, ReadFile(directory + "/logs.txt"));
}

INSTANTIATE_TEST_SUITE_P(All, FixtureTest,
                         ::testing::Values("sha1", "sha256", "stack", "index",
                                           "jgit"));

// A copy of a fixture, to be changed.
class StackTest : public ::testing::Test {
 protected:
  StackTest() {
    std::filesystem::copy(testing::ReftableFixture("stack"), directory_.path());
  }
  std::string List() const { return ReadFile(directory_ / "tables.list"); }
  void WriteList(const std::string& text) const {
    WriteFile(directory_ / "tables.list", text);
  }
  // The first line of the list, without its end.
  std::string FirstName() const {
    const std::string list = List();
    return list.substr(0, list.find('\n'));
  }

  TempDir directory_;
};

TEST_F(StackTest, HoldsMoreThanTwentyTables) {
  const auto stack = OpenStack(directory_.path());
  ASSERT_THAT(stack, IsOk());
  EXPECT_GE(stack->tables().size(), 20U);
}

TEST_F(StackTest, WithoutListIsEmpty) {
  std::filesystem::remove(directory_ / "tables.list");
  const auto stack = OpenStack(directory_.path());
  ASSERT_THAT(stack, IsOk());
  EXPECT_EQ(*testing::RefsText(*stack), "");
  EXPECT_EQ(*testing::LogsText(*stack), "");
}

TEST_F(StackTest, RefusesIdsOfAnotherFormat) {
  EXPECT_THAT(OpenStack(directory_.path(), ObjectFormat::kSha256),
              IsError(ErrorCode::kSourceCorrupt,
                      HasSubstr("sha1 ids in a sha256 repository")));
}

TEST_F(StackTest, NamesTheTableThatIsMissing) {
  const std::string name = FirstName();
  std::filesystem::remove(directory_ / name);
  const auto stack = OpenStack(directory_.path());
  EXPECT_THAT(stack, IsError(ErrorCode::kSourceCorrupt, HasSubstr(name)));
}

TEST_F(StackTest, RefusesNamesThatAreNotOfTables) {
  for (const std::string name :
       {"../0x1-0x1-1.ref", "a/0x1-0x1-1.ref", "tables.list", "0x1-0x1.ref",
        "0x1-0x1-.ref", "0x1-0x1-1.txt", "0x1-0x1-1.ref.lock", " "}) {
    WriteList(name + '\n');
    EXPECT_THAT(OpenStack(directory_.path()),
                IsError(ErrorCode::kSourceCorrupt, HasSubstr("bad name")))
        << name;
  }
}

TEST_F(StackTest, RefusesATableThatIsListedTwice) {
  WriteList(List() + FirstName() + '\n');
  EXPECT_THAT(OpenStack(directory_.path()),
              IsError(ErrorCode::kSourceCorrupt, HasSubstr("twice")));
}

TEST_F(StackTest, RefusesAListThatWasCutShort) {
  const std::string list = List();
  WriteList(list.substr(0, list.size() - 1));
  EXPECT_THAT(OpenStack(directory_.path()), HasCode(ErrorCode::kSourceCorrupt));
}

TEST_F(StackTest, RefusesAListThatIsTooLong) {
  std::string list;
  for (size_t i = 0; i <= kMaxTables; ++i) {
    list += fmt::format("{:08x}-1-1.ref\n", i);
  }
  WriteList(list);
  EXPECT_THAT(OpenStack(directory_.path()), HasCode(ErrorCode::kLimitExceeded));
  WriteList(std::string(kMaxTablesList + 1, '\n'));
  EXPECT_THAT(OpenStack(directory_.path()), HasCode(ErrorCode::kLimitExceeded));
}

TEST_F(StackTest, RefusesWhatIsNotAFile) {
  const std::string name = FirstName();
  std::filesystem::remove(directory_ / name);
  std::filesystem::create_directory(directory_ / name);
  EXPECT_THAT(OpenStack(directory_.path()),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST_F(StackTest, ReadsTheListAgainAfterACompaction) {
  // The first table becomes another one after the list was read.
  const std::string old_name = FirstName();
  const std::string new_name = "0x000000000001-0x000000000001-ffffffff.ref";
  const auto expected = testing::RefsText(*OpenStack(directory_.path()));
  bool compacted = false;
  testing::FaultFileSystem file_system(-1,
                                       testing::FaultFileSystem::Fault::kError);
  file_system.set_meanwhile([&](const std::string&, const std::string& path) {
    if (compacted || !path.ends_with(".ref")) return;
    compacted = true;
    std::filesystem::rename(directory_ / old_name, directory_ / new_name);
    WriteList(new_name + List().substr(old_name.size()));
  });
  const auto stack =
      Stack::Open(file_system, directory_.path(), ObjectFormat::kSha1);
  ASSERT_THAT(stack, IsOk());
  EXPECT_TRUE(compacted);
  EXPECT_EQ(*testing::RefsText(*stack), *expected);
}

TEST_F(StackTest, GivesUpIfEachListNamesAMissingTable) {
  int lists = 0;
  testing::FaultFileSystem file_system(-1,
                                       testing::FaultFileSystem::Fault::kError);
  file_system.set_meanwhile(
      [&](const std::string& what, const std::string& path) {
        if (what != "open" || !path.ends_with("tables.list")) return;
        WriteList(fmt::format("0x1-0x1-{:08x}.ref\n", ++lists));
      });
  EXPECT_THAT(Stack::Open(file_system, directory_.path(), ObjectFormat::kSha1),
              HasCode(ErrorCode::kIo));
  EXPECT_EQ(lists, 100);
}

TEST_F(StackTest, IsASnapshot) {
  const auto stack = OpenStack(directory_.path());
  ASSERT_THAT(stack, IsOk());
  const auto expected = testing::RefsText(*stack);
  for (const std::string& name : testing::ListDirectory(directory_.path())) {
    std::filesystem::remove(directory_ / name);
  }
  EXPECT_EQ(*testing::RefsText(*stack), *expected);
}

TEST(TableNames, AreThoseOfGit) {
  EXPECT_TRUE(IsTableName("0x000000000001-0x000000000002-884f8d30.ref"));
  EXPECT_TRUE(IsTableName("00000001-00000001-RANDOM1.log"));
  EXPECT_FALSE(IsTableName("0x1-0x1-" + std::string(64, '1') + ".ref"));
  TableHeader header;
  header.min_update_index = 1;
  header.max_update_index = 0x1234;
  EXPECT_EQ(TableName(header, 0xabc),
            "0x000000000001-0x000000001234-00000abc.ref");
}

TEST(TableNames, KeepTheirOrder) {
  const auto names = ParseTablesList("0x2-0x2-1.ref\n\n0x1-0x1-2.log\n", "x");
  ASSERT_THAT(names, IsOk());
  EXPECT_THAT(*names, ElementsAre("0x2-0x2-1.ref", "0x1-0x1-2.log"));
}

}  // namespace
}  // namespace zpack::reftable
