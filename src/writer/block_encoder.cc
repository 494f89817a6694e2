// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_encoder.h"

#include <algorithm>

#include "base/error.h"
#include "format/chunk.h"
#include "format/limits.h"

namespace zpack {

void BlockEncoder::BeginStretch(uint64_t raw_size) {
  if (!group_) return;
  group_->open = false;
  group_->expected = raw_size;
}

Status BlockEncoder::StoreContinued(const format::RawStream& raw) {
  const uint64_t size = raw.bytes.size();
  if (!group_->open || group_->place.blocks == format::kMaxGroupBlocks ||
      group_->place.raw_size + size > format::kMaxGroupSize) {
    // Small repositories need no large window. A stream has hardly more bytes
    // than its objects.
    group_->compressor.BeginPieces(group_->expected);
    group_->place = {};
  }
  group_->open = true;
  block_place_ = group_->place;
  ++group_->place.blocks;
  group_->place.raw_size += static_cast<uint32_t>(size);
  ZPACK_ASSIGN_OR_RETURN(const uint64_t stored_size,
                         group_->compressor.CompressPiece(raw.bytes, stored_));
  headers_.push_back(
      {raw.kind, format::StreamCodec::kContinued, size, stored_size});
  return {};
}

Status BlockEncoder::Store(const format::RawStream& raw, bool may_continue) {
  format::StreamHeader stream{raw.kind, format::StreamCodec::kZstd,
                              raw.bytes.size(), 0};
  const size_t start = stored_.size();
  // Media files do not become smaller with more effort, so the fast compressor
  // is enough.
  ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                         compressibility_.IsIncompressible(raw.bytes));
  if (group_ && may_continue) {
    if (!incompressible && raw.bytes.size() <= format::kMaxGroupSize) {
      return StoreContinued(raw);
    }
    group_->open = false;
  }
  ZstdCompressor& compressor =
      incompressible ? compressibility_.fast_compressor() : compressor_;
  ZPACK_ASSIGN_OR_RETURN(stream.stored_size,
                         compressor.Compress(raw.bytes, stored_));
  if (stream.stored_size >= raw.bytes.size()) {
    stored_.resize(start);
    Append(stored_, raw.bytes);
    stream.codec = format::StreamCodec::kStored;
    stream.stored_size = raw.bytes.size();
  }
  headers_.push_back(stream);
  return {};
}

void BlockEncoder::Begin() {
  headers_.clear();
  stored_.clear();
  block_place_ = {};
}

void BlockEncoder::Finish(const format::BlockHeader& header, Bytes& out) {
  decoded_size_ = format::DecodedSize(header, headers_);
  payload_.clear();
  format::Encode(header, headers_, payload_);
  Append(payload_, stored_);
  format::EncodeChunk(format::kBlockChunk, 0, payload_, out);
}

Status BlockEncoder::Encode(const format::BlockHeader& header,
                            std::span<const format::RawStream> streams,
                            Bytes& out) {
  Begin();
  const auto continued = format::FindBlockForm(header.kind)->continued;
  for (const format::RawStream& raw : streams) {
    ZPACK_TRY(Store(raw, raw.kind == continued));
  }
  format::BlockHeader placed = header;
  placed.group = block_place_;
  Finish(placed, out);
  return {};
}

Status BlockEncoder::EncodeChanged(const format::BlockView& block,
                                   std::span<const format::RawStream> changed,
                                   Bytes& out) {
  Begin();
  for (const format::BlockView::Stream& stream : block.streams) {
    const auto raw = std::ranges::find(changed, stream.header.kind,
                                       &format::RawStream::kind);
    if (raw != changed.end()) {
      ZPACK_TRY(Store(*raw, false));
    } else {
      headers_.push_back(stream.header);
      Append(stored_, stream.stored);
    }
  }
  Finish(block.header, out);
  return {};
}

}  // namespace zpack
