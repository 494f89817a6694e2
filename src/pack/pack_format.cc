// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_format.h"

#include <array>

#include "base/hash.h"
#include "base/offset_varint.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

// Four bits of the size, then seven bits per byte.
void EncodeTypeAndSize(unsigned type, uint64_t size, Bytes& out) {
  uint64_t rest = size >> 4;
  auto byte = static_cast<uint8_t>(type << 4 | (size & 15));
  while (rest != 0) {
    out.push_back(byte | 0x80);
    byte = rest & 0x7f;
    rest >>= 7;
  }
  out.push_back(byte);
}

}  // namespace

void EncodeWholeHeader(ObjectType type, uint64_t size, Bytes& out) {
  EncodeTypeAndSize(static_cast<unsigned>(type), size, out);
}

void EncodeOffsetDeltaHeader(uint64_t size, uint64_t distance, Bytes& out) {
  EncodeTypeAndSize(kOffsetDelta, size, out);
  AppendOffsetVarint(distance, out);
}

void EncodeReferenceDeltaHeader(uint64_t size, const ObjectId& base,
                                Bytes& out) {
  EncodeTypeAndSize(kReferenceDelta, size, out);
  Append(out, base.bytes());
}

std::optional<PackEntryHeader> ReadEntryHeader(ByteReader& in,
                                               ObjectFormat format) {
  uint8_t byte = in.U8();
  PackEntryHeader header{.type = static_cast<uint8_t>(byte >> 4 & 7),
                         .size = byte & uint64_t{15},
                         .base = {}};
  for (unsigned shift = 4; (byte & 0x80) != 0; shift += 7) {
    byte = in.U8();
    if (!in.ok() || shift > 53) return std::nullopt;
    header.size |= static_cast<uint64_t>(byte & 0x7f) << shift;
  }
  if (header.type == kOffsetDelta) {
    header.distance = ReadOffsetVarint(in).value_or(0);
    if (header.distance == 0) return std::nullopt;
  } else if (header.type == kReferenceDelta) {
    header.base = in.Raw(ObjectIdWidth(format));
  } else if (header.type < static_cast<uint8_t>(ObjectType::kCommit) ||
             header.type > static_cast<uint8_t>(ObjectType::kTag)) {
    return std::nullopt;
  }
  if (!in.ok()) return std::nullopt;
  return header;
}

Bytes EncodePackTable(ObjectFormat format, uint32_t signature,
                      const std::vector<uint32_t>& numbers,
                      ByteView pack_hash) {
  Bytes table;
  ByteWriter to(table);
  to.U32(signature);
  to.U32(kPackTableVersion);
  to.U32(PackTableHash(format));
  for (const uint32_t number : numbers) to.U32(number);
  to.Raw(pack_hash);
  AppendHash(format, table);
  return table;
}

void AppendHash(ObjectFormat format, Bytes& bytes) {
  Hasher hasher(HashAlgorithmOf(format));
  hasher.Update(bytes);
  std::array<uint8_t, Hasher::kMaxSize> storage;
  Append(bytes, hasher.Finish(storage));
}

}  // namespace zpack
