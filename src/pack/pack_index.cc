// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_index.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/huge_pages.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

constexpr size_t kFanOutSize = 256 * sizeof(uint32_t);
constexpr size_t kIndexHeaderSize = 2 * sizeof(uint32_t) + kFanOutSize;

std::unexpected<Error> Bad(const std::string& path) {
  return MakeError(ErrorCode::kCorrupt, "bad pack index '{}'", AtPath{path});
}

// 1 or 2. kUnsupported for any other version.
Result<uint32_t> ReadVersion(const RandomAccessFile& file) {
  Bytes start(std::min<uint64_t>(file.size(), 2 * sizeof(uint32_t)));
  ZPACK_TRY(file.Read(0, start));
  ByteReader in(start);
  if (in.U32() != kPackIndexSignature) return 1;
  const uint32_t version = in.U32();
  if (version != kPackVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     "pack index of another version: '{}'",
                     AtPath{file.path()});
  }
  return version;
}

// Fan-out, ids, checksums, offsets and two hashes, without the large offsets.
uint64_t Version2Size(uint64_t count, size_t width) {
  return kIndexHeaderSize + count * (width + 8) + 2 * width;
}

Status ReadTable(const RandomAccessFile& file, uint64_t offset, uint64_t size,
                 Bytes& table) {
  ReserveTable(table, size);
  table.resize(size);
  return file.Read(offset, table);
}

// The ids of version 2. An id may occur more than once.
Result<Bytes> ReadVersion2Ids(ObjectFormat format, const RandomAccessFile& file,
                              ObjectIdTable::FanOut& fan_out) {
  if (file.size() < kIndexHeaderSize) return Bad(file.path());
  Bytes header(kFanOutSize);
  ZPACK_TRY(file.Read(kIndexHeaderSize - kFanOutSize, header));
  ByteReader in(header);
  for (uint32_t& count : fan_out) count = in.U32();
  const uint64_t count = fan_out.back();
  const size_t width = ObjectIdWidth(format);
  const uint64_t least = Version2Size(count, width);
  // There are at most as many large offsets as offsets.
  if (file.size() < least || (file.size() - least) % 8 != 0 ||
      (file.size() - least) / 8 > count) {
    return Bad(file.path());
  }
  Bytes bytes;
  ZPACK_TRY(ReadTable(file, kIndexHeaderSize, count * width, bytes));
  return bytes;
}

// The ids of version 1, and their offsets. An id may occur more than once.
Result<Bytes> ReadVersion1Ids(ObjectFormat format, const RandomAccessFile& file,
                              ObjectIdTable::FanOut& fan_out,
                              std::vector<uint64_t>& offsets) {
  if (file.size() < kFanOutSize) return Bad(file.path());
  Bytes bytes(kFanOutSize);
  ZPACK_TRY(file.Read(0, bytes));
  ByteReader header(bytes);
  for (uint32_t& count : fan_out) count = header.U32();
  const size_t width = ObjectIdWidth(format);
  const uint64_t count = fan_out.back();
  if (file.size() != kFanOutSize + count * (width + 4) + 2 * width) {
    return Bad(file.path());
  }
  bytes.resize(count * (width + 4));
  ZPACK_TRY(file.Read(kFanOutSize, bytes));
  ByteReader in(bytes);
  Bytes ids;
  ReserveTable(ids, count * width);
  offsets.resize(count);
  for (uint64_t& offset : offsets) {
    offset = in.U32();
    Append(ids, in.Raw(width));
  }
  return ids;
}

struct DistinctIds {
  ObjectIdTable ids;
  // Positions in the index of ids that equal the one before.
  std::vector<uint32_t> repeated;
};

// The ids without duplicates. kCorrupt if the ids are not ascending or
// `fan_out` does not fit them.
Result<DistinctIds> EachOnce(ObjectFormat format, Bytes ids,
                             const ObjectIdTable::FanOut& fan_out,
                             const std::string& path) {
  const size_t width = ObjectIdWidth(format);
  ObjectIdTable::FanOut counts{};
  DistinctIds distinct;
  size_t end = 0;  // of the ids that are kept
  for (size_t at = 0; at < ids.size(); at += width) {
    ++counts[ids[at]];
    if (end != 0 && std::memcmp(&ids[end - width], &ids[at], width) == 0) {
      distinct.repeated.push_back(static_cast<uint32_t>(at / width));
      continue;
    }
    if (end != at) std::memcpy(&ids[end], &ids[at], width);
    end += width;
  }
  ids.resize(end);
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  if (counts != fan_out) return Bad(path);
  ZPACK_ASSIGN_OR_RETURN(distinct.ids,
                         ObjectIdTable::FromSorted(format, std::move(ids)));
  return distinct;
}

