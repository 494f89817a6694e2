// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables that our code writes: against literal bytes, and read again.

#include "reftable/table_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/offset_varint.h"
#include "support/matchers.h"
#include "support/memory_table.h"

namespace zpack::reftable {
namespace {

using testing::DirectRef;
using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsError;
using testing::IsOk;
using testing::LogEntry;
using testing::ReadTable;
using testing::TableRecords;
using testing::WriteTable;

RefRecord SymbolicRef(std::string name, std::string target) {
  RefRecord record;
  record.ref.name = std::move(name);
  record.ref.symref_target = std::move(target);
  record.update_index = 1;
  return record;
}

// The bytes of a literal, which may be zeros, without its end.
template <size_t size>
ByteView Literal(const char (&text)[size]) {
  return AsBytes({text, size - 1});
}

TEST(TableWriterTest, WritesTheBytesOfTheSpecification) {
  TableRecords records;
  records.refs = {SymbolicRef("HEAD", "refs/heads/a"),
                  DirectRef("refs/heads/a", 0xaa, 2),
                  DirectRef("refs/heads/b", 0, 1)};
  TableOptions options;
  options.max_update_index = 2;
  options.block_size = 256;
  const auto bytes = WriteTable(options, records);
  ASSERT_THAT(bytes, IsOk());
  Bytes expected;
  ByteWriter to(expected);
  to.Raw(
      Literal("REFT\1\0\1\0"
              "\0\0\0\0\0\0\0\1"
              "\0\0\0\0\0\0\0\2"));
  to.Raw(
      Literal("r\0\0\x5c\0\x23HEAD\0\x0crefs/heads/a"
              "\0\x61refs/heads/a\1"));
  to.Raw(Bytes(20, 0xaa));
  to.Raw(
      Literal("\x0b\x08"
              "b\0"
              "\0\0\x1c"
              "\0\1"));
  ASSERT_EQ(expected.size(), 0x5cU);
  Encode(TableFooter{.header = {1, ObjectFormat::kSha1, 256, 1, 2}}, expected);
  EXPECT_EQ(*bytes, expected);
}

TEST(TableWriterTest, WritesAnEmptyTable) {
  TableOptions options;
  options.format = ObjectFormat::kSha256;
  const auto bytes = WriteTable(options, {});
  ASSERT_THAT(bytes, IsOk());
  EXPECT_EQ(bytes->size(), 28U + 72U);
  EXPECT_EQ(*ReadTable(*bytes, ObjectFormat::kSha256), TableRecords{});
}

// `refs` refs of all kinds, and `logs` entries for each of them.
TableRecords Many(size_t refs, size_t logs, size_t width) {
  TableRecords records;
  for (size_t i = 0; i < refs; ++i) {
    const std::string name = fmt::format("refs/heads/{:03}/{:07}", i / 1000, i);
    RefRecord record =
        DirectRef(name, static_cast<uint8_t>(1 + i % 255), 1 + i % 7, width);
    if (i % 5 == 1) record.ref.peeled = ObjectId(Bytes(width, 0xee));
    if (i % 11 == 1) record = SymbolicRef(name, "refs/heads/main");
    records.refs.push_back(std::move(record));
    for (size_t j = logs; j > 0; --j) {
      records.logs.push_back(
          LogEntry(name, static_cast<uint8_t>(1 + (i + j) % 255), j, width));
    }
  }
  return records;
}

struct Shape {
  ObjectFormat format;
  Alignment alignment;
  uint32_t block_size;
  size_t refs;
  size_t logs;
};

class RoundTripTest : public ::testing::TestWithParam<Shape> {};

TEST_P(RoundTripTest, GivesTheSameRecords) {
  const Shape& shape = GetParam();
  const TableRecords records =
      Many(shape.refs, shape.logs, ObjectIdWidth(shape.format));
  TableOptions options;
  options.format = shape.format;
  options.alignment = shape.alignment;
  options.block_size = shape.block_size;
  options.max_update_index = 1000;
  const auto bytes = WriteTable(options, records);
  ASSERT_THAT(bytes, IsOk());
  EXPECT_EQ(*WriteTable(options, records), *bytes);
  const auto read = ReadTable(*bytes, shape.format);
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(*read == records);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RoundTripTest,
    ::testing::Values(
        Shape{ObjectFormat::kSha1, Alignment::kBlockSize, 4096, 10000, 5},
        Shape{ObjectFormat::kSha256, Alignment::kNone, 4096, 3000, 2},
        Shape{ObjectFormat::kSha1, Alignment::kBlockSize, 256, 1000, 2},
        Shape{ObjectFormat::kSha1, Alignment::kNone, 256, 1000, 0},
        Shape{ObjectFormat::kSha256, Alignment::kBlockSize, 65536, 3000, 3},
        Shape{ObjectFormat::kSha256, Alignment::kBlockSize, 512, 1, 500},
        Shape{ObjectFormat::kSha1, Alignment::kNone, 300, 1, 1}));

// Follows the index of a section from its root, and returns the positions of
// the blocks at its leaves.
std::vector<uint64_t> Leaves(const Table& table, uint64_t root,
                             size_t& levels) {
  BlockLoader loader(1 << 20);
  std::vector<uint64_t> positions = {root};
  for (levels = 0;; ++levels) {
    if (*BlockLoader::ReadType(table, positions[0]) != BlockType::kIndex) {
      return positions;
    }
    std::vector<uint64_t> next;
    for (const uint64_t position : positions) {
      LoadedBlock block;
      EXPECT_THAT(loader.Load(table, position, BlockType::kIndex, block),
                  IsOk());
      BlockCursor cursor;
      EXPECT_EQ(cursor.Open(block.bytes, block.first_record), "");
      std::string key;
      unsigned type = 1;
      while (!cursor.at_end()) {
        EXPECT_EQ(cursor.ReadKey(key, type), "");
        EXPECT_EQ(type, 0U);
        next.push_back(*ReadOffsetVarint(cursor.value()));
      }
    }
    positions = std::move(next);
  }
}

class IndexTest : public ::testing::TestWithParam<Alignment> {};

TEST_P(IndexTest, LeadsFromItsRootToEachBlock) {
  TableOptions options;
  options.alignment = GetParam();
  options.block_size = 512;
  options.max_update_index = 10;
  const auto table =
      testing::OpenTable(*WriteTable(options, Many(3000, 1, 20)));
  ASSERT_THAT(table, IsOk());
  for (const BlockType type : {BlockType::kRef, BlockType::kLog}) {
    const TableFooter& footer = (*table)->footer();
    size_t levels = 0;
    const auto leaves =
        Leaves(**table,
               type == BlockType::kRef ? footer.ref_index_position
                                       : footer.log_index_position,
               levels);
    EXPECT_GE(levels, 2U);
    EXPECT_GT(leaves.size(), 50U);
    EXPECT_EQ(leaves.front(), (*table)->Begin(type));
    for (const uint64_t position : leaves) {
      EXPECT_EQ(*BlockLoader::ReadType(**table, position), type);
      if (type == BlockType::kRef && GetParam() == Alignment::kBlockSize) {
        EXPECT_EQ(position % 512, 0U);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Alignments, IndexTest,
                         ::testing::Values(Alignment::kBlockSize,
                                           Alignment::kNone));

TEST(TableWriterTest, WritesNoIndexForFewBlocks) {
  TableOptions options;
  options.block_size = 256;
  options.max_update_index = 10;
  const auto root_of = [&](size_t refs, Alignment alignment) {
    options.alignment = alignment;
    const auto table =
        testing::OpenTable(*WriteTable(options, Many(refs, 0, 20)));
    return (*table)->footer().ref_index_position;
  };
  EXPECT_EQ(root_of(14, Alignment::kBlockSize), 0U);
  EXPECT_NE(root_of(40, Alignment::kBlockSize), 0U);
  EXPECT_EQ(root_of(3, Alignment::kNone), 0U);
  EXPECT_NE(root_of(14, Alignment::kNone), 0U);
}

TEST(TableWriterTest, WritesLogsWithoutRefs) {
  TableRecords records;
  for (uint64_t i = 300; i > 0; --i) {
    records.logs.push_back(LogEntry("HEAD", static_cast<uint8_t>(i % 250), i));
  }
  std::erase_if(records.logs, [](const auto& log) { return log.deleted(); });
  TableOptions options;
  options.max_update_index = 300;
  const auto bytes = WriteTable(options, records);
  ASSERT_THAT(bytes, IsOk());
  EXPECT_EQ((*bytes)[24], 'g');
  EXPECT_TRUE(*ReadTable(*bytes) == records);
}

TEST(TableWriterTest, KeepsUnusualLogEntries) {
  LogRecord empty = LogEntry("refs/heads/a", 1, 9);
  empty.name.clear();
  empty.email.clear();
  empty.message.clear();
  empty.time = 0;
  LogRecord large = LogEntry("refs/heads/a", 1, 8);
  large.message = std::string(100000, 'x') + '\n';
  large.time = UINT64_MAX;
  large.zone = INT16_MIN;
  LogRecord marker = LogEntry("refs/heads/a", 1, 7);
  marker.old_id = marker.new_id = ObjectId(Bytes(20, 0));
  EXPECT_TRUE(marker.marks_existence());
  EXPECT_FALSE(large.marks_existence());
  const TableRecords records{.refs = {}, .logs = {empty, large, marker}};
  TableOptions options;
  options.max_update_index = 9;
  EXPECT_EQ(*ReadTable(*WriteTable(options, records)), records);
}

// What the writer says of two refs.
Status AddRefs(const RefRecord& first, const RefRecord& second,
               const TableOptions& options = {}) {
  TableRecords records;
  records.refs = {first, second};
  auto bytes = WriteTable(options, records);
  if (!bytes) return std::unexpected(bytes.error());
  return {};
}

TEST(TableWriterTest, RefusesRecordsOutOfOrder) {
  const auto is_order =
      IsError(ErrorCode::kInvalidArgument, HasSubstr("not in order"));
  EXPECT_THAT(AddRefs(DirectRef("b", 1), DirectRef("a", 1)), is_order);
  EXPECT_THAT(AddRefs(DirectRef("a", 1), DirectRef("a", 1)), is_order);
  TableRecords logs;
  logs.logs = {LogEntry("a", 1, 1), LogEntry("a", 1, 2)};
  TableOptions options;
  options.max_update_index = 2;
  EXPECT_THAT(WriteTable(options, logs), is_order);
  TableWriter writer(options, [](ByteView) -> Status { return {}; });
  EXPECT_THAT(writer.Add(LogEntry("a", 1)), IsOk());
  EXPECT_THAT(writer.Add(DirectRef("b", 1)), is_order);
}

TEST(TableWriterTest, RefusesBadRecords) {
  const auto add = [](const RefRecord& record) {
    return AddRefs(DirectRef("A", 1), record);
  };
  EXPECT_THAT(add(DirectRef("b", 1)), IsOk());
  RefRecord both = SymbolicRef("b", "refs/heads/a");
  both.ref.target = ObjectId(Bytes(20, 1));
  RefRecord only_peeled = DirectRef("b", 0);
  only_peeled.ref.peeled = ObjectId(Bytes(20, 1));
  for (const RefRecord& record :
       {DirectRef("b..c", 1), DirectRef("b", 1, 0), DirectRef("b", 1, 2),
        DirectRef("b", 1, 1, 32), SymbolicRef("b", "refs//a"), both,
        only_peeled}) {
    EXPECT_THAT(add(record), HasCode(ErrorCode::kInvalidArgument));
  }
  std::vector<LogRecord> logs(8, LogEntry("a", 1));
  logs[0].ref_name = "";
  logs[1].update_index = 2;
  logs[2].old_id = ObjectId(Bytes(32, 1));
  logs[3].new_id = {};
  logs[4].name = "a\nb";
  logs[5].email = "a>";
  logs[6].message = "a\nb";
  logs[7].message = std::string(1, '\0');
  for (const LogRecord& log : logs) {
    EXPECT_THAT(WriteTable({}, {{}, {log}}),
                HasCode(ErrorCode::kInvalidArgument));
  }
}

TEST(TableWriterTest, RefusesNamesThatDoNotFitAlignedBlocks) {
  const RefRecord longest = DirectRef("refs/" + std::string(4090, 'x'), 1);
  EXPECT_THAT(AddRefs(DirectRef("a", 1), longest),
              IsError(ErrorCode::kInvalidArgument, HasSubstr("too long")));
  TableOptions options;
  options.alignment = Alignment::kNone;
  EXPECT_THAT(AddRefs(DirectRef("a", 1), longest, options), IsOk());
  options.block_size = 256;
  TableRecords records;
  for (char c = 'a'; c < 'z'; ++c) {
    records.refs.push_back(DirectRef("refs/" + std::string(4000, 'x') + c, 1));
  }
  EXPECT_EQ(*ReadTable(*WriteTable(options, records)), records);
}

TEST(TableWriterTest, PassesTheErrorOfTheSinkOn) {
  TableWriter writer(
      {}, [](ByteView) -> Status { return MakeError(ErrorCode::kIo, "full"); });
  EXPECT_THAT(writer.Add(DirectRef("a", 1)), IsOk());
  EXPECT_THAT(writer.Finish(), HasCode(ErrorCode::kIo));
}

TEST(TableWriterTest, NamesFilesByTheirContent) {
  const auto name = [](uint8_t byte) {
    TableWriter writer({}, [](ByteView) -> Status { return {}; });
    EXPECT_THAT(writer.Add(DirectRef("a", byte)), IsOk());
    EXPECT_THAT(writer.Finish(), IsOk());
    return writer.FileName();
  };
  EXPECT_EQ(name(1), name(1));
  EXPECT_NE(name(1), name(2));
  EXPECT_THAT(name(1), ::testing::MatchesRegex(
                           "0x000000000001-0x000000000001-[0-9a-f]{8}\\.ref"));
}

}  // namespace
}  // namespace zpack::reftable
