// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The records of one block of a reftable: keys compressed by their common
// prefix, and the table of restarts at the end. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "reftable/table_format.h"

namespace zpack::reftable {

// Walks the records of a block. Functions that return a text return what is
// wrong with the block; nothing if all is right.
class BlockCursor {
 public:
  // `bytes` are a block with everything in front of its first record, which is
  // at the offset `first_record`. The caller keeps `bytes` alive.
  std::string_view Open(ByteView bytes, size_t first_record);

  // True if all records were read. All restarts were found then.
  bool at_end() const { return records_.remaining() == 0; }
  // Offset in the block.
  size_t position() const { return records_.position(); }

  // Reads the start of a record: its key, and the type of its value. `key`
  // holds the key of the previous record, or nothing for the first record of a
  // section. Each key must be greater than the key before.
  // REQUIRES: !at_end().
  std::string_view ReadKey(std::string& key, unsigned& type);
  // Stands at the value after ReadKey. The caller reads the value.
  ByteReader& value() { return records_; }
  // To be called after the value of the last record.
  std::string_view Finish() const;

 private:
  size_t Restart(size_t index) const;
  bool IsRestart();

  ByteReader records_{{}};
  ByteView restarts_;
  size_t next_restart_ = 0;
};

// Collects the records of a block.
class BlockBuilder {
 public:
  // Every `restart_interval`-th key is stored whole.
  explicit BlockBuilder(uint32_t restart_interval)
      : restart_interval_(restart_interval) {}

  // Starts a block behind the bytes `front`: the file's header, or nothing.
  void Start(BlockType type, ByteView front);
  // Appends a record, unless the block would have more than `limit` bytes with
  // it. Returns false then.
  bool Add(std::string_view key, unsigned type, ByteView value, size_t limit);
  // The complete block, valid until the next Start. REQUIRES: !empty().
  Bytes& Finish();

  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  const std::string& last_key() const { return last_key_; }

 private:
  uint32_t restart_interval_;
  Bytes bytes_;
  size_t front_ = 0;  // bytes in front of the block's header
  std::vector<uint32_t> restarts_;
  std::string last_key_;
  size_t count_ = 0;
};

}  // namespace zpack::reftable
