// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "format/limits.h"

namespace zpack::format {
namespace {

constexpr size_t kStreamHeaderSize = 20;

// By number.
constexpr std::array<std::string_view, kStreamCodecEnd> kCodecNames = {
    "stored", "zstd", "continued"};

bool IsKnown(StreamCodec codec) {
  return static_cast<size_t>(codec) < kCodecNames.size();
}

Result<StreamHeader> DecodeStreamHeader(ByteReader& in, uint64_t max_raw_size) {
  StreamHeader stream;
  stream.kind = static_cast<StreamKind>(in.U8());
  stream.codec = static_cast<StreamCodec>(in.U8());
  const uint16_t reserved = in.U16();
  stream.raw_size = in.U64();
  stream.stored_size = in.U64();
  if (!in.ok() || !IsKnown(stream.kind) || !IsKnown(stream.codec) ||
      reserved != 0 ||
      (stream.codec == StreamCodec::kStored &&
       stream.raw_size != stream.stored_size)) {
    return MakeError(ErrorCode::kCorrupt, "bad stream in block");
  }
  if (stream.raw_size > max_raw_size) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "stream of {} bytes is above the limit of {}",
                     stream.raw_size, max_raw_size);
  }
  return stream;
}

// Whether the place in a group is one that the block can have.
bool IsValidPlace(const BlockView& block) {
  const GroupPlace& place = block.header.group;
  const BlockView::Stream* const continued = block.FindContinued();
  if (continued == nullptr) return place == GroupPlace{};
  return (place.blocks != 0 || place.raw_size == 0) &&
         place.blocks < kMaxGroupBlocks &&
         place.raw_size + continued->header.raw_size <= kMaxGroupSize;
}

}  // namespace

std::string_view CodecName(StreamCodec codec) {
  return IsKnown(codec) ? kCodecNames[static_cast<size_t>(codec)] : "unknown";
}

const BlockView::Stream* BlockView::Find(StreamKind kind) const {
  const auto at = std::ranges::find(
      streams, kind, [](const Stream& stream) { return stream.header.kind; });
  return at == streams.end() ? nullptr : &*at;
}

const BlockView::Stream* BlockView::FindContinued() const {
  const auto at = std::ranges::find(
      streams, StreamCodec::kContinued,
      [](const Stream& stream) { return stream.header.codec; });
  return at == streams.end() ? nullptr : &*at;
}

void PutBlockHeader(const BlockHeader& header, size_t stream_count,
                    ByteWriter& to) {
  to.U8(static_cast<uint8_t>(header.kind));
  to.U8(static_cast<uint8_t>(header.type));
  to.U16(static_cast<uint16_t>(stream_count));
  to.U32(header.first_object.value());
  to.U32(header.object_count);
  if (header.kind == BlockKind::kSegment) {
    to.U64(header.segment_offset);
  } else {
    to.U32(header.group.blocks);
    to.U32(header.group.raw_size);
  }
}

void Encode(const BlockHeader& header, const std::vector<StreamHeader>& streams,
            Bytes& out) {
  ByteWriter to(out);
  PutBlockHeader(header, streams.size(), to);
  for (const StreamHeader& stream : streams) {
    to.U8(static_cast<uint8_t>(stream.kind));
    to.U8(static_cast<uint8_t>(stream.codec));
    to.U16(0);  // reserved
    to.U64(stream.raw_size);
    to.U64(stream.stored_size);
  }
}

BlockHeader TakeBlockHeader(ByteReader& in, uint16_t& stream_count) {
  BlockHeader header;
  header.kind = static_cast<BlockKind>(in.U8());
  header.type = static_cast<ObjectType>(in.U8());
  stream_count = in.U16();
  header.first_object = ObjectNumber(in.U32());
  header.object_count = in.U32();
  const uint64_t place = in.U64();
  if (header.kind == BlockKind::kSegment) {
    header.segment_offset = place;
  } else {
    header.group = {static_cast<uint32_t>(place >> 32),
                    static_cast<uint32_t>(place)};
  }
  return header;
}

std::optional<BlockStart> PeekBlock(ByteView start, uint64_t max_raw_size) {
  ByteReader in(start);
  uint16_t stream_count = 0;
  BlockStart block{.kind = TakeBlockHeader(in, stream_count).kind};
  for (uint16_t i = 0; i < stream_count; ++i) {
    const auto stream = DecodeStreamHeader(in, max_raw_size);
    if (!stream) return std::nullopt;
    block.raw_size += stream->raw_size;
  }
  if (!in.ok() || block.raw_size > max_raw_size) return std::nullopt;
  return block;
}

Result<BlockView> DecodeBlock(ByteView payload, uint64_t max_raw_size) {
  ByteReader in(payload);
  BlockView block;
  uint16_t stream_count = 0;
  block.header = TakeBlockHeader(in, stream_count);
  const bool segment = block.header.kind == BlockKind::kSegment;
  const BlockForm* const form = FindBlockForm(block.header.kind);
  if (!in.ok() || form == nullptr ||
      std::ranges::find(form->types, block.header.type) == form->types.end() ||
      block.header.object_count == 0 ||
      (segment && block.header.object_count != 1)) {
    return MakeError(ErrorCode::kCorrupt, "bad block header");
  }
  uint64_t raw_size = 0;  // of all streams; each is at most the limit
  in.Count(stream_count, kStreamHeaderSize);
  for (uint16_t i = 0; in.ok() && i < stream_count; ++i) {
    ZPACK_ASSIGN_OR_RETURN(const StreamHeader stream,
                           DecodeStreamHeader(in, max_raw_size));
    if (block.Find(stream.kind) != nullptr) {
      return MakeError(ErrorCode::kCorrupt, "repeated stream '{}' in block",
                       KindName(stream.kind));
    }
    if (std::ranges::find(form->streams, stream.kind) == form->streams.end()) {
      return MakeError(ErrorCode::kCorrupt,
                       "stream '{}' in a block of kind "
                       "'{}'",
                       KindName(stream.kind), KindName(form->kind));
    }
    if (stream.codec == StreamCodec::kContinued &&
        stream.kind != form->continued) {
      return MakeError(ErrorCode::kCorrupt,
                       "continued stream '{}' in a block of kind '{}'",
                       KindName(stream.kind), KindName(form->kind));
    }
    raw_size += stream.raw_size;
    if (raw_size > max_raw_size) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "block of more than {} bytes is above the limit",
                       max_raw_size);
    }
    block.streams.push_back({stream, {}});
  }
  if (!IsValidPlace(block)) {
    return MakeError(ErrorCode::kCorrupt, "bad place of a block in its group");
  }
  for (const StreamKind kind : form->streams) {
    if (in.ok() && block.Find(kind) == nullptr) {
      return MakeError(ErrorCode::kCorrupt, "missing stream '{}' in block",
                       KindName(kind));
    }
  }
  for (BlockView::Stream& stream : block.streams) {
    stream.stored = in.Raw(stream.header.stored_size);
  }
  if (!in.exhausted()) {
    return MakeError(ErrorCode::kCorrupt, "bad size of block");
  }
  return block;
}

}  // namespace zpack::format
