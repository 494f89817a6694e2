// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/table_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack::reftable {
namespace {

constexpr uint64_t kWholeFile = 64 << 10;

}  // namespace

Result<Table> Table::Open(std::unique_ptr<RandomAccessFile> file,
                          ObjectFormat format) {
  Table table(file->path(), file->size());
  table.file_ = std::move(file);
  if (table.size_ <= kWholeFile) {
    Bytes content(table.size_);
    ZPACK_TRY(table.Read(0, content));
    table.content_ = std::move(content);
    table.file_ = nullptr;
  }
  ZPACK_TRY(table.ReadFooter(format));
  ZPACK_TRY(table.CheckPositions());
  return table;
}

Status Table::ReadFooter(ObjectFormat format) {
  Bytes start(std::min<uint64_t>(size_, kMaxHeaderSize));
  ZPACK_TRY(Read(0, start));
  ZPACK_ASSIGN_OR_RETURN(const TableHeader header,
                         DecodeTableHeader(start, {path_}));
  if (header.format != format) {
    return BadTable({path_},
                    FormatMessage("it has {} ids in a {} repository",
                                  MessageText{ObjectFormatName(header.format)},
                                  MessageText{ObjectFormatName(format)}));
  }
  if (size_ < header.size() + header.footer_size()) {
    return BadTable({path_, size_}, "the file is too short");
  }
  Bytes bytes(header.footer_size());
  const uint64_t offset = size_ - bytes.size();
  ZPACK_TRY(Read(offset, bytes));
  ZPACK_ASSIGN_OR_RETURN(footer_, DecodeTableFooter(bytes, {path_, offset}));
  if (footer_.header != header) {
    return BadTable({path_, offset}, "header and footer differ");
  }
  if (end() == header.size()) return {};
  uint8_t type = 0;
  ZPACK_TRY(Read(header.size(), {&type, 1}));
  first_type_ = BlockType{type};
  if (*first_type_ != BlockType::kRef && *first_type_ != BlockType::kLog) {
    return BadTable({path_, header.size()}, "the first block has a wrong type");
  }
  return {};
}

Status Table::CheckPositions() const {
  const auto in_file = [this](uint64_t position) {
    return position == 0 || (position >= header().size() && position < end());
  };
  for (const uint64_t position :
       {footer_.ref_index_position, footer_.object_position,
        footer_.object_index_position, footer_.log_position,
        footer_.log_index_position}) {
    if (!in_file(position)) {
      return BadTable({path_, end()}, "the footer names a place outside");
    }
  }
  return {};
}

std::optional<uint64_t> Table::Begin(BlockType type) const {
  // The first block begins with the header, and the footer of a table that
  // holds nothing but logs does not name their position.
  if (first_type_ == type) return 0;
  if (type == BlockType::kLog && footer_.log_position != 0) {
    return footer_.log_position;
  }
  return std::nullopt;
}

Status Table::Read(uint64_t offset, std::span<uint8_t> out) const {
  if (offset > size_ || out.size() > size_ - offset) {
    return BadTable({path_, offset}, "the file is too short");
  }
  if (file_ == nullptr) {
    std::ranges::copy(ByteView(content_).subspan(offset, out.size()),
                      out.begin());
    return {};
  }
  Status read = file_->Read(offset, out);
  if (!read && read.error().code == ErrorCode::kCorrupt) {
    return BadTable({path_, offset}, "the file is too short");
  }
  return read;
}

}  // namespace zpack::reftable
