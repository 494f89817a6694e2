// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The refs of the main worktree and of a linked one.

#include "git/refs/reftable_refs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "codec/deflate.h"
#include "reftable/stack_writer.h"
#include "reftable/table_block.h"
#include "support/matchers.h"
#include "support/memory_table.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::DirectRef;
using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::LogEntry;
using ::testing::Pair;
using testing::TempDir;

ObjectId FilledId(uint8_t byte) { return ObjectId(Bytes(20, byte)); }

reftable::RefRecord Symbolic(std::string name, std::string target) {
  reftable::RefRecord record = DirectRef(std::move(name), 0);
  record.ref.symref_target = std::move(target);
  return record;
}

void WriteStack(const std::string& git_directory,
                const testing::TableRecords& records) {
  const std::string directory = git_directory + "/reftable";
  std::filesystem::create_directories(directory);
  auto writer = reftable::StackWriter::Create(PosixFileSystem(), directory, {});
  testing::Require(writer.has_value(), "cannot make a stack");
  for (const auto& ref : records.refs) {
    testing::Require(writer->table().Add(ref).has_value(), ref.ref.name);
  }
  for (const auto& log : records.logs) {
    testing::Require(writer->table().Add(log).has_value(), log.ref_name);
  }
  testing::Require(writer->Commit().has_value(), "cannot publish a stack");
}

// Adds a table with one record, whatever its name is, to a stack of one table.
template <typename Record>
void AddTable(const std::string& git_directory, const Record& record) {
  reftable::TableFooter footer;
  footer.header = {1, ObjectFormat::kSha1, 0, 1, 9};
  Bytes header;
  Encode(footer.header, header);
  Bytes value;
  const unsigned type = EncodeValue(record, footer.header, value);
  reftable::BlockBuilder block(1);
  block.Start(Record::kBlockType, header);
  testing::Require(block.Add(KeyOf(record), type, value, 4096), "record");
  Bytes bytes = block.Finish();
  if (Record::kBlockType == reftable::BlockType::kLog) {
    const size_t begin = header.size() + reftable::kBlockHeaderSize;
    const Bytes content(bytes.begin() + static_cast<ptrdiff_t>(begin),
                        bytes.end());
    bytes.resize(begin);
    Deflater(1).Deflate(content, bytes);
  }
  Encode(footer, bytes);
  const std::string name = "0x000000000002-0x000000000002-00000001.ref";
  const std::string directory = git_directory + "/reftable/";
  testing::WriteFile(directory + name, std::string(AsText(bytes)));
  testing::WriteFile(
      directory + "tables.list",
      testing::ReadFile(directory + "tables.list") + name + '\n');
}

class ReftableRefsTest : public ::testing::Test {
 protected:
  ReftableRefsTest() {
    reftable::RefRecord tag = DirectRef("refs/tags/v1", 7);
    tag.ref.peeled = FilledId(1);
    WriteStack(
        directory_.path(),
        {{Symbolic("HEAD", "refs/heads/main"), DirectRef("ORIG_HEAD", 0x20),
          DirectRef("REVERT_HEAD", 0x21), DirectRef("refs/bisect/bad", 2),
          DirectRef("refs/heads/main", 1), tag,
          DirectRef("refs/worktree/x", 3)},
         {LogEntry("HEAD", 0x31), LogEntry("refs/heads/main", 1)}});
    WriteStack(linked_, {{DirectRef("HEAD", 4), DirectRef("refs/bisect/bad", 5),
                          DirectRef("refs/heads/other", 6)},
                         {}});
  }

  RepositoryLocation main() const {
    return {directory_.path(), directory_.path(), directory_.path(), ""};
  }
  RepositoryLocation linked() const {
    return {directory_.path(), linked_, directory_.path(), ""};
  }

  TempDir directory_;
  std::string linked_ = directory_ / "worktrees/w";
};