// Moves the entries at these positions of the index to `copies`.
void SetCopiesApart(const std::vector<uint32_t>& repeated, PackIndex& index) {
  if (repeated.empty()) return;
  const bool checked = !index.checksums.empty();
  std::vector<uint64_t>& offsets = index.offsets.raw();
  std::vector<uint32_t>& checksums = index.checksums.raw();
  auto next = repeated.begin();
  uint32_t kept = 0;
  for (uint32_t at = 0; at < offsets.size(); ++at) {
    const uint32_t checksum = checked ? checksums[at] : 0;
    if (next != repeated.end() && *next == at) {
      index.copies.push_back({PackRank(kept - 1), offsets[at], checksum});
      ++next;
      continue;
    }
    offsets[kept] = offsets[at];
    if (checked) checksums[kept] = checksum;
    ++kept;
  }
  offsets.resize(kept);
  if (checked) checksums.resize(kept);
}

}  // namespace

Result<PackIndex> ReadPackIndex(ObjectFormat format,
                                const RandomAccessFile& file) {
  const size_t width = ObjectIdWidth(format);
  ZPACK_ASSIGN_OR_RETURN(const uint32_t version, ReadVersion(file));
  PackIndex index;
  ObjectIdTable::FanOut fan_out;
  // Version 1 has no header and no checksums. It consists of the fan-out,
  // offsets with ids, and two hashes.
  ZPACK_ASSIGN_OR_RETURN(
      Bytes ids,
      version == 1 ? ReadVersion1Ids(format, file, fan_out, index.offsets.raw())
                   : ReadVersion2Ids(format, file, fan_out));
  ZPACK_ASSIGN_OR_RETURN(
      auto distinct, EachOnce(format, std::move(ids), fan_out, file.path()));
  index.ids = std::move(distinct.ids);
  if (version == 1) {
    SetCopiesApart(distinct.repeated, index);
    return index;
  }
  const uint64_t count = fan_out.back();
  uint64_t at = kIndexHeaderSize + count * width;
  {
    Bytes checksums;
    ZPACK_TRY(ReadTable(file, at, count * 4, checksums));
    ByteReader in(checksums);
    FillTable(index.checksums.raw(), count);
    for (uint32_t& checksum : index.checksums) checksum = in.U32();
    at += checksums.size();
  }
  Bytes offsets;
  ZPACK_TRY(ReadTable(file, at, count * 4, offsets));
  at += offsets.size();
  Bytes large;
  ZPACK_TRY(
      ReadTable(file, at, file.size() - Version2Size(count, width), large));
  ByteReader in(offsets);
  FillTable(index.offsets.raw(), count);
  for (uint64_t& offset : index.offsets) {
    offset = in.U32();
    if (offset < kFirstLargeOffset) continue;
    const uint64_t number = offset - kFirstLargeOffset;
    if (number >= large.size() / 8) return Bad(file.path());
    offset = LoadBigEndian<uint64_t>(&large[number * 8]);
  }
  SetCopiesApart(distinct.repeated, index);
  return index;
}

Result<PackIndex> ReadPackIndex(ObjectFormat format, FileSystem& file_system,
                                const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  return ReadPackIndex(format, *file);
}

Result<ObjectIdTable> ReadPackIndexIds(ObjectFormat format,
                                       FileSystem& file_system,
                                       const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(const uint32_t version, ReadVersion(*file));
  ObjectIdTable::FanOut fan_out;
  std::vector<uint64_t> offsets;
  ZPACK_ASSIGN_OR_RETURN(
      Bytes ids, version == 1 ? ReadVersion1Ids(format, *file, fan_out, offsets)
                              : ReadVersion2Ids(format, *file, fan_out));
  ZPACK_ASSIGN_OR_RETURN(
      auto distinct, EachOnce(format, std::move(ids), fan_out, file->path()));
  return std::move(distinct.ids);
}

}  // namespace zpack
