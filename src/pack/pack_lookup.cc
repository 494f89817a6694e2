// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_lookup.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/error.h"
#include "codec/file_inflater.h"
#include "codec/inflate.h"
#include "object/content_stream.h"
#include "object/object_hasher.h"
#include "pack/pack_delta.h"
#include "pack/pack_entry_stream.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

// Bytes that are inflated at once at first.
constexpr uint64_t kFirst = uint64_t{16} << 20;
// What a cached content takes beside its bytes.
constexpr uint64_t kPerContent = 200;
// Further entries of one object that are tried. Git tries none.
constexpr size_t kMostCopies = 7;

}  // namespace

Result<std::unique_ptr<PackLookup>> PackLookup::Create(
    PackIndex index, std::unique_ptr<RandomAccessFile> file,
    uint64_t max_size) {
  ZPACK_TRY(CheckPackOfIndex(index, *file));
  const uint64_t end = file->size() - ObjectIdWidth(index.ids.format());
  return std::unique_ptr<PackLookup>(
      new PackLookup(std::move(index), std::move(file), end, max_size));
}

std::unique_ptr<PackLookup> PackLookup::CreateUnchecked(
    PackIndex index, std::unique_ptr<RandomAccessFile> file,
    uint64_t max_size) {
  const uint64_t end = file->size();
  return std::unique_ptr<PackLookup>(
      new PackLookup(std::move(index), std::move(file), end, max_size));
}

std::unexpected<Error> PackLookup::Bad(uint64_t offset) const {
  return MakeError(ErrorCode::kCorrupt, "bad entry at offset {} of '{}'",
                   AtOffset{offset}, AtPath{file_->path()});
}

Result<PackLookup::Header> PackLookup::ReadHeader(uint64_t offset) const {
  if (offset < kPackHeaderSize || offset >= end_) return Bad(offset);
  std::array<uint8_t, kMaxPackEntryHeader> buffer;
  const auto bytes =
      std::span(buffer).first(std::min(kMaxPackEntryHeader, end_ - offset));
  ZPACK_TRY(file_->Read(offset, bytes));
  ByteReader in(bytes);
  const auto read = ReadEntryHeader(in, ids().format());
  if (!read || read->distance >= offset) return Bad(offset);
  Header header{.offset = offset, .type = read->type, .size = read->size};
  if (read->type == kOffsetDelta) {
    header.base = offset - read->distance;
  } else if (read->type == kReferenceDelta) {
    const auto rank = ids().Find(ObjectId(read->base));
    if (!rank) return Bad(offset);
    header.base = index_.offsets[*rank];
  }
  header.stream = offset + bytes.size() - in.remaining();
  return header;
}

Result<ObjectType> PackLookup::TypeAt(uint64_t offset) const {
  std::vector<uint64_t> way;
  uint8_t type = 0;
  for (std::optional<uint64_t> at = offset; at;) {
    {
      const std::scoped_lock lock(mutex_);
      const auto known = types_.find(*at);
      if (known != types_.end()) {
        type = known->second;
        break;
      }
    }
    // Bases that are named by id may form a circle.
    if (way.size() > size_t{ids().size()} + index_.copies.size()) break;
    way.push_back(*at);
    const auto header = ReadHeader(*at);
    if (!header && header.error().code != ErrorCode::kCorrupt) {
      return std::unexpected(header.error());
    }
    if (header && !header->base) type = header->type;
    at = header ? header->base : std::nullopt;
  }
  {
    const std::scoped_lock lock(mutex_);
    for (const uint64_t at : way) types_[at] = type;
  }
  if (type == 0) return Bad(offset);
  return ObjectType{type};
}

Result<ObjectInfo> PackLookup::InfoAt(uint64_t offset) const {
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type, TypeAt(offset));
  ZPACK_ASSIGN_OR_RETURN(const Header entry, ReadHeader(offset));
  if (!entry.base) return ObjectInfo{type, entry.size};
  std::array<uint8_t, kMaxPackDeltaHeader> start;
  const auto room =
      std::span(start).first(std::min(kMaxPackDeltaHeader, entry.size));
  // Enough, however the delta is compressed.
  Bytes stored(std::min<uint64_t>(end_ - entry.stream, 4096));
  ZPACK_TRY(file_->Read(entry.stream, stored));
  StreamInflater inflater;
  ZPACK_ASSIGN_OR_RETURN(const auto progress, inflater.Run(stored, room));
  ZPACK_ASSIGN_OR_RETURN(const PackDeltaHeader delta,
                         DecodePackDeltaHeader(room.first(progress.produced)));
  return ObjectInfo{type, delta.result_size};
}

