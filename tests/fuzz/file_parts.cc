// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/file_parts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/hash.h"
#include "codec/zstd_codec.h"
#include "format/block_form.h"
#include "format/chunk.h"
#include "format/copies.h"
#include "format/object_index.h"
#include "format/refs_chunk.h"
#include "format/trailer.h"
#include "support/repair.h"

namespace zpack::testing {
namespace {

Bytes PutHeader(const FileParts& parts, uint64_t toc_offset,
                uint64_t file_size) {
  format::FileHeader header = parts.header;
  header.table_of_contents_offset = toc_offset;
  header.file_size = file_size;
  // Encode asserts what a writer never does.
  header.object_format = ObjectFormat::kSha1;
  Bytes out;
  format::Encode(header, out);
  Bytes fields;
  ByteWriter to(fields);
  to.U32(static_cast<uint32_t>(parts.header.object_format));
  to.U8(parts.id_width);
  to.U8(0);
  to.U16(parts.reserved);
  std::ranges::copy(fields, out.begin() + 28);
  const size_t end = out.size() - format::kChecksumSize;
  Bytes checksum;
  ByteWriter(checksum).U64(Checksum(ByteView(out).first(end)));
  std::ranges::copy(checksum, out.begin() + static_cast<ptrdiff_t>(end));
  return out;
}

Bytes Stored(const StreamPart& stream) {
  if (stream.raw_is != StreamPart::Is::kEdited) return stream.stored;
  if (stream.codec != 1) return stream.raw;
  static thread_local ZstdCompressor compressor(1);
  Bytes stored;
  (void)compressor.Compress(stream.raw, stored);
  return stored;
}

Bytes PutBlock(const BlockPart& block) {
  Bytes out;
  ByteWriter to(out);
  format::PutBlockHeader(block.header, block.streams.size(), to);
  Bytes contents;
  for (const StreamPart& stream : block.streams) {
    const Bytes stored = Stored(stream);
    to.U8(stream.kind);
    to.U8(stream.codec);
    to.U16(stream.reserved);
    to.U64(stream.raw.size() + stream.raw_size_error);
    to.U64(stored.size() + stream.stored_size_error);
    Append(contents, stored);
  }
  Append(out, contents);
  return out;
}

Bytes PutRows(const std::vector<BlockRow>& rows,
              const std::vector<uint64_t>& block_offsets) {
  Bytes out;
  ByteWriter to(out);
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t block = std::min(i, block_offsets.size() - 1);
    to.U64(block_offsets[block] + rows[i].offset_error);
    to.U32(rows[i].first_object);
  }
  return out;
}

Bytes IdBytes(const FileParts& parts) {
  Bytes bytes;
  for (const NumberedId& id : *parts.ids) Append(bytes, id.id);
  return bytes;
}

Bytes PutIds(const FileParts& parts) {
  const auto table =
      ObjectIdTable::FromSorted(parts.ids_format, IdBytes(parts));
  Bytes out;
  if (table) format::EncodeObjectIds(*table, out);
  return out;
}

Bytes PutNumbers(const FileParts& parts) {
  IndexedVector<FileRank, ObjectNumber> numbers;
  for (const NumberedId& id : *parts.ids) {
    numbers.push_back(ObjectNumber(id.number));
  }
  Bytes out;
  format::EncodeObjectNumbers(numbers, out);
  return out;
}

Bytes PutPayload(const FileParts& parts, const ChunkPart& chunk,
                 const std::vector<uint64_t>& block_offsets) {
  if (chunk.block) return PutBlock(*chunk.block);
  if (chunk.id == format::kBlockTableChunk && parts.rows) {
    return PutRows(*parts.rows, block_offsets);
  }
  if (chunk.id == format::kObjectIdsChunk && parts.ids) return PutIds(parts);
  if (chunk.id == format::kObjectNumbersChunk && parts.ids) {
    return PutNumbers(parts);
  }
  if (chunk.id == format::kRefsChunk && parts.refs) {
    Bytes out;
    format::Encode(*parts.refs, out);
    return out;
  }
  return chunk.payload;
}

// 0 if what is copied is not there.
uint64_t SizeOfCopies(const format::TableOfContents& listed, uint64_t start) {
  if (listed.Find(format::kRefsChunk) == nullptr ||
      listed.Find(format::kBlockTableChunk) == nullptr) {
    return 0;
  }
  return format::CopiesSize(listed, start);
}

}  // namespace

