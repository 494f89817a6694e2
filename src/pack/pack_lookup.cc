// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_lookup.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/offset_varint.h"
#include "codec/file_inflater.h"
#include "object/content_stream.h"
#include "pack/pack_delta.h"
#include "pack/pack_entry_stream.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

// Bytes that are inflated at once at first.
constexpr uint64_t kFirst = uint64_t{16} << 20;

}  // namespace

Result<std::unique_ptr<PackLookup>> PackLookup::Create(
    PackIndex index, std::unique_ptr<RandomAccessFile> file) {
  ZPACK_TRY(CheckPackOfIndex(index, *file));
  return std::unique_ptr<PackLookup>(
      new PackLookup(std::move(index), std::move(file)));
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
  const auto start = ReadEntryStart(in);
  if (!start) return Bad(offset);
  Header header{.offset = offset, .type = start->type, .size = start->size};
  if (start->type == kOffsetDelta) {
    const auto distance = ReadOffsetVarint(in);  // back to the base
    if (!distance || *distance == 0 || *distance >= offset) return Bad(offset);
    header.base = offset - *distance;
  } else if (start->type == kReferenceDelta) {
    const ByteView id = in.Raw(ObjectIdWidth(ids().format()));
    const auto rank = in.ok() ? ids().Find(ObjectId(id)) : std::nullopt;
    if (!rank) return Bad(offset);
    header.base = index_.offsets[*rank];
  } else if (start->type < static_cast<uint8_t>(ObjectType::kCommit) ||
             start->type > static_cast<uint8_t>(ObjectType::kTag)) {
    return Bad(offset);
  }
  if (!in.ok()) return Bad(offset);
  header.stream = offset + bytes.size() - in.remaining();
  return header;
}

Result<PackLookup::Chain> PackLookup::ReadChain(uint64_t offset) const {
  Chain chain;
  for (std::optional<uint64_t> at = offset; at; at = chain.back().base) {
    // Bases that are named by id may form a circle.
    if (chain.size() > size_t{ids().size()} + index_.copies.size()) {
      return Bad(offset);
    }
    ZPACK_ASSIGN_OR_RETURN(const Header header, ReadHeader(*at));
    chain.push_back(header);
  }
  return chain;
}

Status PackLookup::Inflate(const Header& entry, Bytes& raw) const {
  FileInflater inflater(*file_, entry.stream, end_);
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

Result<ObjectInfo> PackLookup::InfoOf(const Chain& chain) const {
  const Header& entry = chain.front();
  const auto type = ObjectType{chain.back().type};
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

Result<ObjectType> PackLookup::ReadAt(uint64_t offset, Bytes& content) const {
  ZPACK_ASSIGN_OR_RETURN(Chain chain, ReadChain(offset));
  const auto type = ObjectType{chain.back().type};
  ZPACK_TRY(Inflate(chain.back(), content));
  Bytes delta;
  Bytes base;
  for (chain.pop_back(); !chain.empty(); chain.pop_back()) {
    ZPACK_TRY(Inflate(chain.back(), delta));
    std::swap(base, content);
    ZPACK_TRY(ApplyPackDelta(base, delta, std::numeric_limits<uint64_t>::max(),
                             content));
  }
  return type;
}

template <typename Use>
auto PackLookup::WithEntry(PackRank rank, Use use) const {
  auto result = use(index_.offsets[rank]);
  for (const PackIndex::Copy& copy : index_.copies) {
    if (result) break;
    if (copy.rank == rank) result = use(copy.offset);
  }
  return result;
}

Result<ObjectInfo> PackLookup::ReadInfo(PackRank rank) const {
  return WithEntry(rank, [&](uint64_t offset) -> Result<ObjectInfo> {
    ZPACK_ASSIGN_OR_RETURN(const Chain chain, ReadChain(offset));
    return InfoOf(chain);
  });
}

Result<ObjectType> PackLookup::Read(PackRank rank, Bytes& content) const {
  return WithEntry(rank,
                   [&](uint64_t offset) { return ReadAt(offset, content); });
}

Result<std::unique_ptr<ObjectStream>> PackLookup::OpenStream(
    PackRank rank) const {
  using Stream = std::unique_ptr<ObjectStream>;
  return WithEntry(rank, [&](uint64_t offset) -> Result<Stream> {
    ZPACK_ASSIGN_OR_RETURN(const Header entry, ReadHeader(offset));
    if (!entry.base) {
      return std::make_unique<PackEntryStream>(
          *file_, ObjectInfo{ObjectType{entry.type}, entry.size}, entry.stream,
          end_);
    }
    Bytes content;
    ZPACK_ASSIGN_OR_RETURN(const ObjectType type, ReadAt(offset, content));
    return std::make_unique<ContentStream>(std::move(content), type);
  });
}

}  // namespace zpack