Status PackLookup::InflateUpTo(const Header& entry, uint64_t end,
                               Bytes& raw) const {
  FileInflater inflater(*file_, entry.stream, end);
  raw.clear();
  // Memory is allocated only as content arrives.
  while (raw.size() < entry.size) {
    const size_t known = raw.size();
    raw.resize(std::min(entry.size, std::max<uint64_t>(kFirst, 2 * known)));
    const auto room = std::span(raw).subspan(known);
    ZPACK_ASSIGN_OR_RETURN(const size_t filled, inflater.Inflate(room));
    if (filled != room.size()) return Bad(entry.offset);
  }
  std::array<uint8_t, 1> more;
  ZPACK_ASSIGN_OR_RETURN(const size_t rest, inflater.Inflate(more));
  if (rest != 0) return Bad(entry.offset);
  return {};
}

Status PackLookup::Inflate(const Header& entry, Bytes& raw) const {
  if (entry.size > max_size_) {
    return MakeError(ErrorCode::kLimitExceeded, "object of {} bytes",
                     entry.size);
  }
  // Where the entry ends is not known; most compress well.
  const uint64_t room = entry.size + entry.size / 8 + 1024;
  const uint64_t left = end_ - entry.stream;
  if (room < left && InflateUpTo(entry, entry.stream + room, raw)) return {};
  return InflateUpTo(entry, end_, raw);
}

PackLookup::Content PackLookup::FindContent(uint64_t offset) const {
  const std::scoped_lock lock(mutex_);
  return contents_.Find(offset);
}

void PackLookup::KeepContent(uint64_t offset, const Content& content) const {
  if (content->size() > kContentsSize / 2) return;
  const std::scoped_lock lock(mutex_);
  contents_.Insert(offset, content, content->size() + kPerContent);
}

Result<PackLookup::Content> PackLookup::RebuildFrom(const Header& entry,
                                                    const Content& base) const {
  Bytes content;
  if (!entry.base) {
    ZPACK_TRY(Inflate(entry, content));
  } else {
    Bytes delta;
    ZPACK_TRY(Inflate(entry, delta));
    ZPACK_TRY(ApplyPackDelta(*base, delta, max_size_, content));
  }
  return std::make_shared<const Bytes>(std::move(content));
}

Result<PackLookup::Content> PackLookup::RebuildEnd(std::vector<Header>& chain,
                                                   const Content& base) const {
  uint64_t offset = chain.back().offset;
  if (!chain.back().base) {
    ZPACK_ASSIGN_OR_RETURN(Content whole, RebuildFrom(chain.back(), base));
    chain.pop_back();
    KeepContent(offset, whole);
    return whole;
  }
  PackDeltaStack stack(*base);
  do {
    offset = chain.back().offset;
    Bytes delta;
    ZPACK_TRY(Inflate(chain.back(), delta));
    ZPACK_TRY(stack.Apply(std::move(delta), max_size_));
    chain.pop_back();
  } while (!chain.empty() && stack.size() > kContentsSize / 2);
  Bytes content;
  stack.CopyTo(content);
  auto result = std::make_shared<const Bytes>(std::move(content));
  KeepContent(offset, result);
  return result;
}

std::unexpected<Error> PackLookup::Damaged(const std::vector<Header>& chain,
                                           const Error& error) const {
  if (error.code == ErrorCode::kCorrupt ||
      error.code == ErrorCode::kLimitExceeded) {
    const std::scoped_lock lock(mutex_);
    for (const Header& entry : chain) damaged_[entry.offset] = error.code;
  }
  return std::unexpected(error);
}

std::optional<Error> PackLookup::KnownDamage(uint64_t offset) const {
  const std::scoped_lock lock(mutex_);
  const auto known = damaged_.find(offset);
  if (known == damaged_.end()) return std::nullopt;
  if (known->second == ErrorCode::kCorrupt) return Bad(offset).error();
  return MakeError(known->second,
                   "the entry at offset {} of '{}' needs an object that is too "
                   "large",
                   AtOffset{offset}, AtPath{file_->path()})
      .error();
}

Result<PackLookup::Content> PackLookup::ContentAt(uint64_t offset) const {
  // Up to an object that is cached or stored whole, and then back.
  std::vector<Header> chain;
  Content content = FindContent(offset);
  for (std::optional<uint64_t> at = offset; at && content == nullptr;) {
    if (const auto known = KnownDamage(*at)) return Damaged(chain, *known);
    const auto header = ReadHeader(*at);
    if (!header) return Damaged(chain, header.error());
    chain.push_back(*header);
    at = header->base;
    if (at) content = FindContent(*at);
  }
  while (!chain.empty()) {
    auto rebuilt = RebuildEnd(chain, content);
    if (!rebuilt) return Damaged(chain, rebuilt.error());
    content = *std::move(rebuilt);
  }
  return content;
}