// 'name=id' or 'name->target' for each ref.
std::vector<std::string> TextOf(const std::map<std::string, Ref>& refs) {
  std::vector<std::string> text;
  for (const auto& [name, ref] : refs) {
    EXPECT_EQ(name, ref.name);
    EXPECT_TRUE(ref.peeled.empty());
    text.push_back(name + '=' + ref.target.ToHex().substr(0, 2));
  }
  return text;
}

TEST_F(ReftableRefsTest, OfTheMainWorktreeAreAllInItsStack) {
  const auto head = ReadReftableHead(main(), ObjectFormat::kSha1);
  ASSERT_THAT(head, IsOk());
  ASSERT_TRUE(head->has_value());
  EXPECT_EQ((*head)->symref_target, "refs/heads/main");
  const auto refs = ListReftableRefs(main(), ObjectFormat::kSha1);
  ASSERT_THAT(refs, IsOk());
  EXPECT_THAT(TextOf(*refs),
              ElementsAre("refs/bisect/bad=02", "refs/heads/main=01",
                          "refs/tags/v1=07", "refs/worktree/x=03"));
}

TEST_F(ReftableRefsTest, OfALinkedWorktreeAreInTwoStacks) {
  const auto head = ReadReftableHead(linked(), ObjectFormat::kSha1);
  ASSERT_THAT(head, IsOk());
  ASSERT_TRUE(head->has_value());
  EXPECT_EQ((*head)->target, FilledId(4));
  const auto refs = ListReftableRefs(linked(), ObjectFormat::kSha1);
  ASSERT_THAT(refs, IsOk());
  EXPECT_THAT(TextOf(*refs),
              ElementsAre("refs/bisect/bad=05", "refs/heads/main=01",
                          "refs/tags/v1=07"));
}

TEST_F(ReftableRefsTest, GiveTheTipsOfEachWorktree) {
  const auto tips = ReadReftableTips(directory_.path(), ObjectFormat::kSha1);
  ASSERT_THAT(tips, IsOk());
  EXPECT_THAT(tips->refs,
              ElementsAre(Pair("REVERT_HEAD", ElementsAre(FilledId(0x21))),
                          Pair("refs/bisect/bad", ElementsAre(FilledId(2))),
                          Pair("refs/worktree/x", ElementsAre(FilledId(3)))));
  // The old id of an entry with the id 1 is zero.
  EXPECT_THAT(
      tips->logs,
      ElementsAre(Pair("HEAD", ElementsAre(FilledId(0x30), FilledId(0x31))),
                  Pair("refs/heads/main", ElementsAre(FilledId(1)))));
  const auto linked = ReadReftableTips(linked_, ObjectFormat::kSha1);
  ASSERT_THAT(linked, IsOk());
  EXPECT_THAT(linked->refs,
              ElementsAre(Pair("HEAD", ElementsAre(FilledId(4))),
                          Pair("refs/bisect/bad", ElementsAre(FilledId(5)))));
  EXPECT_THAT(linked->logs, IsEmpty());
}

TEST_F(ReftableRefsTest, WithoutHeadAreNotAnError) {
  const TempDir empty;
  const RepositoryLocation location{empty.path(), empty.path(), empty.path(),
                                    ""};
  const auto head = ReadReftableHead(location, ObjectFormat::kSha1);
  ASSERT_THAT(head, IsOk());
  EXPECT_FALSE(head->has_value());
  EXPECT_THAT(*ListReftableRefs(location, ObjectFormat::kSha1), IsEmpty());
}

TEST_F(ReftableRefsTest, OfBadNamesAreRefusedAsInFiles) {
  AddTable(directory_.path(), DirectRef("refs/heads/bad..name", 8, 2));
  EXPECT_THAT(ListReftableRefs(main(), ObjectFormat::kSha1),
              testing::IsError(ErrorCode::kSourceCorrupt,
                               "cannot read ref 'refs/heads/bad..name' of '" +
                                   directory_.path() + "': bad name"));
}

