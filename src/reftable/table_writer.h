// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes one reftable from front to end. The same records and options give the
// same bytes. Memory does not depend on the number of records, except for one
// key for each block. Blocks of object ids, which the format allows to leave
// out, are not written. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "codec/deflate.h"
#include "reftable/table_block.h"
#include "reftable/table_format.h"
#include "reftable/table_records.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::reftable {

// Whether blocks begin at multiples of the block size, as in the tables that
// Git writes. Blocks that are not aligned need no padding, and may be larger
// than the block size.
enum class Alignment : uint8_t { kBlockSize, kNone };

struct TableOptions {
  ObjectFormat format = ObjectFormat::kSha1;
  // Bounds of the update indexes of all refs, and upper bound of those of log
  // entries.
  uint64_t min_update_index = 1;
  uint64_t max_update_index = 1;
  // Bytes of a block; of logs, before they are deflated. 256 to kMaxBlockSize.
  uint32_t block_size = 4096;
  Alignment alignment = Alignment::kBlockSize;
  uint32_t restart_interval = 16;  // at least 1
};

class TableWriter {
 public:
  // Receives the bytes of the file. An error of the sink ends the call with
  // this error; the writer cannot be used afterwards.
  using Sink = std::function<Status(ByteView)>;

  TableWriter(const TableOptions& options, Sink sink);

  // Adds a ref, a deleted one too. kInvalidArgument if the record is not valid,
  // if it is not greater than the record before, if a log entry was added
  // before, or if blocks are aligned and its name or target is too long for a
  // block.
  Status Add(const RefRecord& record);
  // Adds a log entry. Entries follow all refs, ordered by ref name and then
  // from the largest to the smallest update index. Errors as for refs.
  Status Add(const LogRecord& record);
  // Writes what is left. REQUIRES: Add and Finish are not called afterwards.
  Status Finish();

  // The name of the file, as Git chooses it. Its random part is a checksum of
  // the content. REQUIRES: Finish has succeeded.
  std::string FileName() const;

 private:
  struct IndexEntry {
    std::string last_key;
    uint64_t position;
  };

  template <typename Record>
  Status AddRecord(const Record& record);
  // Makes a block of `type` the current one, with the header if it is first.
  void StartBlock(BlockType type);
  Status WriteBlock();
  // Ends the section of refs or logs, and writes its index.
  Status FinishSection();
  Status WriteIndex();
  Status AddToIndex(const IndexEntry& entry);
  Status Write(ByteView bytes);
  bool aligned() const { return header_.block_size != 0; }
  // Limit of the size of a block of the type with `count` records so far.
  size_t Limit(BlockType type, size_t count) const;
  // Padding that is due before a block of the type.
  uint64_t Padding(BlockType type) const;

  TableHeader header_;
  uint32_t block_size_;
  Sink sink_;
  Deflater deflater_;
  ChecksumHasher hasher_;
  TableFooter footer_;
  BlockBuilder builder_;
  BlockType section_ = BlockType::kRef;  // of the records that are added
  BlockType type_ = BlockType::kRef;     // of the block that is being built
  std::string last_key_;
  Bytes value_;
  std::vector<IndexEntry> index_;
  uint64_t written_ = 0;
  uint64_t padding_ = 0;  // to the next multiple of the block size
};

}  // namespace zpack::reftable
