// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/hostile_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/hash.h"
#include "codec/zstd_codec.h"
#include "format/object_index.h"
#include "format/refs_chunk.h"
#include "format/trailer.h"
#include "object/object_hasher.h"
#include "object/object_id_table.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "support/memory_file.h"
#include "support/repair.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using format::StreamKind;

// One stream of each kind, those that are missing empty.
template <size_t N>
RawStreams Complete(const std::array<StreamKind, N>& kinds,
                    const RawStreams& streams) {
  RawStreams all;
  for (const StreamKind kind : kinds) {
    const auto given =
        std::ranges::find(streams, kind, &RawStreams::value_type::first);
    all.emplace_back(kind, given == streams.end() ? Bytes() : given->second);
  }
  return all;
}

ObjectIdTable TableOf(ObjectFormat format, const std::vector<ObjectId>& ids) {
  Bytes bytes;
  for (const ObjectId& id : ids) Append(bytes, id.bytes());
  auto table = ObjectIdTable::FromUnsorted(format, std::move(bytes));
  Require(table && table->size() == ids.size(), "an id occurs twice");
  return *std::move(table);
}

// A zstd frame with the prefix as it is and the rest in runs.
void AppendFrame(const LongStream& stream, Bytes& out) {
  constexpr uint64_t kBlock = uint64_t{128} << 10;
  constexpr uint64_t kRun = 1 << 1;
  const auto little_endian = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      out.push_back(static_cast<uint8_t>(value >> (8 * i)));
    }
  };
  // Magic number; one segment whose size takes eight bytes.
  Append(out, Bytes{0x28, 0xb5, 0x2f, 0xfd, 0xe0});
  little_endian(stream.prefix.size() + stream.count, 8);
  if (!stream.prefix.empty()) {
    Require(stream.prefix.size() < kBlock, "a long prefix");
    little_endian(stream.prefix.size() << 3, 3);
    Append(out, stream.prefix);
  }
  for (uint64_t rest = stream.count; rest != 0;) {
    const uint64_t part = std::min(rest, kBlock);
    rest -= part;
    little_endian(part << 3 | kRun | (rest == 0 ? 1 : 0), 3);
    out.push_back(stream.byte);
  }
}

// The SHA-256 of a whole file but its header and hash, and of its header.
format::Digest FileHash(ByteView file, size_t header_size) {
  const ByteView hashed = file.first(file.size() - format::kDigestSize);
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(hashed.subspan(header_size));
  hasher.Update(hashed.first(header_size));
  format::Digest digest;
  hasher.Finish(digest);
  return digest;
}

}  // namespace

Bytes Varints(const std::vector<uint64_t>& values) {
  Bytes out;
  for (const uint64_t value : values) ByteWriter(out).Varint(value);
  return out;
}

Bytes Repeated(ByteView bytes, uint64_t count) {
  Bytes out;
  out.reserve(bytes.size() * count);
  if (bytes.size() == 1) {
    out.resize(count);
    if (count != 0) std::memset(out.data(), bytes[0], count);
    return out;
  }
  for (uint64_t i = 0; i < count; ++i) Append(out, bytes);
  return out;
}

RawStreams TreeStreams(const RawStreams& streams) {
  return Complete(
      std::array{StreamKind::kSizes, StreamKind::kBases, StreamKind::kLiterals,
                 StreamKind::kEditCounts, StreamKind::kEditRuns,
                 StreamKind::kEditKinds, StreamKind::kNames, StreamKind::kModes,
                 StreamKind::kChildren, StreamKind::kChildDifferences,
                 StreamKind::kNameTexts, StreamKind::kOutsideIds},
      streams);
}

RawStreams CommitStreams(const RawStreams& streams) {
  return Complete(
      std::array{StreamKind::kOutsideIds, StreamKind::kRootTrees,
                 StreamKind::kParentCounts, StreamKind::kParents,
                 StreamKind::kIdentities, StreamKind::kIdentityTexts,
                 StreamKind::kTimes, StreamKind::kTimeZones,
                 StreamKind::kHeaderSizes, StreamKind::kHeaders,
                 StreamKind::kMessageSizes, StreamKind::kMessages},
      streams);
}

Bytes LongChunk(const format::BlockHeader& header,
                const std::vector<LongStream>& streams) {
  std::vector<format::StreamHeader> headers;
  Bytes stored;
  for (const LongStream& stream : streams) {
    const size_t before = stored.size();
    const uint64_t size = stream.prefix.size() + stream.count;
    if (stream.count == 0) {
      Append(stored, stream.prefix);
    } else {
      AppendFrame(stream, stored);
    }
    headers.push_back({stream.kind,
                       stream.count == 0 ? format::StreamCodec::kStored
                                         : format::StreamCodec::kZstd,
                       size, stored.size() - before});
  }
  Bytes payload;
  format::Encode(header, headers, payload);
  Append(payload, stored);
  Bytes chunk;
  format::EncodeChunk(format::kBlockChunk, 0, payload, chunk);
  return chunk;
}

