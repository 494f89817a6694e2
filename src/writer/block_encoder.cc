// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_encoder.h"

#include "base/error.h"
#include "format/chunk.h"

namespace zpack {

Result<format::StreamHeader> BlockEncoder::Store(const RawStream& raw) {
  format::StreamHeader stream{raw.kind, format::StreamCodec::kZstd,
                              raw.bytes.size(), 0};
  const size_t start = stored_.size();
  // Media are not worth a search, only a glance.
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
  return stream;
}

Status BlockEncoder::Encode(const format::BlockHeader& header,
                            std::span<const RawStream> streams, Bytes& out) {
  stored_.clear();
  payload_.clear();
  std::vector<format::StreamHeader> headers;
  for (const RawStream& raw : streams) {
    ZPACK_ASSIGN_OR_RETURN(const format::StreamHeader stored, Store(raw));
    headers.push_back(stored);
  }
  format::Encode(header, headers, payload_);
  Append(payload_, stored_);
  format::EncodeChunk(format::kBlockChunk, 0, payload_, out);
  return {};
}

}  // namespace zpack