Bytes PutTogether(const FileParts& parts) {
  // Its size does not depend on the offsets in it.
  const uint64_t start = PutHeader(parts, 0, 0).size();
  Bytes body;
  Bytes rows;
  ByteWriter row(rows);
  format::TableOfContents listed;
  std::vector<uint64_t> block_offsets;
  uint64_t blocks_end = start;
  const auto is_block = [](const ChunkPart& chunk) {
    return chunk.id == format::kBlockChunk;
  };
  for (const ChunkPart& chunk : parts.chunks) {
    const uint64_t offset = start + body.size();
    if (is_block(chunk)) block_offsets.push_back(offset);
    // Blocks may have been moved behind their table.
    std::vector<uint64_t> known = block_offsets;
    known.push_back(blocks_end);
    const Bytes payload = chunk.copies ? Bytes(SizeOfCopies(listed, start), 0)
                                       : PutPayload(parts, chunk, known);
    format::EncodeChunk(chunk.id, chunk.flags, payload, body);
    if (is_block(chunk) || chunk.id == format::kRefsChunk) {
      blocks_end = start + body.size();
    }
    if (is_block(chunk)) continue;
    listed.chunks.push_back({chunk.id, chunk.flags, offset, payload.size()});
    row.U32(chunk.id);
    row.U32(chunk.row_flags);
    row.U64(offset + chunk.offset_error);
    row.U64(payload.size() + chunk.size_error);
  }
  const uint64_t toc_offset = start + body.size();
  format::EncodeChunk(format::kTableOfContentsChunk, format::kChunkRequired,
                      rows, body);
  ByteWriter to(body);
  to.U32(format::kTrailerSignature);
  to.U32(0);
  format::Digest digest{};
  Hasher ids_hasher(HashAlgorithm::kSha256);
  if (parts.ids) ids_hasher.Update(IdBytes(parts));
  ids_hasher.Finish(digest);
  to.Raw(digest);
  const Bytes header =
      PutHeader(parts, toc_offset, start + body.size() + format::kDigestSize);
  Bytes file = header;
  Append(file, body);
  Append(file, digest);
  RefreshCopies(file);
  const ByteView hashed =
      ByteView(file).first(file.size() - format::kDigestSize);
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(hashed.subspan(header.size()));
  hasher.Update(header);
  hasher.Finish(digest);
  std::ranges::copy(digest, file.end() - format::kDigestSize);
  return file;
}

void LeaveOutIds(FileParts& parts) {
  const auto digest =
      std::ranges::find(parts.chunks, format::kObjectIdsChunk, &ChunkPart::id);
  if (!parts.ids || digest == parts.chunks.end()) return;
  digest->id = format::kIdsDigestChunk;
  std::vector<NumberedId> ids = *parts.ids;
  std::ranges::stable_sort(ids, {}, &NumberedId::number);
  Hasher hasher(HashAlgorithm::kSha256);
  for (const NumberedId& id : ids) hasher.Update(id.id);
  format::Digest hash;
  hasher.Finish(hash);
  digest->payload.assign(hash.begin(), hash.end());
  std::erase_if(parts.chunks, [](const ChunkPart& chunk) {
    return chunk.id == format::kObjectNumbersChunk;
  });
  auto& features = parts.header.required_features;
  features.emplace_back(format::kDerivedIdsFeature);
  std::ranges::sort(features);
}

void MakeCountsAgree(FileParts& parts) {
  // The numbers go on from those of another file.
  if (format::HasFeature(parts.header.required_features,
                         format::kBackingFeature)) {
    return;
  }
  std::vector<BlockRow> rows;
  std::set<std::string> features;
  if (std::ranges::find(parts.chunks, format::kIdsDigestChunk,
                        &ChunkPart::id) != parts.chunks.end()) {
    features.emplace(format::kDerivedIdsFeature);
  }
  uint32_t next = 0;
  bool segmented = false;  // the last object, which may go on
  for (ChunkPart& chunk : parts.chunks) {
    if (!chunk.block) continue;
    format::BlockHeader& header = chunk.block->header;
    const bool segment = header.kind == format::BlockKind::kSegment;
    const bool continued = segment && segmented && header.segment_offset != 0;
    header.first_object = ObjectNumber(continued ? next - 1 : next);
    rows.push_back({0, header.first_object.value()});
    header.object_count = std::clamp(header.object_count, 1U, 1U << 12);
    if (segment) header.object_count = 1;
    if (!continued) next += header.object_count;
    segmented = segment;
    const format::BlockForm* const form = format::FindBlockForm(header.kind);
    if (form != nullptr && !form->feature.empty()) {
      features.emplace(form->feature);
    }
    for (const StreamPart& stream : chunk.block->streams) {
      if (stream.codec ==
          static_cast<uint8_t>(format::StreamCodec::kContinued)) {
        features.emplace(format::kGroupsFeature);
      }
    }
  }
  rows.push_back({0, next});
  parts.rows = std::move(rows);
  parts.header.object_count = next;
  parts.header.required_features.assign(features.begin(), features.end());
  if (!parts.ids) return;
  std::erase_if(*parts.ids,
                [&](const NumberedId& id) { return id.number >= next; });
  for (auto number = static_cast<uint32_t>(parts.ids->size()); number < next;
       ++number) {
    // Any id that is not there yet.
    Bytes id(ObjectIdWidth(parts.ids_format), 0x5a);
    Bytes counter;
    ByteWriter(counter).U32(number * 0x9e3779b1U);
    std::ranges::copy(counter, id.begin());
    parts.ids->push_back({std::move(id), number});
  }
  std::ranges::sort(*parts.ids, {}, &NumberedId::id);
}

}  // namespace zpack::testing
