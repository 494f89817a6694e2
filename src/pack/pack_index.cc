// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/huge_pages.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

constexpr size_t kFanOutSize = 256 * sizeof(uint32_t);
// In place of an offset that the index does not have: in no pack.
constexpr uint64_t kNoOffset = std::numeric_limits<uint64_t>::max();
constexpr size_t kIndexHeaderSize = 2 * sizeof(uint32_t) + kFanOutSize;

std::unexpected<Error> Bad(const std::string& path) {
  return MakeError(ErrorCode::kCorrupt,
                   "bad pack index '{}'; 'git index-pack' makes it anew",
                   AtPath{path});
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

// The number of entries, which the fan-out ends with. kCorrupt if the size of
// the file does not fit, or if a number of the fan-out is less than the one
// before.
Result<uint64_t> ReadCount(ObjectFormat format, const RandomAccessFile& file,
                           uint32_t version) {
  const uint64_t start = version == 1 ? 0 : kIndexHeaderSize - kFanOutSize;
  if (file.size() < start + kFanOutSize) return Bad(file.path());
  Bytes bytes(kFanOutSize);
  ZPACK_TRY(file.Read(start, bytes));
  ByteReader in(bytes);
  ObjectIdTable::FanOut fan_out;
  for (uint32_t& number : fan_out) number = in.U32();
  const size_t width = ObjectIdWidth(format);
  const uint64_t count = fan_out.back();
  const uint64_t least = version == 1
                             ? kFanOutSize + count * (width + 4) + 2 * width
                             : Version2Size(count, width);
  if (!std::ranges::is_sorted(fan_out) || file.size() < least) {
    return Bad(file.path());
  }
  // Large offsets: at most as many as offsets. Git tolerates other bytes there.
  const uint64_t rest = file.size() - least;
  if (version == 1 ? rest != 0 : rest > count * 8) return Bad(file.path());
  return count;
}

// The ids of version 2. An id may occur more than once.
Result<Bytes> ReadVersion2Ids(ObjectFormat format, const RandomAccessFile& file,
                              uint64_t count) {
  Bytes bytes;
  ZPACK_TRY(
      ReadTable(file, kIndexHeaderSize, count * ObjectIdWidth(format), bytes));
  return bytes;
}

// The ids of version 1, and their offsets. An id may occur more than once.
Result<Bytes> ReadVersion1Ids(ObjectFormat format, const RandomAccessFile& file,
                              uint64_t count, std::vector<uint64_t>& offsets) {
  const size_t width = ObjectIdWidth(format);
  Bytes bytes(count * (width + 4));
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

// Ascending ids without duplicates.
Result<DistinctIds> EachOnce(ObjectFormat format, Bytes ids) {
  const size_t width = ObjectIdWidth(format);
  DistinctIds distinct;
  size_t end = 0;  // of the ids that are kept
  for (size_t at = 0; at < ids.size(); at += width) {
    if (end != 0 && std::memcmp(&ids[end - width], &ids[at], width) == 0) {
      distinct.repeated.push_back(static_cast<uint32_t>(at / width));
      continue;
    }
    if (end != at) std::memcpy(&ids[end], &ids[at], width);
    end += width;
  }
  ids.resize(end);
  ZPACK_ASSIGN_OR_RETURN(distinct.ids,
                         ObjectIdTable::FromSorted(format, std::move(ids)));
  return distinct;
}

// Sorts ids that are not ascending, as those of a damaged index. Returns where
// each of them was; nothing if they are ascending.
std::vector<uint32_t> SortIds(size_t width, Bytes& ids) {
  const size_t count = ids.size() / width;
  const auto compare = [&](size_t one, size_t other) {
    return std::memcmp(&ids[one * width], &ids[other * width], width);
  };
  size_t ascending = 1;
  while (ascending < count && compare(ascending - 1, ascending) <= 0) {
    ++ascending;
  }
  if (ascending >= count) return {};
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::ranges::stable_sort(order, [&](uint32_t one, uint32_t other) {
    return compare(one, other) < 0;
  });
  Bytes sorted;
  sorted.reserve(ids.size());
  for (const uint32_t at : order) {
    Append(sorted, ByteView(ids).subspan(at * width, width));
  }
  ids = std::move(sorted);
  return order;
}

template <typename T>
void Reorder(const std::vector<uint32_t>& order, std::vector<T>& column) {
  if (order.empty() || column.empty()) return;
  std::vector<T> sorted;
  sorted.reserve(column.size());
  for (const uint32_t at : order) sorted.push_back(column[at]);
  column = std::move(sorted);
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

// Checksums and offsets of version 2.
Status ReadVersion2Rest(ObjectFormat format, const RandomAccessFile& file,
                        uint64_t count, PackIndex& index) {
  const size_t width = ObjectIdWidth(format);
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
    offset = number < large.size() / 8
                 ? LoadBigEndian<uint64_t>(&large[number * 8])
                 : kNoOffset;
  }
  return {};
}

}  // namespace

Result<PackIndex> ReadPackIndex(ObjectFormat format,
                                const RandomAccessFile& file) {
  const size_t width = ObjectIdWidth(format);
  ZPACK_ASSIGN_OR_RETURN(const uint32_t version, ReadVersion(file));
  PackIndex index;
  ZPACK_ASSIGN_OR_RETURN(const uint64_t count,
                         ReadCount(format, file, version));
  // Version 1 has no header and no checksums. It consists of the fan-out,
  // offsets with ids, and two hashes.
  ZPACK_ASSIGN_OR_RETURN(
      Bytes ids, version == 1
                     ? ReadVersion1Ids(format, file, count, index.offsets.raw())
                     : ReadVersion2Ids(format, file, count));
  if (version != 1) ZPACK_TRY(ReadVersion2Rest(format, file, count, index));
  index.pack_checksum.resize(width);
  ZPACK_TRY(file.Read(file.size() - 2 * width, index.pack_checksum));
  const std::vector<uint32_t> order = SortIds(width, ids);
  Reorder(order, index.offsets.raw());
  Reorder(order, index.checksums.raw());
  ZPACK_ASSIGN_OR_RETURN(auto distinct, EachOnce(format, std::move(ids)));
  index.ids = std::move(distinct.ids);
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
  ZPACK_ASSIGN_OR_RETURN(const uint64_t count,
                         ReadCount(format, *file, version));
  std::vector<uint64_t> offsets;
  ZPACK_ASSIGN_OR_RETURN(
      Bytes ids, version == 1 ? ReadVersion1Ids(format, *file, count, offsets)
                              : ReadVersion2Ids(format, *file, count));
  SortIds(ObjectIdWidth(format), ids);
  ZPACK_ASSIGN_OR_RETURN(auto distinct, EachOnce(format, std::move(ids)));
  return std::move(distinct.ids);
}

Status CheckPackOfIndex(const PackIndex& index, const RandomAccessFile& pack) {
  const size_t width = index.pack_checksum.size();
  const auto bad = [&](std::string_view why) {
    return MakeError(ErrorCode::kCorrupt, "pack '{}' {}", AtPath{pack.path()},
                     why);
  };
  if (pack.size() < kPackHeaderSize + width) return bad("is too short");
  std::array<uint8_t, kPackHeaderSize> header;
  ZPACK_TRY(pack.Read(0, header));
  ByteReader in(header);
  if (in.U32() != kPackSignature) return bad("is no pack");
  if (!IsPackVersion(in.U32())) {
    return MakeError(ErrorCode::kUnsupported, "pack of another version: '{}'",
                     AtPath{pack.path()});
  }
  Bytes checksum(width);
  ZPACK_TRY(pack.Read(pack.size() - width, checksum));
  if (in.U32() != index.ids.size() + index.copies.size() ||
      checksum != index.pack_checksum) {
    return bad("does not match its index");
  }
  return {};
}

}  // namespace zpack