TEST_F(ReftableRefsTest, ThatAreGoneMayHaveHadBadNames) {
  const auto before = ListReftableRefs(main(), ObjectFormat::kSha1);
  AddTable(directory_.path(), DirectRef("refs/heads/bad..name", 0, 2));
  const auto refs = ListReftableRefs(main(), ObjectFormat::kSha1);
  ASSERT_THAT(refs, IsOk());
  EXPECT_EQ(*refs, *before);
}

TEST_F(ReftableRefsTest, MayHaveLogsOfBadNames) {
  AddTable(directory_.path(), LogEntry("refs/heads/bad..name", 8, 2));
  const auto logs = ReadReftableLogs(main(), ObjectFormat::kSha1);
  ASSERT_THAT(logs, IsOk());
  EXPECT_THAT(*logs, ElementsAre(Pair("HEAD", ::testing::_),
                                 Pair("refs/heads/bad..name", ::testing::_),
                                 Pair("refs/heads/main", ::testing::_)));
  const auto tips = ReadReftableTips(directory_.path(), ObjectFormat::kSha1);
  ASSERT_THAT(tips, IsOk());
  EXPECT_TRUE(tips->logs.contains("refs/heads/bad..name"));
  EXPECT_THAT(ListReftableRefs(main(), ObjectFormat::kSha1), IsOk());
}

TEST_F(ReftableRefsTest, OfAWorktreeHaveTheLogsOfItsPseudoRefs) {
  AddTable(directory_.path(), LogEntry("ORIG_HEAD", 8, 2));
  AddTable(linked_, LogEntry("MERGE_HEAD", 8, 2));
  EXPECT_THAT(
      *ReadReftableLogs(main(), ObjectFormat::kSha1),
      ElementsAre(Pair("HEAD", ::testing::_), Pair("ORIG_HEAD", ::testing::_),
                  Pair("refs/heads/main", ::testing::_)));
  EXPECT_THAT(*ReadReftableLogs(linked(), ObjectFormat::kSha1),
              ElementsAre(Pair("MERGE_HEAD", ::testing::_),
                          Pair("refs/heads/main", ::testing::_)));
}

TEST_F(ReftableRefsTest, PassErrorsOfTheStackOn) {
  testing::WriteFile(linked_ + "/reftable/tables.list", "x\n");
  EXPECT_THAT(ReadReftableHead(linked(), ObjectFormat::kSha1),
              HasCode(ErrorCode::kSourceCorrupt));
  EXPECT_THAT(ListReftableRefs(linked(), ObjectFormat::kSha1),
              HasCode(ErrorCode::kSourceCorrupt));
  EXPECT_THAT(ReadReftableTips(linked_, ObjectFormat::kSha1),
              HasCode(ErrorCode::kSourceCorrupt));
}

// Git's texts are in the fixtures.
TEST(ReftableLogs, HaveTheTextOfReflogsInFiles) {
  for (const char* const fixture :
       {"sha1", "stack", "index", "sha256", "jgit"}) {
    SCOPED_TRACE(fixture);
    const std::string source = std::string(ZPACK_REFTABLES "/") + fixture;
    std::map<std::string, std::string> expected;
    std::istringstream lines(testing::ReadFile(source + "/logs.txt"));
    for (std::string ref, line; lines >> ref && std::getline(lines, line);) {
      expected[ref] += line.substr(1) + '\n';
    }
    const TempDir directory;
    std::filesystem::copy(source, directory / "reftable");
    const RepositoryLocation location{"x", directory.path(), directory.path(),
                                      ""};
    const auto format = std::string_view(fixture) == "sha256"
                            ? ObjectFormat::kSha256
                            : ObjectFormat::kSha1;
    const auto logs = ReadReftableLogs(location, format);
    ASSERT_THAT(logs, IsOk());
    std::map<std::string, std::string> found = *logs;
    std::erase_if(found, [](const auto& log) { return log.second.empty(); });
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace zpack
