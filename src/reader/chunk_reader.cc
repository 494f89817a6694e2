// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/chunk_reader.h"

#include "format/chunk.h"

namespace zpack {

Status CheckChunkSize(const RandomAccessFile& file, uint32_t id,
                      uint64_t offset, uint64_t size, uint64_t max_size) {
  if (size <= max_size) return {};
  return MakeError(
      ErrorCode::kLimitExceeded,
      "chunk '{}' of {} bytes is above the limit of {} at offset {} of '{}'",
      format::ChunkName(id), size, max_size, AtOffset{offset},
      AtPath{file.path()});
}

Result<LoadedChunk> ReadChunk(const RandomAccessFile& file, uint32_t id,
                              uint64_t offset, uint64_t size,
                              uint64_t max_size) {
  ZPACK_TRY(CheckChunkSize(file, id, offset, size, max_size));
  LoadedChunk chunk;
  chunk.offset = offset;
  chunk.bytes.resize(size);
  const auto read = [&]() -> Result<ByteView> {
    ZPACK_TRY(file.Read(offset, chunk.bytes));
    return Locate(format::DecodeChunk(id, chunk.bytes), offset, file.path());
  };
  ZPACK_ASSIGN_OR_RETURN(chunk.payload,
                         ReadChecked(file, offset, offset + size, read));
  return chunk;
}

}  // namespace zpack
