// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/table_format.h"

#include "base/error.h"
#include "codec/deflate.h"

namespace zpack::reftable {
namespace {

constexpr uint32_t kTableSignature = 0x52454654;  // "REFT"
// Bits of the footer's field for object blocks that hold the width of ids.
constexpr unsigned kWidthBits = 5;

std::optional<ObjectFormat> ToObjectFormat(uint32_t hash) {
  for (const auto format : {ObjectFormat::kSha1, ObjectFormat::kSha256}) {
    if (hash == static_cast<uint32_t>(format)) return format;
  }
  return std::nullopt;
}

}  // namespace

std::unexpected<Error> BadTable(const Place& place, std::string_view reason) {
  return MakeError(ErrorCode::kSourceCorrupt,
                   "bad reftable '{}' at offset {}: {}", AtPath{place.path},
                   AtOffset{place.offset}, MessageText{reason});
}

Result<TableHeader> DecodeTableHeader(ByteView bytes, const Place& place) {
  ByteReader in(bytes);
  TableHeader header;
  if (in.U32() != kTableSignature) return BadTable(place, "no signature");
  header.version = in.U8();
  header.block_size = ReadU24(in);
  header.min_update_index = in.U64();
  header.max_update_index = in.U64();
  if (!in.ok()) return BadTable(place, "the file is too short");
  if (header.version != 1 && header.version != 2) {
    return MakeError(ErrorCode::kUnsupported,
                     "unsupported version {} of reftable '{}'", header.version,
                     AtPath{place.path});
  }
  if (header.version == 2) {
    const auto format = ToObjectFormat(in.U32());
    if (!in.ok()) return BadTable(place, "the file is too short");
    if (!format) {
      return MakeError(ErrorCode::kUnsupported,
                       "unsupported object format of reftable '{}'",
                       AtPath{place.path});
    }
    header.format = *format;
  }
  if (header.min_update_index > header.max_update_index) {
    return BadTable(place, "update indexes are reversed");
  }
  return header;
}

void Encode(const TableHeader& header, Bytes& out) {
  ByteWriter to(out);
  to.U32(kTableSignature);
  to.U32(uint32_t{header.version} << 24 | header.block_size);
  to.U64(header.min_update_index);
  to.U64(header.max_update_index);
  if (header.version == 2) to.U32(static_cast<uint32_t>(header.format));
}

Result<TableFooter> DecodeTableFooter(ByteView bytes, const Place& place) {
  TableFooter footer;
  ZPACK_ASSIGN_OR_RETURN(footer.header, DecodeTableHeader(bytes, place));
  if (bytes.size() != footer.header.footer_size()) {
    return BadTable(place, "the footer has a wrong size");
  }
  ByteReader in(bytes.subspan(footer.header.size()));
  footer.ref_index_position = in.U64();
  const uint64_t objects = in.U64();
  footer.object_position = objects >> kWidthBits;
  footer.object_id_width =
      static_cast<uint8_t>(objects & ((1U << kWidthBits) - 1));
  footer.object_index_position = in.U64();
  footer.log_position = in.U64();
  footer.log_index_position = in.U64();
  const ByteView checked = bytes.first(bytes.size() - sizeof(uint32_t));
  if (in.U32() != Crc32(0, checked)) {
    return BadTable(place, "the checksum of the footer is wrong");
  }
  return footer;
}

void Encode(const TableFooter& footer, Bytes& out) {
  Bytes bytes;
  Encode(footer.header, bytes);
  ByteWriter to(bytes);
  to.U64(footer.ref_index_position);
  to.U64(footer.object_position << kWidthBits | footer.object_id_width);
  to.U64(footer.object_index_position);
  to.U64(footer.log_position);
  to.U64(footer.log_index_position);
  to.U32(Crc32(0, bytes));
  Append(out, bytes);
}

uint32_t ReadU24(ByteReader& in) {
  const uint32_t high = in.U8();
  return high << 16 | in.U16();
}

void StoreU24(uint32_t value, uint8_t* out) {
  out[0] = static_cast<uint8_t>(value >> 16);
  out[1] = static_cast<uint8_t>(value >> 8);
  out[2] = static_cast<uint8_t>(value);
}

}  // namespace zpack::reftable
