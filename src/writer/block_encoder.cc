// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_encoder.h"

#include <algorithm>
#include <initializer_list>

#include "base/error.h"
#include "format/chunk.h"

namespace zpack {
namespace {

// Appends the chunk of a block to `out`. `parts` are what is stored of its
// streams. Returns the bytes of memory that the streams take when decoded.
uint64_t AppendBlock(const format::BlockHeader& header,
                     const std::vector<format::StreamHeader>& streams,
                     std::initializer_list<ByteView> parts, Bytes& out) {
  Bytes payload;
  format::Encode(header, streams, payload);
  for (const ByteView part : parts) Append(payload, part);
  format::EncodeChunk(format::kBlockChunk, 0, payload, out);
  return format::DecodedSize(header, streams);
}

}  // namespace

Status BlockEncoder::Store(const format::RawStream& raw) {
  format::StreamHeader stream{raw.kind, format::StreamCodec::kZstd,
                              raw.bytes.size(), 0};
  const size_t start = stored_.size();
  // Media files do not become smaller with more effort, so the fast compressor
  // is enough.
  ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                         IsIncompressible(raw.bytes));
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
}

void BlockEncoder::Finish(const format::BlockHeader& header, Bytes& out) {
  decoded_size_ = AppendBlock(header, headers_, {stored_}, out);
}

Status BlockEncoder::Encode(const format::BlockHeader& header,
                            std::span<const format::RawStream> streams,
                            Bytes& out) {
  Begin();
  for (const format::RawStream& raw : streams) ZPACK_TRY(Store(raw));
  Finish(header, out);
  return {};
}

Result<PartialBlock> BlockEncoder::EncodeWithout(
    format::StreamKind continued, const format::BlockHeader& header,
    std::span<const format::RawStream> streams) {
  PartialBlock block;
  block.header = header;
  Begin();
  for (const format::RawStream& raw : streams) {
    if (raw.kind == continued) {
      block.continued = headers_.size();
      block.place = stored_.size();
      headers_.push_back(
          {raw.kind, format::StreamCodec::kContinued, raw.bytes.size(), 0});
    } else {
      ZPACK_TRY(Store(raw));
    }
  }
  block.streams = headers_;
  block.stored = stored_;
  return block;
}

uint64_t CompleteBlock(PartialBlock block, ByteView piece, Bytes& out) {
  block.streams[block.continued].stored_size = piece.size();
  const ByteView stored = block.stored;
  return AppendBlock(
      block.header, block.streams,
      {stored.first(block.place), piece, stored.subspan(block.place)}, out);
}

Status BlockEncoder::EncodeChanged(const format::BlockView& block,
                                   std::span<const format::RawStream> changed,
                                   Bytes& out) {
  Begin();
  for (const format::BlockView::Stream& stream : block.streams) {
    const auto raw = std::ranges::find(changed, stream.header.kind,
                                       &format::RawStream::kind);
    if (raw != changed.end()) {
      ZPACK_TRY(Store(*raw));
    } else {
      headers_.push_back(stream.header);
      Append(stored_, stream.stored);
    }
  }
  Finish(block.header, out);
  return {};
}

}  // namespace zpack
