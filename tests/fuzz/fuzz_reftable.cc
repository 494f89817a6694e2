// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reftables. The first byte chooses the object format and what the rest is: a
// whole table, the records of a block of logs or refs, or a list of tables.
// Header, footer and deflated streams are made right. What a table holds must
// be the same after our writer has written it.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "codec/deflate.h"
#include "fuzz/fuzz_target.h"
#include "reftable/table_names.h"
#include "support/memory_table.h"

namespace {

using namespace zpack;
using namespace zpack::reftable;

constexpr uint64_t kBlockMemory = 32 << 20;

TableFooter FooterFor(ObjectFormat format) {
  TableFooter footer;
  footer.header = {static_cast<uint8_t>(format == ObjectFormat::kSha1 ? 1 : 2),
                   format, 0, 1, 1 << 20};
  return footer;
}

// A table of one block.
Bytes TableOfBlock(BlockType type, ObjectFormat format, ByteView content) {
  const TableFooter footer = FooterFor(format);
  Bytes bytes;
  Encode(footer.header, bytes);
  const size_t start = bytes.size();
  bytes.resize(start + kBlockHeaderSize);
  bytes[start] = static_cast<uint8_t>(type);
  StoreU24(static_cast<uint32_t>(bytes.size() + content.size()),
           &bytes[start + 1]);
  if (type == BlockType::kLog) {
    Deflater(1).Deflate(content, bytes);
  } else {
    Append(bytes, content);
  }
  Encode(footer, bytes);
  return bytes;
}

// Makes the footer of `bytes` fit the header, if there are both.
void RepairFooter(Bytes& bytes) {
  const std::string path;
  const auto header = DecodeTableHeader(bytes, {path});
  if (!header || bytes.size() < header->size() + header->footer_size()) return;
  uint8_t* const footer = &bytes[bytes.size() - header->footer_size()];
  std::copy_n(bytes.begin(), header->size(), footer);
  const size_t checked = header->footer_size() - sizeof(uint32_t);
  Bytes checksum;
  ByteWriter(checksum).U32(Crc32(0, {footer, checked}));
  std::ranges::copy(checksum, footer + checked);
}

void CheckRoundTrip(const TableHeader& header, testing::TableRecords records) {
  TableOptions options;
  options.format = header.format;
  options.min_update_index = header.min_update_index;
  options.max_update_index = header.max_update_index;
  options.alignment = Alignment::kNone;
  options.block_size = 256;
  // Git would not read all that the format allows.
  TableHeader written = header;
  written.block_size = 0;
  const auto has_problem = [&](const auto& record) {
    return !FindProblem(record, written).empty();
  };
  std::erase_if(records.refs, has_problem);
  std::erase_if(records.logs, has_problem);
  const auto again = testing::WriteTable(options, records);
  if (!again) std::abort();
  const auto read = testing::ReadTable(*again, header.format);
  if (!read || *read != records) std::abort();
}

void ReadTable(Bytes bytes, ObjectFormat format) {
  const auto table = testing::OpenTable(std::move(bytes), format);
  if (!table) return;
  auto records = testing::ReadTables({*table}, kBlockMemory);
  if (!records) return;
  const auto twice = testing::ReadTables({*table, *table}, 2 * kBlockMemory);
  if (!twice || *twice != *records) std::abort();
  CheckRoundTrip((*table)->header(), *std::move(records));
}

void ReadList(ByteView bytes) {
  const auto names = ParseTablesList(AsText(bytes), "tables.list");
  if (!names) return;
  for (const std::string& name : *names) {
    if (name.find('/') != std::string::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ByteReader in(ByteView(data, size));
  const uint8_t choice = in.U8();
  const auto format =
      (choice & 1) == 0 ? ObjectFormat::kSha1 : ObjectFormat::kSha256;
  const ByteView rest = in.Raw(std::min<size_t>(in.remaining(), 1 << 20));
  switch (choice >> 1 & 3) {
    case 0: {
      Bytes bytes(rest.begin(), rest.end());
      RepairFooter(bytes);
      ReadTable(std::move(bytes), format);
      break;
    }
    case 1:
      ReadTable(TableOfBlock(BlockType::kLog, format, rest), format);
      break;
    case 2:
      ReadTable(TableOfBlock(BlockType::kRef, format, rest), format);
      break;
    default:
      ReadList(rest);
  }
  return 0;
}
