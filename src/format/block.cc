// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block.h"

#include <algorithm>

#include "base/error.h"
#include "format/block_form.h"

namespace zpack::format {
namespace {

constexpr size_t kStreamHeaderSize = 20;

bool IsKnown(StreamKind kind) {
  return kind >= StreamKind::kSizes && kind <= StreamKind::kMessages;
}

bool IsKnown(StreamCodec codec) {
  return codec == StreamCodec::kStored || codec == StreamCodec::kZstd;
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

}  // namespace

std::string_view KindName(BlockKind kind) {
  switch (kind) {
    case BlockKind::kObjects:
      return "objects";
    case BlockKind::kSegment:
      return "segment";
    case BlockKind::kDeltas:
      return "deltas";
    case BlockKind::kTrees:
      return "trees";
    case BlockKind::kCommits:
      return "commits";
  }
  return "unknown";
}

std::string_view KindName(StreamKind kind) {
  switch (kind) {
    case StreamKind::kSizes:
      return "sizes";
    case StreamKind::kContents:
      return "contents";
    case StreamKind::kBases:
      return "bases";
    case StreamKind::kLiteralLengths:
      return "literal-lengths";
    case StreamKind::kCopyLengths:
      return "copy-lengths";
    case StreamKind::kCopyOffsets:
      return "copy-offsets";
    case StreamKind::kLiterals:
      return "literals";
    case StreamKind::kEditCounts:
      return "edit-counts";
    case StreamKind::kEditRuns:
      return "edit-runs";
    case StreamKind::kEditKinds:
      return "edit-kinds";
    case StreamKind::kNames:
      return "names";
    case StreamKind::kModes:
      return "modes";
    case StreamKind::kChildren:
      return "children";
    case StreamKind::kChildDifferences:
      return "child-differences";
    case StreamKind::kNameTexts:
      return "name-texts";
    case StreamKind::kOutsideIds:
      return "outside-ids";
    case StreamKind::kRootTrees:
      return "root-trees";
    case StreamKind::kParentCounts:
      return "parent-counts";
    case StreamKind::kParents:
      return "parents";
    case StreamKind::kIdentities:
      return "identities";
    case StreamKind::kIdentityTexts:
      return "identity-texts";
    case StreamKind::kTimes:
      return "times";
    case StreamKind::kTimeZones:
      return "time-zones";
    case StreamKind::kHeaderSizes:
      return "header-sizes";
    case StreamKind::kHeaders:
      return "headers";
    case StreamKind::kMessageSizes:
      return "message-sizes";
    case StreamKind::kMessages:
      return "messages";
  }
  return "unknown";
}

std::string_view CodecName(StreamCodec codec) {
  return codec == StreamCodec::kStored ? "stored" : "zstd";
}

const BlockView::Stream* BlockView::Find(StreamKind kind) const {
  const auto at = std::ranges::find(
      streams, kind, [](const Stream& stream) { return stream.header.kind; });
  return at == streams.end() ? nullptr : &*at;
}

void Encode(const BlockHeader& header, const std::vector<StreamHeader>& streams,
            Bytes& out) {
  ByteWriter to(out);
  to.U8(static_cast<uint8_t>(header.kind));
  to.U8(static_cast<uint8_t>(header.type));
  to.U16(static_cast<uint16_t>(streams.size()));
  to.U32(header.first_object.value());
  to.U32(header.object_count);
  to.U64(header.segment_offset);
  for (const StreamHeader& stream : streams) {
    to.U8(static_cast<uint8_t>(stream.kind));
    to.U8(static_cast<uint8_t>(stream.codec));
    to.U16(0);  // reserved
    to.U64(stream.raw_size);
    to.U64(stream.stored_size);
  }
}

Result<BlockView> DecodeBlock(ByteView payload, uint64_t max_raw_size) {
  ByteReader in(payload);
  BlockView block;
  block.header.kind = static_cast<BlockKind>(in.U8());
  block.header.type = static_cast<ObjectType>(in.U8());
  const uint16_t stream_count = in.U16();
  block.header.first_object = ObjectNumber(in.U32());
  block.header.object_count = in.U32();
  block.header.segment_offset = in.U64();
  const bool segment = block.header.kind == BlockKind::kSegment;
  const BlockForm* const form = FindBlockForm(block.header.kind);
  if (!in.ok() || form == nullptr ||
      (form->type && block.header.type != *form->type) ||
      std::ranges::find(kAllObjectTypes, block.header.type) ==
          kAllObjectTypes.end() ||
      block.header.object_count == 0 ||
      (segment && block.header.object_count != 1) ||
      (!segment && block.header.segment_offset != 0)) {
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
    raw_size += stream.raw_size;
    if (raw_size > max_raw_size) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "block of more than {} bytes is above the limit",
                       max_raw_size);
    }
    block.streams.push_back({stream, {}});
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
