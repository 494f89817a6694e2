// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_encoder.h"

#include <algorithm>

#include "base/error.h"
#include "format/chunk.h"

namespace zpack {

Status BlockEncoder::Store(const format::RawStream& raw) {
  format::StreamHeader stream{raw.kind, format::StreamCodec::kZstd,
                              raw.bytes.size(), 0};
  const size_t start = stored_.size();
  // Media files do not become smaller with more effort, so the fast compressor
  // is enough.
  ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                         compressibility_.IsIncompressible(raw.bytes));
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
  for (const format::RawStream& raw : streams) ZPACK_TRY(Store(raw));
  Finish(header, out);
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
