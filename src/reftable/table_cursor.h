// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the refs, or the log entries, of one reftable in the order of their
// keys. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>

#include "reftable/block_loader.h"
#include "reftable/table_block.h"
#include "reftable/table_file.h"
#include "reftable/table_records.h"
#include "zpack/result.h"

namespace zpack::reftable {

// `Record` is RefRecord or LogRecord.
template <typename Record>
class TableCursor {
 public:
  // The caller keeps `table` and `loader` alive.
  TableCursor(const Table& table, BlockLoader& loader);

  // Reads the next record; false at the end. kSourceCorrupt if the section is
  // malformed; kLimitExceeded if its blocks need too much memory, or if its
  // records are longer than a file of this size may represent; kIo.
  // REQUIRES: no call before has returned false or an error.
  Result<bool> Next();

  const std::string& key() const { return key_; }
  const Record& record() const { return record_; }

 private:
  // Loads the next block; false after the last one.
  Result<bool> NextBlock();
  Status ReadRecord();
  // Checks that what follows the section at `position` is what the footer says.
  // Otherwise a damaged type of a block would end the section early.
  Status CheckEnd(uint64_t position);
  Status CheckIndex(uint64_t position);
  uint64_t index_position() const;
  std::unexpected<Error> Bad(std::string_view reason) const;

  const Table* table_;
  BlockLoader* loader_;
  LoadedBlock block_;
  BlockCursor cursor_;
  bool in_block_ = false;
  uint64_t next_position_ = 0;
  std::string key_;
  // The last key of the first block, with which the index begins.
  std::string first_last_key_;
  Record record_;
  uint64_t length_ = 0;  // of all records so far
};

}  // namespace zpack::reftable
