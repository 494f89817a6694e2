// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block_table.h"

#include <algorithm>

#include "base/error.h"
#include "format/constants.h"

namespace zpack::format {
namespace {

constexpr size_t kRowSize = 12;

// True if `row` may follow the rows read so far, of which there is at least
// one.
bool Continues(const std::vector<BlockTable::Row>& rows,
               const BlockTable::Row& row) {
  const BlockTable::Row& last = rows.back();
  // Offsets may be hostile: the sum of two offsets could wrap around.
  if (row.offset < last.offset || row.offset - last.offset < kChunkOverhead ||
      row.first_object < last.first_object) {
    return false;
  }
  // Rows with the same first object hold one object in segments.
  const bool ends_run = rows.size() > 1 &&
                        row.first_object != last.first_object &&
                        rows[rows.size() - 2].first_object == last.first_object;
  return !ends_run || row.first_object - last.first_object == 1;
}

}  // namespace

uint32_t BlockTable::object_count(size_t block) const {
  return std::max<uint32_t>(
      rows[block + 1].first_object - rows[block].first_object, 1);
}

size_t BlockTable::FindBlock(ObjectNumber number) const {
  const auto after =
      std::ranges::upper_bound(rows, number, {}, &Row::first_object);
  const ObjectNumber first = (after - 1)->first_object;
  const auto at = std::ranges::lower_bound(rows, first, {}, &Row::first_object);
  return static_cast<size_t>(at - rows.begin());
}

void Encode(const BlockTable& table, Bytes& out) {
  ByteWriter to(out);
  for (const BlockTable::Row& row : table.rows) {
    to.U64(row.offset);
    to.U32(row.first_object.value());
  }
}

Result<BlockTable> DecodeBlockTable(ByteView payload, uint64_t begin,
                                    uint64_t end, ObjectNumberRange objects) {
  if (payload.empty() || payload.size() % kRowSize != 0) {
    return MakeError(ErrorCode::kCorrupt, "bad size of block table");
  }
  BlockTable table;
  table.rows.reserve(payload.size() / kRowSize);
  ByteReader in(payload);
  while (in.remaining() > 0) {
    BlockTable::Row row;
    row.offset = in.U64();
    row.first_object = ObjectNumber(in.U32());
    const bool fits = table.rows.empty()
                          ? row.offset == begin &&
                                row.first_object == ObjectNumber(objects.begin)
                          : Continues(table.rows, row);
    if (row.offset > end || !fits) {
      return MakeError(ErrorCode::kCorrupt, "bad row {} in block table",
                       table.rows.size());
    }
    table.rows.push_back(row);
  }
  const BlockTable::Row& last = table.rows.back();
  const bool last_block_empty =
      table.rows.size() > 1 &&
      table.rows[table.rows.size() - 2].first_object == last.first_object;
  if (last.offset != end || last.first_object != ObjectNumber(objects.end) ||
      last_block_empty) {
    return MakeError(ErrorCode::kCorrupt, "block table does not fit the file");
  }
  return table;
}

}  // namespace zpack::format