Status PackLookup::CheckId(PackRank rank, uint64_t offset, ObjectType type,
                           ByteView content) const {
  if (ObjectHasher(ids().format()).Hash(type, content) == ids()[rank]) {
    return {};
  }
  return MakeError(ErrorCode::kCorrupt,
                   "the entry at offset {} of '{}' is another object",
                   AtOffset{offset}, AtPath{file_->path()});
}

Result<ObjectType> PackLookup::ReadAt(PackRank rank, uint64_t offset,
                                      Bytes& content) const {
  // First, because it refuses circles.
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type, TypeAt(offset));
  ZPACK_ASSIGN_OR_RETURN(const Content found, ContentAt(offset));
  ZPACK_TRY(CheckId(rank, offset, type, *found));
  content.assign(found->begin(), found->end());
  return type;
}

std::optional<PackRank> PackLookup::RankAt(uint64_t offset) const {
  const std::scoped_lock lock(mutex_);
  if (entries_.empty()) {
    entries_.reserve(size_t{ids().size()} + index_.copies.size());
    for (const PackRank rank : ids().ranks()) {
      entries_.push_back({index_.offsets[rank], rank});
    }
    for (const PackIndex::Copy& copy : index_.copies) {
      entries_.push_back({copy.offset, copy.rank});
    }
    std::ranges::sort(entries_, {}, &Entry::offset);
  }
  const auto at =
      std::ranges::lower_bound(entries_, offset, {}, &Entry::offset);
  if (at == entries_.end() || at->offset != offset) return std::nullopt;
  return at->rank;
}

std::span<const PackIndex::Copy> PackLookup::Copies(PackRank rank) const {
  // They are in the order of the index.
  const auto copies =
      std::ranges::equal_range(index_.copies, rank, {}, &PackIndex::Copy::rank);
  return {copies.begin(), copies.end()};
}

Result<ObjectInfo> PackLookup::ReadInfo(PackRank rank) const {
  if (!HasCopies(rank)) return InfoAt(index_.offsets[rank]);
  Bytes content;
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type, Read(rank, content));
  return ObjectInfo{type, content.size()};
}

std::vector<uint64_t> PackLookup::Entries(PackRank rank) const {
  std::vector<uint64_t> offsets = {index_.offsets[rank]};
  const auto copies = Copies(rank);
  for (const PackIndex::Copy& copy :
       copies.first(std::min(copies.size(), kMostCopies))) {
    offsets.push_back(copy.offset);
  }
  return offsets;
}

Result<ObjectType> PackLookup::Read(PackRank rank, Bytes& content) const {
  Result<ObjectType> type = Bad(index_.offsets[rank]);
  for (const uint64_t offset : Entries(rank)) {
    type = ReadAt(rank, offset, content);
    if (type) break;
  }
  return type;
}

Result<std::optional<PackLookup::DeltaEntry>> PackLookup::DeltaAt(
    uint64_t offset) const {
  const auto header = ReadHeader(offset);
  if (!header && header.error().code != ErrorCode::kCorrupt) {
    return std::unexpected(header.error());
  }
  if (!header || !header->base) return std::nullopt;
  return DeltaEntry{offset, *header->base};
}

Result<std::vector<PackLookup::DeltaEntry>> PackLookup::Deltas(
    PackRank rank) const {
  std::vector<DeltaEntry> deltas;
  for (const uint64_t offset : Entries(rank)) {
    ZPACK_ASSIGN_OR_RETURN(const auto delta, DeltaAt(offset));
    if (delta) deltas.push_back(*delta);
  }
  return deltas;
}

Result<PackLookup::Content> PackLookup::Rebuild(uint64_t offset,
                                                ObjectType type,
                                                const Content& base) const {
  ZPACK_ASSIGN_OR_RETURN(const Header entry, ReadHeader(offset));
  ZPACK_ASSIGN_OR_RETURN(Content content, RebuildFrom(entry, base));
  if (const auto rank = RankAt(offset)) {
    ZPACK_TRY(CheckId(*rank, offset, type, *content));
  }
  // As if its base were sound.
  KeepContent(offset, content);
  const std::scoped_lock lock(mutex_);
  types_[offset] = static_cast<uint8_t>(type);
  return content;
}

Result<std::unique_ptr<ObjectStream>> PackLookup::OpenStream(
    PackRank rank) const {
  if (!HasCopies(rank)) {
    ZPACK_ASSIGN_OR_RETURN(const Header entry,
                           ReadHeader(index_.offsets[rank]));
    if (!entry.base) {
      return std::make_unique<PackEntryStream>(
          *file_, ObjectInfo{ObjectType{entry.type}, entry.size}, entry.stream,
          end_);
    }
  }
  Bytes content;
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type, Read(rank, content));
  return std::make_unique<ContentStream>(std::move(content), type);
}

}  // namespace zpack