Bytes BlockChunk(const format::BlockHeader& header, const RawStreams& streams) {
  constexpr int kLevel = 3;
  ZstdCompressor compressor(kLevel);
  std::vector<format::StreamHeader> headers;
  Bytes stored;
  for (const auto& [kind, raw] : streams) {
    Bytes frame;
    const auto size = compressor.Compress(raw, frame);
    Require(size.has_value(), "zstd");
    const bool smaller = *size < raw.size();
    Append(stored, smaller ? frame : raw);
    headers.push_back(
        {kind,
         smaller ? format::StreamCodec::kZstd : format::StreamCodec::kStored,
         raw.size(), smaller ? *size : raw.size()});
  }
  Bytes payload;
  format::Encode(header, headers, payload);
  Append(payload, stored);
  Bytes chunk;
  format::EncodeChunk(format::kBlockChunk, 0, payload, chunk);
  return chunk;
}

RawStreams UnpackStreams(ByteView chunk, format::BlockHeader& header) {
  const auto payload = format::DecodeChunk(format::kBlockChunk, chunk);
  Require(payload.has_value(), "no chunk of a block");
  const auto view = format::DecodeBlock(*payload, uint64_t{1} << 32);
  Require(view.has_value(), "no block");
  header = view->header;
  BlockDecoder decoder;
  RawStreams streams;
  for (const auto& stream : view->streams) {
    auto raw = decoder.Unpack(*view, stream.header.kind);
    Require(raw.has_value(), "stream");
    streams.emplace_back(stream.header.kind, *std::move(raw));
  }
  return streams;
}

HostileFile::HostileFile() {
  header.required_features = format::BlockFeatures();
  refs.head_symref = "refs/heads/main";
}

HostileFile::HostileFile(ByteView file) {
  const auto archive = ArchiveFile::Open(
      std::make_unique<MemoryFile>(Bytes(file.begin(), file.end())),
      ReadOptions{});
  Require(archive.has_value(), "no valid file to take apart");
  const ArchiveFile& from = **archive;
  header = from.header();
  refs = from.refs();
  for (size_t block = 0; block < from.blocks().block_count(); ++block) {
    Bytes chunk;
    Require(from.blocks().ReadBlockChunk(block, chunk).has_value(), "block");
    blocks.push_back(
        {from.blocks().first_object(block).value(), std::move(chunk)});
  }
  // The header says that the first of these is there.
  for (const uint32_t id : {format::kPromisesChunk, format::kLostChunk}) {
    const auto* const at = from.toc().Find(id);
    if (at == nullptr) continue;
    const auto chunk = from.top().LoadChunk(*at);
    Require(chunk.has_value(), "no list of absent objects");
    extra.push_back(
        {at->id, at->flags, {chunk->payload.begin(), chunk->payload.end()}});
  }
  copies = from.toc().Find(format::kCopiesChunk) != nullptr;
  for (const ObjectNumber number :
       IndexRange<ObjectNumber>(from.object_count())) {
    ids.push_back(from.ids()[from.rank(number)]);
  }
}

uint32_t HostileFile::Add(format::BlockHeader block, const RawStreams& streams,
                          const std::vector<ObjectId>& block_ids) {
  const bool continues = block_ids.empty();
  const auto next = static_cast<uint32_t>(ids.size());
  block.first_object = ObjectNumber(continues ? next - 1 : next);
  block.object_count = continues ? 1 : static_cast<uint32_t>(block_ids.size());
  blocks.push_back({block.first_object.value(), BlockChunk(block, streams)});
  ids.insert(ids.end(), block_ids.begin(), block_ids.end());
  return block.first_object.value();
}

uint32_t HostileFile::Add(format::BlockHeader block, const RawStreams& streams,
                          uint32_t count) {
  std::vector<ObjectId> block_ids;
  block_ids.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    block_ids.push_back(MadeUpId(ids.size() + i));
  }
  return Add(block, streams, block_ids);
}

uint32_t HostileFile::AddLong(format::BlockHeader block,
                              const std::vector<LongStream>& streams,
                              const RawStreams& others, uint32_t count) {
  std::vector<LongStream> all = streams;
  for (const auto& [kind, raw] : others) {
    if (std::ranges::find(streams, kind, &LongStream::kind) == streams.end()) {
      all.push_back({kind, raw, 0, 0});
    }
  }
  block.first_object = ObjectNumber(static_cast<uint32_t>(ids.size()));
  block.object_count = count;
  blocks.push_back({block.first_object.value(), LongChunk(block, all)});
  for (uint32_t i = 0; i < count; ++i) ids.push_back(MadeUpId(ids.size()));
  return block.first_object.value();
}

uint32_t HostileFile::AddObjects(ObjectType type,
                                 const std::vector<Bytes>& contents) {
  std::vector<uint64_t> sizes;
  std::vector<ObjectId> block_ids;
  Bytes all;
  for (const Bytes& content : contents) {
    sizes.push_back(content.size());
    block_ids.push_back(Hash(type, content));
    Append(all, content);
  }
  return Add({.kind = format::BlockKind::kObjects, .type = type},
             {{StreamKind::kSizes, Varints(sizes)},
              {StreamKind::kContents, std::move(all)}},
             block_ids);
}

