// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Several tables as one list, and the limits of what a table may ask for.

#include "reftable/merged_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "codec/deflate.h"
#include "support/matchers.h"
#include "support/memory_table.h"
#include "support/temp_dir.h"

namespace zpack::reftable {
namespace {

using testing::DirectRef;
using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::LogEntry;
using testing::OpenTable;
using testing::ReadTables;
using testing::TableRecords;
using testing::WriteTable;

std::shared_ptr<const Table> TableOf(const TableRecords& records) {
  TableOptions options;
  options.max_update_index = 100;
  auto table = OpenTable(*WriteTable(options, records));
  testing::Require(table.has_value(), "not a table");
  return *table;
}

TEST(MergedCursorTest, TakesTheNewestRecordOfEachKey) {
  const auto a = TableOf({{DirectRef("a", 1), DirectRef("b", 1),
                           DirectRef("c", 1), DirectRef("e", 1)},
                          {}});
  const auto b = TableOf({{DirectRef("b", 0, 2), DirectRef("c", 2, 2),
                           DirectRef("d", 2, 2), DirectRef("x", 0, 2)},
                          {}});
  const auto c = TableOf({{DirectRef("b", 3, 3), DirectRef("d", 0, 3)}, {}});
  const auto records = ReadTables({a, b, c});
  ASSERT_THAT(records, IsOk());
  EXPECT_THAT(records->refs,
              ElementsAre(DirectRef("a", 1), DirectRef("b", 3, 3),
                          DirectRef("c", 2, 2), DirectRef("e", 1)));
  // The update index does not decide.
  const auto reversed = ReadTables({c, b, a});
  ASSERT_THAT(reversed, IsOk());
  EXPECT_THAT(
      reversed->refs,
      ElementsAre(DirectRef("a", 1), DirectRef("b", 1), DirectRef("c", 1),
                  DirectRef("d", 2, 2), DirectRef("e", 1)));
}

TEST(MergedCursorTest, TakesEntriesOutOfReflogs) {
  const auto old_table = TableOf({{},
                                  {LogEntry("a", 3, 3), LogEntry("a", 2, 2),
                                   LogEntry("a", 1, 1), LogEntry("b", 1, 1)}});
  const auto new_table = TableOf(
      {{}, {LogEntry("a", 9, 9), LogEntry("a", 0, 2), LogEntry("b", 5, 1)}});
  const auto records = ReadTables({old_table, new_table});
  ASSERT_THAT(records, IsOk());
  EXPECT_THAT(records->logs,
              ElementsAre(LogEntry("a", 9, 9), LogEntry("a", 3, 3),
                          LogEntry("a", 1, 1), LogEntry("b", 5, 1)));
}

TEST(MergedCursorTest, OfNoTablesIsEmpty) {
  EXPECT_THAT(ReadTables({})->refs, IsEmpty());
  EXPECT_THAT(ReadTables({TableOf({}), TableOf({})})->refs, IsEmpty());
}

TEST(MergedCursorTest, LimitsTheMemoryOfAllBlocks) {
  std::vector<std::shared_ptr<const Table>> tables;
  for (uint8_t i = 1; i <= 8; ++i) {
    LogRecord log = LogEntry("a", i, i);
    log.message = std::string(1 << 19, static_cast<char>('a' + i)) + '\n';
    tables.push_back(TableOf({{}, {log}}));
    EXPECT_LT(tables.back()->size(), 2000U);
  }
  EXPECT_THAT(ReadTables(tables, 5 << 20), IsOk());
  EXPECT_THAT(ReadTables(tables, 4 << 20), HasCode(ErrorCode::kLimitExceeded));
  tables.resize(7);
  EXPECT_THAT(ReadTables(tables, 4 << 20), IsOk());
}

// A table whose only block, of logs, inflates to `content`.
Bytes LogTable(ByteView content, uint32_t inflated_size) {
  Bytes bytes;
  TableFooter footer;
  footer.header.max_update_index = UINT64_MAX;
  Encode(footer.header, bytes);
  bytes.resize(bytes.size() + kBlockHeaderSize);
  bytes[24] = 'g';
  StoreU24(inflated_size, &bytes[25]);
  Deflater(9).Deflate(content, bytes);
  Encode(footer, bytes);
  return bytes;
}

TEST(MergedCursorTest, LimitsWhatPrefixesRepresent) {
  // Deletions with a name of 4,000 bytes, of which each record has one.
  BlockBuilder builder(1 << 30);
  builder.Start(BlockType::kLog, Bytes(24));
  for (uint64_t i = 20000; i > 0; --i) {
    LogRecord record;
    record.ref_name = std::string(4000, 'a');
    record.update_index = i;
    ASSERT_TRUE(builder.Add(KeyOf(record), 0, {}, kMaxBlockSize));
  }
  const Bytes& block = builder.Finish();
  const auto table = OpenTable(LogTable(ByteView(block).subspan(28),
                                        static_cast<uint32_t>(block.size())));
  ASSERT_THAT(table, IsOk());
  EXPECT_LT((*table)->size(), 100000U);
  EXPECT_THAT(ReadTables({*table}), HasCode(ErrorCode::kLimitExceeded));
}

TEST(MergedCursorTest, RefusesALogThatInflatesToAnotherSize) {
  BlockBuilder builder(16);
  builder.Start(BlockType::kLog, Bytes(24));
  LogRecord record = LogEntry("a", 1, 1);
  Bytes value;
  const unsigned type = EncodeValue(record, {}, value);
  ASSERT_TRUE(builder.Add(KeyOf(record), type, value, 1000));
  const Bytes& block = builder.Finish();
  const auto content = ByteView(block).subspan(28);
  const auto size = static_cast<uint32_t>(block.size());
  const auto read = [&](uint32_t inflated_size) {
    return ReadTables({*OpenTable(LogTable(content, inflated_size))});
  };
  EXPECT_THAT(read(size), IsOk());
  for (const uint32_t wrong : {0U, 27U, 28U, size - 1, size + 1, 0xffffffU}) {
    EXPECT_THAT(read(wrong), HasCode(ErrorCode::kSourceCorrupt)) << wrong;
  }
}

}  // namespace
}  // namespace zpack::reftable
