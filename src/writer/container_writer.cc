// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/container_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/copies.h"
#include "format/lost_chunk.h"
#include "format/object_index.h"
#include "format/promises_chunk.h"

namespace zpack {
namespace {

// Bytes per read of a chunk that is read back.
constexpr uint64_t kReadBack = uint64_t{1} << 20;

struct OwnIndex {
  FileIds ids;
  IndexedVector<FileRank, ObjectNumber> numbers;
};

// The objects of `file` from number `first` on, which becomes number 0.
OwnIndex IndexFrom(const format::FileNumbers& file, uint32_t first) {
  OwnIndex own;
  Bytes ids;
  for (const FileRank rank : file.ids.ranks()) {
    const uint32_t number = file.numbers[rank].value();
    if (number < first) continue;
    Append(ids, file.ids[rank].bytes());
    own.numbers.raw().emplace_back(number - first);
  }
  // A subsequence of sorted ids is sorted.
  own.ids = *ObjectIdTable::FromSorted(file.ids.format(), std::move(ids));
  return own;
}

}  // namespace

ContainerWriter::ContainerWriter(WritableFile& file, ObjectFormat format,
                                 format::ObjectNumberRange objects,
                                 std::vector<std::string> features)
    : file_(file), objects_(objects), file_hash_(HashAlgorithm::kSha256) {
  header_.object_format = format;
  header_.object_count = objects.end - objects.begin;
  header_.required_features = std::move(features);
}

Status ContainerWriter::Append(ByteView bytes) {
  file_hash_.Update(bytes);
  return Put(bytes);
}

Status ContainerWriter::Put(ByteView bytes) {
  size_ += bytes.size();
  return size_ <= written_ ? Status{} : file_.Append(bytes);
}

Status ContainerWriter::AppendChunk(uint32_t id, uint32_t flags,
                                    ByteView payload) {
  const format::ChunkFrame frame = format::FrameChunk(id, flags, payload);
  toc_.chunks.push_back({id, flags, size_, payload.size()});
  ZPACK_TRY(Append(frame.header));
  ZPACK_TRY(Append(payload));
  return Append(frame.checksum);
}

Status ContainerWriter::Start(ByteView preamble, uint64_t written) {
  written_ = written;
  ZPACK_TRY(file_.Truncate(written));
  // The offsets in the header are known only at the end, so Finish hashes the
  // header.
  const size_t header_size = header_.EncodedSize();
  const ByteView refs = preamble.subspan(header_size);
  toc_.chunks.push_back({format::kRefsChunk, format::kChunkRequired,
                         header_size, refs.size() - format::kChunkOverhead});
  refs_chunk_.assign(refs.begin(), refs.end());
  file_hash_.Update(refs);
  return Put(preamble);
}

Status ContainerWriter::AddBlock(const EncodedBlock& block) {
  blocks_.rows.push_back({size_, block.first_object});
  expansion_ += block.expansion;
  return Append(block.chunk);
}

Status ContainerWriter::Pad() {
  const uint64_t needed = format::FileSizeFor(expansion_);
  if (size_ >= needed) return {};
  return AppendChunk(format::kPaddingChunk, 0, Bytes(needed - size_, 0));
}

Status ContainerWriter::AddTables(const format::FileNumbers& numbers) {
  Bytes payload;
  blocks_.rows.push_back({size_, ObjectNumber(objects_.end)});
  format::Encode(blocks_, payload);
  format::EncodeChunk(format::kBlockTableChunk, format::kChunkRequired, payload,
                      block_table_chunk_);
  toc_.chunks.push_back({format::kBlockTableChunk, format::kChunkRequired,
                         size_, payload.size()});
  ZPACK_TRY(Append(block_table_chunk_));

  payload.clear();
  if (format::HasFeature(header_.required_features,
                         format::kDerivedIdsFeature)) {
    const format::Digest digest = format::IdsDigest(numbers.ids, numbers.order);
    return AppendChunk(format::kIdsDigestChunk, format::kChunkRequired, digest);
  }
  const OwnIndex own = objects_.begin == 0
                           ? OwnIndex{numbers.ids, numbers.numbers}
                           : IndexFrom(numbers, objects_.begin);
  const bool has_below =
      format::HasFeature(header_.required_features, format::kBackingFeature);
  format::EncodeObjectIds(
      own.ids, payload,
      has_below ? format::FanOut::kIfMany : format::FanOut::kAlways);
  ZPACK_TRY(
      AppendChunk(format::kObjectIdsChunk, format::kChunkRequired, payload));

  payload.clear();
  format::EncodeObjectNumbers(own.numbers, payload);
  return AppendChunk(format::kObjectNumbersChunk, format::kChunkRequired,
                     payload);
}

Status ContainerWriter::AddPromises(const Promises& promises) {
  if (promises.empty()) return {};
  Bytes payload;
  format::Encode(promises, payload);
  return AppendChunk(format::kPromisesChunk, format::kChunkRequired, payload);
}

Status ContainerWriter::AddLost(const LostObjects& lost) {
  if (lost.empty()) return {};
  Bytes payload;
  format::Encode(lost, payload);
  return AppendChunk(format::kLostChunk, 0, payload);
}

Status ContainerWriter::BeginChunk(uint32_t id) {
  chunk_begin_ = size_;
  toc_.chunks.push_back({id, 0, size_, 0});
  return Put(Bytes(format::kChunkHeaderSize, 0));
}

Status ContainerWriter::AppendToChunk(ByteView piece) { return Put(piece); }

Status ContainerWriter::EndChunk(const RandomAccessFile& reader) {
  format::ChunkLocation& chunk = toc_.chunks.back();
  chunk.payload_size = size_ - chunk_begin_ - format::kChunkHeaderSize;
  Bytes header;
  format::Encode(format::ChunkHeader{chunk.id, chunk.flags, chunk.payload_size},
                 header);
  ZPACK_TRY(file_.WriteAt(chunk_begin_, header));
  ChecksumHasher checksum;
  Bytes piece;
  for (uint64_t at = chunk_begin_; at < size_; at += piece.size()) {
    piece.resize(std::min(kReadBack, size_ - at));
    ZPACK_TRY(reader.Read(at, piece));
    file_hash_.Update(piece);
    checksum.Update(piece);
  }
  Bytes end;
  ByteWriter(end).U64(checksum.Value());
  return Append(end);
}

Status ContainerWriter::AddCopies() {
  // The header and the table of contents, which are copied, tell where the
  // copies are.
  const uint64_t size = format::CopiesSize(toc_, header_.EncodedSize());
  toc_.chunks.push_back({format::kCopiesChunk, 0, size_, size});
  Bytes payload;
  format::Encode(toc_, payload);
  Bytes toc;
  format::EncodeChunk(format::kTableOfContentsChunk, format::kChunkRequired,
                      payload, toc);
  header_.table_of_contents_offset = toc_.chunks.back().end();
  header_.file_size =
      header_.table_of_contents_offset + toc.size() + format::kTrailerSize;
  Bytes header;
  format::Encode(header_, header);
  payload.clear();
  format::Encode({header, refs_chunk_, block_table_chunk_, toc}, payload);
  const format::ChunkFrame frame =
      format::FrameChunk(format::kCopiesChunk, 0, payload);
  ZPACK_TRY(Append(frame.header));
  ZPACK_TRY(Append(payload));
  ZPACK_TRY(Append(frame.checksum));
  return Append(toc);
}

Status ContainerWriter::Finish(const ObjectIdTable& ids) {
  ZPACK_TRY(Pad());
  ZPACK_TRY(AddCopies());

  format::Trailer trailer;
  trailer.content_digest = format::ContentDigest(ids);
  Bytes bytes;
  format::EncodeBeforeHash(trailer, bytes);
  ZPACK_TRY(Append(bytes));

  Bytes header;
  format::Encode(header_, header);
  file_hash_.Update(header);
  file_hash_.Finish(trailer.file_hash);
  ZPACK_TRY(file_.Append(trailer.file_hash));
  size_ += format::kDigestSize;
  ZPACK_TRY(file_.WriteAt(0, header));
  return file_.Sync();
}

Bytes EncodePreamble(const std::vector<std::string>& features,
                     const format::Digest& fingerprint, ByteView refs) {
  format::FileHeader header;
  header.required_features = features;
  Bytes preamble(header.EncodedSize(), 0);
  std::ranges::copy(AsBytes(kUnfinishedMarker), preamble.begin());
  std::ranges::copy(fingerprint, preamble.begin() + kUnfinishedMarker.size());
  format::EncodeChunk(format::kRefsChunk, format::kChunkRequired, refs,
                      preamble);
  return preamble;
}

}  // namespace zpack
