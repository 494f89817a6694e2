// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reftables in memory: made of records, and read into records.
// Functions without state.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "reftable/merged_cursor.h"
#include "reftable/reftable_stack.h"
#include "reftable/table_file.h"
#include "reftable/table_writer.h"
#include "support/memory_file.h"

namespace zpack::testing {

struct TableRecords {
  std::vector<reftable::RefRecord> refs;
  std::vector<reftable::LogRecord> logs;

  friend bool operator==(const TableRecords&, const TableRecords&) = default;
};

inline Result<Bytes> WriteTable(const reftable::TableOptions& options,
                                const TableRecords& records) {
  Bytes bytes;
  reftable::TableWriter writer(options, [&bytes](ByteView piece) -> Status {
    Append(bytes, piece);
    return {};
  });
  for (const auto& record : records.refs) ZPACK_TRY(writer.Add(record));
  for (const auto& record : records.logs) ZPACK_TRY(writer.Add(record));
  ZPACK_TRY(writer.Finish());
  return bytes;
}

inline Result<std::shared_ptr<const reftable::Table>> OpenTable(
    Bytes bytes, ObjectFormat format = ObjectFormat::kSha1) {
  ZPACK_ASSIGN_OR_RETURN(
      reftable::Table table,
      reftable::Table::Open(std::make_unique<MemoryFile>(std::move(bytes)),
                            format));
  return std::make_shared<const reftable::Table>(std::move(table));
}

template <typename Record>
Status ReadAll(reftable::MergedCursor<Record> cursor,
               std::vector<Record>& records) {
  while (true) {
    Record record;
    ZPACK_ASSIGN_OR_RETURN(const bool found, cursor.Next(record));
    if (!found) return {};
    records.push_back(std::move(record));
  }
}

// The records of tables, from the oldest to the newest, without deleted ones.
inline Result<TableRecords> ReadTables(
    const std::vector<std::shared_ptr<const reftable::Table>>& tables,
    uint64_t block_memory = reftable::Stack::kBlockMemory) {
  TableRecords records;
  ZPACK_TRY(ReadAll(reftable::RefCursor(tables, block_memory), records.refs));
  ZPACK_TRY(ReadAll(reftable::LogCursor(tables, block_memory), records.logs));
  return records;
}

inline Result<TableRecords> ReadTable(
    Bytes bytes, ObjectFormat format = ObjectFormat::kSha1) {
  ZPACK_ASSIGN_OR_RETURN(const auto table, OpenTable(std::move(bytes), format));
  return ReadTables({table});
}

// A ref that points at an id of this byte only; 0 for none, a deleted ref.
inline reftable::RefRecord DirectRef(std::string name, uint8_t byte,
                                     uint64_t update_index = 1,
                                     size_t width = 20) {
  reftable::RefRecord record;
  record.ref.name = std::move(name);
  if (byte != 0) record.ref.target = ObjectId(Bytes(width, byte));
  record.update_index = update_index;
  return record;
}

inline reftable::LogRecord LogEntry(std::string name, uint8_t byte,
                                    uint64_t update_index = 1,
                                    size_t width = 20) {
  reftable::LogRecord record;
  record.ref_name = std::move(name);
  record.update_index = update_index;
  if (byte == 0) return record;
  record.old_id = ObjectId(Bytes(width, static_cast<uint8_t>(byte - 1)));
  record.new_id = ObjectId(Bytes(width, byte));
  record.name = "A U Thor";
  record.email = "author@example.com";
  record.time = 1700000000 + update_index;
  record.zone = -330;
  record.message = "commit: message\n";
  return record;
}

}  // namespace zpack::testing
