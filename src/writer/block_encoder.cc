// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_encoder.h"

#include "base/error.h"
#include "format/chunk.h"

namespace zpack {

Result<format::StreamHeader> BlockEncoder::Store(format::StreamKind kind,
                                                 ByteView raw) {
  format::StreamHeader stream{kind, format::StreamCodec::kZstd, raw.size(), 0};
  const size_t start = stored_.size();
  ZPACK_ASSIGN_OR_RETURN(stream.stored_size,
                         compressor_.Compress(raw, stored_));
  if (stream.stored_size >= raw.size()) {
    stored_.resize(start);
    Append(stored_, raw);
    stream.codec = format::StreamCodec::kStored;
    stream.stored_size = raw.size();
  }
  return stream;
}

Status BlockEncoder::Encode(const format::BlockHeader& header,
                            const std::vector<uint64_t>& sizes,
                            ByteView contents, Bytes& out) {
  sizes_.clear();
  stored_.clear();
  payload_.clear();
  ByteWriter to(sizes_);
  for (const uint64_t size : sizes) to.Varint(size);
  std::vector<format::StreamHeader> streams(2);
  ZPACK_ASSIGN_OR_RETURN(streams[0], Store(format::StreamKind::kSizes, sizes_));
  ZPACK_ASSIGN_OR_RETURN(streams[1],
                         Store(format::StreamKind::kContents, contents));
  format::Encode(header, streams, payload_);
  Append(payload_, stored_);
  format::EncodeChunk(format::kBlockChunk, 0, payload_, out);
  return {};
}

}  // namespace zpack