uint32_t HostileFile::AddSegments(ObjectType type, ByteView content,
                                  uint64_t segment) {
  const auto number = static_cast<uint32_t>(ids.size());
  for (uint64_t at = 0; at < content.size(); at += segment) {
    const ByteView part =
        content.subspan(at, std::min<uint64_t>(segment, content.size() - at));
    std::vector<ObjectId> block_ids;
    if (at == 0) block_ids.push_back(Hash(type, content));
    Add({.kind = format::BlockKind::kSegment,
         .type = type,
         .segment_offset = at},
        {{StreamKind::kSizes, Varints({content.size()})},
         {StreamKind::kContents, Bytes(part.begin(), part.end())}},
        block_ids);
  }
  return number;
}

void HostileFile::AddRef(const std::string& name, const ObjectId& target,
                         const ObjectId& peeled) {
  const auto at = std::ranges::lower_bound(refs.refs, name, {}, &Ref::name);
  refs.refs.insert(at, {name, target, peeled, {}});
}

ObjectId HostileFile::MadeUpId(uint64_t number) const {
  return Hash(ObjectType::kBlob,
              AsBytes("an id of nothing: " + std::to_string(number)));
}

ObjectId HostileFile::Hash(ObjectType type, ByteView content) const {
  return ObjectHasher(header.object_format).Hash(type, content);
}

Bytes HostileFile::Build() const {
  format::FileHeader head = header;
  head.object_count = static_cast<uint32_t>(ids.size());
  Bytes file(head.EncodedSize(), 0);
  format::TableOfContents contents;
  const auto add = [&](uint32_t id, uint32_t flags, ByteView payload) {
    contents.chunks.push_back({id, flags, file.size(), payload.size()});
    format::EncodeChunk(id, flags, payload, file);
  };
  Bytes payload;
  if (refs_payload) {
    payload = *refs_payload;
  } else {
    format::Encode(refs, payload);
  }
  add(format::kRefsChunk, format::kChunkRequired, payload);
  format::BlockTable table;
  for (const Block& block : blocks) {
    table.rows.push_back({file.size(), ObjectNumber(block.first_object)});
    Append(file, block.chunk);
  }
  table.rows.push_back({file.size(), ObjectNumber(head.object_count)});
  if (edit_blocks) edit_blocks(table);
  payload.clear();
  format::Encode(table, payload);
  add(format::kBlockTableChunk, format::kChunkRequired, payload);

  const FileIds sorted = TableOf(head.object_format, ids);
  IndexedVector<FileRank, ObjectNumber> numbers(ids.size());
  for (uint32_t number = 0; number < ids.size(); ++number) {
    numbers[*sorted.Find(ids[number])] = ObjectNumber(number);
  }
  if (format::HasFeature(head.required_features, format::kDerivedIdsFeature)) {
    add(format::kIdsDigestChunk, format::kChunkRequired,
        format::IdsDigest(sorted, format::InversePermutation(numbers)));
  } else {
    payload.clear();
    format::EncodeObjectIds(sorted, payload);
    add(format::kObjectIdsChunk, format::kChunkRequired, payload);
    payload.clear();
    format::EncodeObjectNumbers(numbers, payload);
    add(format::kObjectNumbersChunk, format::kChunkRequired, payload);
  }
  for (const Chunk& chunk : extra) add(chunk.id, chunk.flags, chunk.payload);
  if (copies) {
    add(format::kCopiesChunk, 0,
        Bytes(format::CopiesSize(contents, head.EncodedSize()), 0));
  }

  head.table_of_contents_offset = file.size();
  if (edit_contents) edit_contents(contents);
  payload.clear();
  format::Encode(contents, payload);
  format::EncodeChunk(format::kTableOfContentsChunk, format::kChunkRequired,
                      payload, file);
  format::Trailer trailer;
  trailer.content_digest = format::ContentDigest(sorted);
  format::Encode(trailer, file);
  head.file_size = file.size();
  if (edit_header) edit_header(head);
  Bytes start;
  format::Encode(head, start);
  std::ranges::copy(start, file.begin());
  RefreshCopies(file);
  const format::Digest hash = FileHash(file, start.size());
  std::ranges::copy(hash, file.end() - format::kDigestSize);
  return file;
}

void RepairFile(Bytes& bytes) {
  RepairChecksums(bytes);
  if (bytes.size() < format::kFixedHeaderSize + format::kTrailerSize) return;
  const uint64_t header_size = LoadBigEndian<uint32_t>(&bytes[24]);
  if (header_size > bytes.size() - format::kTrailerSize) return;
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  if (archive) {
    std::ranges::copy(format::ContentDigest((*archive)->ids()),
                      bytes.end() - 2 * format::kDigestSize);
  }
  std::ranges::copy(FileHash(bytes, header_size),
                    bytes.end() - format::kDigestSize);
}

}  // namespace zpack::testing
