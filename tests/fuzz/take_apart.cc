// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include "codec/zstd_codec.h"
#include "format/object_index.h"
#include "format/refs_chunk.h"
#include "fuzz/file_parts.h"

namespace zpack::testing {
namespace {

// Larger streams stay compressed.
constexpr uint64_t kMaxStream = uint64_t{4} << 20;
constexpr size_t kStreamRowSize = 20;

std::optional<format::FileHeader> TakeHeader(ByteView bytes, FileParts& parts) {
  if (bytes.size() < format::kFixedHeaderSize) return std::nullopt;
  ByteReader in(bytes);
  format::FileHeader header;
  in.Raw(8);
  header.object_count = in.U32();
  in.Raw(8);
  header.major = in.U16();
  header.minor = in.U16();
  const uint32_t size = in.U32();
  header.object_format = ObjectFormat{in.U32()};
  parts.id_width = in.U8();
  in.U8();
  parts.reserved = in.U16();
  header.table_of_contents_offset = in.U64();
  in.U64();
  const uint16_t required = in.U16();
  const uint16_t optional = in.U16();
  for (unsigned i = 0; i < unsigned{required} + optional && in.ok(); ++i) {
    auto& names =
        i < required ? header.required_features : header.optional_features;
    names.emplace_back(AsText(in.Raw(in.U8())));
  }
  if (!in.ok() || size != in.position() + format::kChecksumSize) {
    return std::nullopt;
  }
  return header;
}

StreamPart TakeStream(ByteReader& row, ByteView& stored) {
  StreamPart stream;
  stream.kind = row.U8();
  stream.codec = row.U8();
  stream.reserved = row.U16();
  const uint64_t raw_size = row.U64();
  const uint64_t stored_size = std::min<uint64_t>(row.U64(), stored.size());
  const ByteView bytes = stored.first(stored_size);
  stored = stored.subspan(stored_size);
  stream.stored.assign(bytes.begin(), bytes.end());
  if (stream.codec == 0) {
    stream.raw = stream.stored;
    stream.raw_is = StreamPart::Is::kAsStored;
  } else if (raw_size <= kMaxStream) {
    static thread_local ZstdDecompressor decompressor;
    stream.raw.resize(raw_size);
    if (decompressor.Decompress(bytes, stream.raw)) {
      stream.raw_is = StreamPart::Is::kAsStored;
    } else {
      stream.raw.clear();
    }
  }
  stream.raw_size_error = raw_size - stream.raw.size();
  return stream;
}

std::optional<BlockPart> TakeBlock(ByteView payload) {
  ByteReader in(payload);
  BlockPart block;
  uint16_t count = 0;
  block.header = format::TakeBlockHeader(in, count);
  ByteReader rows(in.Raw(count * kStreamRowSize));
  if (!in.ok()) return std::nullopt;
  ByteView stored = in.Raw(in.remaining());
  for (unsigned i = 0; i < count; ++i) {
    block.streams.push_back(TakeStream(rows, stored));
  }
  // What no stream covers would be lost.
  if (!stored.empty()) return std::nullopt;
  return block;
}

void TakeTables(FileParts& parts, const std::vector<uint64_t>& block_offsets) {
  const ObjectFormat format = parts.header.object_format;
  const uint32_t count = parts.header.object_count;
  const ChunkPart* ids = nullptr;
  const ChunkPart* numbers = nullptr;
  for (const ChunkPart& chunk : parts.chunks) {
    if (chunk.id == format::kObjectIdsChunk) ids = &chunk;
    if (chunk.id == format::kObjectNumbersChunk) numbers = &chunk;
    if (chunk.id == format::kRefsChunk && !parts.refs) {
      if (auto refs = format::DecodeRefs(chunk.payload, format)) {
        parts.refs = *std::move(refs);
      }
    }
    if (chunk.id != format::kBlockTableChunk || parts.rows) continue;
    parts.rows.emplace();
    ByteReader in(chunk.payload);
    while (in.remaining() >= 12) {
      const uint64_t offset = in.U64();
      const size_t block =
          std::min(parts.rows->size(), block_offsets.size() - 1);
      parts.rows->push_back({offset - block_offsets[block], in.U32()});
    }
  }
  if (ids == nullptr || numbers == nullptr ||
      (format != ObjectFormat::kSha1 && format != ObjectFormat::kSha256)) {
    return;
  }
  const auto table = format::DecodeObjectIds(ids->payload, format, count);
  const auto order = format::DecodeObjectNumbers(numbers->payload, count);
  if (!table || !order) return;
  parts.ids.emplace();
  parts.ids_format = format;
  for (uint32_t rank = 0; rank < count; ++rank) {
    const ObjectId id = (*table)[rank];
    parts.ids->push_back({Bytes(id.bytes().begin(), id.bytes().end()),
                          order->raw()[rank].value()});
  }
}

// The table of contents states this of `chunk`, which is at `offset`.
void TakeRow(ByteReader& in, uint64_t offset, ChunkPart& chunk) {
  chunk.row_flags = chunk.flags;
  if (in.remaining() < 24 || in.U32() != chunk.id) return;
  chunk.row_flags = in.U32();
  chunk.offset_error = in.U64() - offset;
  chunk.size_error = in.U64() - chunk.payload.size();
}

}  // namespace

std::optional<FileParts> TakeApart(ByteView file) {
  FileParts parts;
  const auto header = TakeHeader(file, parts);
  if (!header || file.size() < format::kTrailerSize) return std::nullopt;
  parts.header = *header;
  const uint64_t end = header->table_of_contents_offset;
  uint64_t at = LoadBigEndian<uint32_t>(&file[24]);
  if (end < at || end > file.size() - format::kTrailerSize) return std::nullopt;
  ByteReader toc(
      file.subspan(end).first(file.size() - end - format::kTrailerSize));
  toc.Raw(format::kChunkHeaderSize);
  std::vector<uint64_t> block_offsets;
  uint64_t blocks_end = at;
  while (at < end) {
    ByteReader in(file.subspan(at, end - at));
    ChunkPart chunk;
    chunk.id = in.U32();
    chunk.flags = in.U32();
    const ByteView payload = in.Raw(in.U64());
    in.U64();
    if (!in.ok()) return std::nullopt;
    if (chunk.id == format::kBlockChunk) {
      block_offsets.push_back(at);
      chunk.block = TakeBlock(payload);
    }
    chunk.payload.assign(payload.begin(), payload.end());
    chunk.copies = chunk.id == format::kCopiesChunk;
    if (chunk.id != format::kBlockChunk) TakeRow(toc, at, chunk);
    at += in.position();
    if (chunk.id == format::kBlockChunk || chunk.id == format::kRefsChunk) {
      blocks_end = at;
    }
    parts.chunks.push_back(std::move(chunk));
  }
  block_offsets.push_back(blocks_end);
  TakeTables(parts, block_offsets);
  return parts;
}

}  // namespace zpack::testing
