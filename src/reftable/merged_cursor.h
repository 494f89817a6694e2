// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the refs, or the log entries, of a stack of reftables as one list. Of
// records with equal keys, only the one of the newest table counts.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "reftable/block_loader.h"
#include "reftable/table_cursor.h"
#include "reftable/table_file.h"
#include "zpack/result.h"

namespace zpack::reftable {

// `Record` is RefRecord or LogRecord.
template <typename Record>
class MergedCursor {
 public:
  // `tables` are ordered from the oldest to the newest. The cursor keeps them
  // alive. The blocks in use have at most `memory_limit` bytes.
  MergedCursor(std::vector<std::shared_ptr<const Table>> tables,
               uint64_t memory_limit);

  // Reads the next record that is not deleted; false at the end. Refs come in
  // the order of their names, log entries too, and the newest entry of a ref
  // first. Errors as TableCursor::Next.
  // REQUIRES: no call before has returned an error.
  Result<bool> Next(Record& record);

 private:
  Status Start();
  // Reads the next record of the cursor `index`, and puts the cursor on the
  // heap unless the cursor has ended.
  Status Advance(size_t index);
  // Takes the cursor with the first key from the heap.
  size_t Pop();
  bool IsAfter(size_t a, size_t b) const;

  std::vector<std::shared_ptr<const Table>> tables_;
  std::unique_ptr<BlockLoader> loader_;  // its address does not change
  std::vector<TableCursor<Record>> cursors_;
  std::vector<size_t> heap_;  // indexes of cursors that have a record
  bool started_ = false;
};

using RefCursor = MergedCursor<RefRecord>;
using LogCursor = MergedCursor<LogRecord>;

}  // namespace zpack::reftable
