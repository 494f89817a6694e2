// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/table_cursor.h"

#include "base/error.h"
#include "base/offset_varint.h"

namespace zpack::reftable {
namespace {

// Prefixes and deflate let a few bytes stand for long records. Object ids do
// not compress, so real records are at most some ten times as long as their
// bytes in the file.
constexpr uint64_t kMaxExpansion = 256;
constexpr uint64_t kFreeLength = 1 << 20;

}  // namespace

template <typename Record>
TableCursor<Record>::TableCursor(const Table& table, BlockLoader& loader)
    : table_(&table), loader_(&loader) {
  next_position_ = table.Begin(Record::kBlockType).value_or(table.end());
}

template <typename Record>
Result<bool> TableCursor<Record>::Next() {
  while (!in_block_ || cursor_.at_end()) {
    ZPACK_ASSIGN_OR_RETURN(const bool found, NextBlock());
    if (!found) return false;
  }
  ZPACK_TRY(ReadRecord());
  return true;
}

template <typename Record>
Result<bool> TableCursor<Record>::NextBlock() {
  const auto begin = table_->Begin(Record::kBlockType);
  if (!begin) return false;
  if (in_block_) {
    if (const auto problem = cursor_.Finish(); !problem.empty()) {
      return Bad(problem);
    }
    if (block_.position == *begin) first_last_key_ = key_;
  }
  in_block_ = false;
  bool found = false;
  if (next_position_ != table_->end()) {
    ZPACK_ASSIGN_OR_RETURN(const BlockType type,
                           BlockLoader::ReadType(*table_, next_position_));
    found = type == Record::kBlockType;
  }
  if (!found) {
    Status checked = CheckEnd(next_position_);
    loader_->Release(block_);
    if (!checked) return std::unexpected(std::move(checked).error());
    return false;
  }
  ZPACK_TRY(loader_->Load(*table_, next_position_, Record::kBlockType, block_));
  next_position_ = block_.next;
  if (const auto problem = cursor_.Open(block_.bytes, block_.first_record);
      !problem.empty()) {
    return Bad(problem);
  }
  in_block_ = true;
  return true;
}

template <typename Record>
Status TableCursor<Record>::ReadRecord() {
  const size_t start = cursor_.position();
  unsigned type = 0;
  std::string_view problem = cursor_.ReadKey(key_, type);
  if (problem.empty()) {
    problem =
        DecodeValue(key_, type, table_->header(), cursor_.value(), record_);
  }
  if (!problem.empty()) return Bad(problem);
  length_ += key_.size() + cursor_.position() - start;
  if (length_ > kFreeLength + kMaxExpansion * table_->size()) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "reftable '{}' of {} bytes represents more than {} bytes",
                     AtPath{table_->path()}, table_->size(), length_);
  }
  return {};
}

template <typename Record>
uint64_t TableCursor<Record>::index_position() const {
  const TableFooter& footer = table_->footer();
  return Record::kBlockType == BlockType::kRef ? footer.ref_index_position
                                               : footer.log_index_position;
}

template <typename Record>
Status TableCursor<Record>::CheckEnd(uint64_t position) {
  if (index_position() != 0) return CheckIndex(position);
  if (position == table_->end()) return {};
  // Without an index, the next section is that of objects or logs.
  if (Record::kBlockType == BlockType::kRef &&
      (position == table_->footer().object_position ||
       position == table_->footer().log_position)) {
    return {};
  }
  return BadTable({table_->path(), position}, "a section ends too early");
}

template <typename Record>
Status TableCursor<Record>::CheckIndex(uint64_t position) {
  // The root is the last block, so an index of several levels begins before it.
  if (position > index_position()) {
    return BadTable({table_->path(), position}, "the index is misplaced");
  }
  ZPACK_TRY(loader_->Load(*table_, position, BlockType::kIndex, block_));
  BlockCursor cursor;
  std::string_view problem = cursor.Open(block_.bytes, block_.first_record);
  std::string key;
  unsigned type = 0;
  if (problem.empty()) problem = cursor.ReadKey(key, type);
  if (problem.empty() &&
      (type != 0 || key != first_last_key_ ||
       ReadOffsetVarint(cursor.value()) != table_->Begin(Record::kBlockType))) {
    problem = "the index does not fit its section";
  }
  if (problem.empty()) return {};
  return BadTable({table_->path(), position}, problem);
}

template <typename Record>
std::unexpected<Error> TableCursor<Record>::Bad(std::string_view reason) const {
  // Within a deflated block there are no offsets of the file.
  const uint64_t inside =
      Record::kBlockType == BlockType::kLog ? 0 : cursor_.position();
  return BadTable({table_->path(), block_.position + inside}, reason);
}

template class TableCursor<RefRecord>;
template class TableCursor<LogRecord>;

}  // namespace zpack::reftable
