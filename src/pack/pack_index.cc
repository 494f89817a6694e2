// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_index.h"

#include <limits>
#include <utility>

#include "base/error.h"
#include "base/huge_pages.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

constexpr size_t kFanOutSize = 256 * sizeof(uint32_t);
constexpr size_t kHeaderSize = 2 * sizeof(uint32_t) + kFanOutSize;
constexpr ObjectFormat kFormat = ObjectFormat::kSha1;

std::unexpected<Error> Bad(const std::string& path) {
  return MakeError(ErrorCode::kCorrupt, "bad pack index '{}'", path);
}

// Version 1 has no header and no checksums: the fan-out, offsets with ids, and
// two hashes.
Result<PackIndex> DecodeVersion1(ByteView bytes, const std::string& path) {
  ByteReader in(bytes);
  ObjectIdTable::FanOut fan_out;
  for (uint32_t& count : fan_out) count = in.U32();
  const size_t width = ObjectIdWidth(kFormat);
  const uint64_t count = fan_out.back();
  if (!in.ok() ||
      bytes.size() != kFanOutSize + count * (width + 4) + 2 * width) {
    return Bad(path);
  }
  PackIndex index;
  Bytes ids;
  ids.reserve(count * width);
  index.offsets.resize(count);
  for (uint64_t& offset : index.offsets) {
    offset = in.U32();
    Append(ids, in.Raw(width));
  }
  ZPACK_ASSIGN_OR_RETURN(index.ids,
                         ObjectIdTable::FromSorted(kFormat, std::move(ids)));
  if (index.ids.fan_out() != fan_out) return Bad(path);
  return index;
}

}  // namespace

Result<PackIndex> DecodePackIndex(ByteView bytes, const std::string& path) {
  ByteReader in(bytes);
  if (in.U32() != kPackIndexSignature) return DecodeVersion1(bytes, path);
  if (in.U32() != kPackVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     "pack index of another version: '{}'", path);
  }
  ObjectIdTable::FanOut fan_out;
  for (uint32_t& count : fan_out) count = in.U32();
  const size_t width = ObjectIdWidth(kFormat);
  const uint64_t count = fan_out.back();
  // Ids, checksums, offsets, then large offsets and two hashes.
  const uint64_t fixed = kHeaderSize + count * (width + 8) + 2 * width;
  if (!in.ok() || bytes.size() < fixed || (bytes.size() - fixed) % 8 != 0) {
    return Bad(path);
  }
  const uint64_t large_count = (bytes.size() - fixed) / 8;

  PackIndex index;
  Bytes ids;
  ReserveTable(ids, count * width);
  Append(ids, in.Raw(count * width));
  ZPACK_ASSIGN_OR_RETURN(index.ids,
                         ObjectIdTable::FromSorted(kFormat, std::move(ids)));
  if (index.ids.fan_out() != fan_out) return Bad(path);
  index.checksums.resize(count);
  for (uint32_t& checksum : index.checksums) checksum = in.U32();
  ByteReader large(bytes.last(large_count * 8 + 2 * width));
  const ByteView large_offsets = large.Raw(large_count * 8);
  index.offsets.resize(count);
  for (uint64_t& offset : index.offsets) {
    offset = in.U32();
    if (offset < kFirstLargeOffset) continue;
    const uint64_t at = offset - kFirstLargeOffset;
    if (at >= large_count) return Bad(path);
    offset = LoadBigEndian<uint64_t>(&large_offsets[at * 8]);
  }
  return index;
}

Result<PackIndex> ReadPackIndex(FileSystem& file_system,
                                const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(
      const Bytes bytes,
      ReadWholeFile(file_system, path, std::numeric_limits<size_t>::max()));
  return DecodePackIndex(bytes, path);
}

}  // namespace zpack
