// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/table_writer.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/offset_varint.h"
#include "reftable/table_names.h"

namespace zpack::reftable {
namespace {

// Git's level for log blocks is zlib's best. libdeflate needs less for that.
constexpr int kLogLevel = 9;
// Git reads as many bytes of a log block as its inflated size. Deflate makes
// incompressible content larger, by less than this.
constexpr size_t kDeflateOverhead = 64;
// Blocks of aligned tables before an index is worth reading. The index of an
// unaligned table, and of logs, is required for more than one block.
constexpr size_t kBlocksWithoutIndex = 3;
// Two varints in front of a key, a position after it, and a restart.
constexpr size_t kIndexEntryOverhead = 3 * 10 + 3;

TableHeader MakeHeader(const TableOptions& options) {
  return {.version = static_cast<uint8_t>(
              options.format == ObjectFormat::kSha1 ? 1 : 2),
          .format = options.format,
          .block_size =
              options.alignment == Alignment::kNone ? 0 : options.block_size,
          .min_update_index = options.min_update_index,
          .max_update_index = options.max_update_index};
}

const std::string& NameOf(const RefRecord& record) { return record.ref.name; }
const std::string& NameOf(const LogRecord& record) { return record.ref_name; }

}  // namespace

TableWriter::TableWriter(const TableOptions& options, Sink sink)
    : header_(MakeHeader(options)),
      block_size_(options.block_size),
      sink_(std::move(sink)),
      deflater_(kLogLevel),
      builder_(options.restart_interval) {
  ZPACK_CHECK(options.block_size >= 256 && options.block_size <= kMaxBlockSize);
  ZPACK_CHECK(options.min_update_index <= options.max_update_index);
  ZPACK_CHECK(options.restart_interval != 0);
  footer_.header = header_;
}

Status TableWriter::Add(const RefRecord& record) { return AddRecord(record); }

Status TableWriter::Add(const LogRecord& record) {
  if (section_ == BlockType::kRef) {
    ZPACK_TRY(FinishSection());
    section_ = BlockType::kLog;
    last_key_.clear();
  }
  return AddRecord(record);
}

template <typename Record>
Status TableWriter::AddRecord(const Record& record) {
  const auto refuse = [&record](std::string_view reason) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "cannot write ref '{}' to a reftable: {}", NameOf(record),
                     MessageText{reason});
  };
  if (const auto problem = FindProblem(record, header_); !problem.empty()) {
    return refuse(problem);
  }
  std::string key = KeyOf(record);
  if (section_ != Record::kBlockType || key <= last_key_) {
    return refuse("records are not in order");
  }
  // An index must have two entries in a block, or it would have no root.
  if (aligned() &&
      2 * (key.size() + kIndexEntryOverhead) + kBlockHeaderSize + 2 >
          block_size_) {
    return refuse("its name is too long for a block");
  }
  value_.clear();
  const unsigned type = EncodeValue(record, header_, value_);
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (builder_.empty()) StartBlock(Record::kBlockType);
    if (builder_.Add(key, type, value_,
                     Limit(Record::kBlockType, builder_.count()))) {
      last_key_ = std::move(key);
      return {};
    }
    if (builder_.empty()) break;
    ZPACK_TRY(WriteBlock());
  }
  return refuse("it is too long for a block");
}

size_t TableWriter::Limit(BlockType type, size_t count) const {
  if (type == BlockType::kLog) {
    return count == 0 ? kMaxBlockSize
                      : std::max<size_t>(block_size_, 2 * kDeflateOverhead) -
                            kDeflateOverhead;
  }
  if (aligned()) return block_size_;
  const size_t least = type == BlockType::kIndex ? 2 : 1;
  return count < least ? kMaxBlockSize : block_size_;
}

uint64_t TableWriter::Padding(BlockType type) const {
  return type == BlockType::kLog || section_ == BlockType::kLog ? 0 : padding_;
}

void TableWriter::StartBlock(BlockType type) {
  type_ = type;
  Bytes front;
  if (written_ == 0) Encode(header_, front);
  builder_.Start(type, front);
}

Status TableWriter::WriteBlock() {
  const uint64_t padding = Padding(type_);
  if (padding != 0) ZPACK_TRY(Write(Bytes(padding, 0)));
  const uint64_t position = written_;
  Bytes& block = builder_.Finish();
  if (type_ == BlockType::kLog) {
    const size_t front =
        kBlockHeaderSize + (position == 0 ? header_.size() : 0);
    Bytes stored(block.begin(), block.begin() + static_cast<ptrdiff_t>(front));
    deflater_.Deflate(ByteView(block).subspan(front), stored);
    ZPACK_TRY(Write(stored));
    padding_ = 0;
  } else {
    ZPACK_TRY(Write(block));
    padding_ = aligned() ? header_.block_size - block.size() : 0;
  }
  index_.push_back({builder_.last_key(), position});
  StartBlock(type_);
  return {};
}

Status TableWriter::FinishSection() {
  if (!builder_.empty()) ZPACK_TRY(WriteBlock());
  if (index_.empty()) return {};
  if (section_ == BlockType::kLog) {
    // 0 if logs are all that the table has, as in Git's tables.
    footer_.log_position = index_.front().position;
  }
  const size_t threshold =
      aligned() && section_ == BlockType::kRef ? kBlocksWithoutIndex : 1;
  if (index_.size() > threshold) ZPACK_TRY(WriteIndex());
  index_.clear();
  return {};
}

// Levels follow each other, up to the root, which is one block.
Status TableWriter::WriteIndex() {
  while (index_.size() > 1) {
    const std::vector<IndexEntry> level = std::exchange(index_, {});
    StartBlock(BlockType::kIndex);
    for (const IndexEntry& entry : level) ZPACK_TRY(AddToIndex(entry));
    ZPACK_TRY(WriteBlock());
  }
  auto& position = section_ == BlockType::kRef ? footer_.ref_index_position
                                               : footer_.log_index_position;
  position = index_.front().position;
  return {};
}

Status TableWriter::AddToIndex(const IndexEntry& entry) {
  value_.clear();
  AppendOffsetVarint(entry.position, value_);
  const auto add = [&] {
    return builder_.Add(entry.last_key, 0, value_,
                        Limit(BlockType::kIndex, builder_.count()));
  };
  if (add()) return {};
  ZPACK_TRY(WriteBlock());
  ZPACK_CHECK(add());
  return {};
}

Status TableWriter::Finish() {
  ZPACK_TRY(FinishSection());
  Bytes end;
  if (written_ == 0) Encode(header_, end);
  Encode(footer_, end);
  return Write(end);
}

Status TableWriter::Write(ByteView bytes) {
  hasher_.Update(bytes);
  written_ += bytes.size();
  return sink_(bytes);
}

std::string TableWriter::FileName() const {
  const uint64_t checksum = hasher_.Value();
  return TableName(header_, static_cast<uint32_t>(checksum ^ (checksum >> 32)));
}

}  // namespace zpack::reftable
