// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Payload of a block: its structure and its compressed streams, and then, in a
// file made around it, everything a reader does with a block.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "format/block.h"
#include "format/object_sizes.h"
#include "format/refs_chunk.h"
#include "fuzz/fuzz_target.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "support/memory_file.h"
#include "writer/container_writer.h"

namespace {

using namespace zpack;

// Small, because a few bytes can ask for many objects of this size.
constexpr uint64_t kMaxBlockSize = 1 << 16;
constexpr uint32_t kMaxObjects = 64;

void Require(bool condition) {
  if (!condition) std::abort();
}

class MemoryOutput final : public WritableFile {
 public:
  Status Append(ByteView bytes) override {
    zpack::Append(content_, bytes);
    return {};
  }
  Status WriteAt(uint64_t offset, ByteView bytes) override {
    std::ranges::copy(bytes, content_.begin() + static_cast<ptrdiff_t>(offset));
    return {};
  }
  Status Sync() override { return {}; }
  Status Truncate(uint64_t size) override {
    content_.resize(size);
    return {};
  }
  uint64_t size() const override { return content_.size(); }
  const std::string& path() const override { return path_; }
  Bytes& content() { return content_; }

 private:
  Bytes content_;
  std::string path_ = "memory.zpack";
};

// A block of objects of 16 bytes, which far deltas of a block with `header` may
// be made against.
Bytes FarBases(const format::BlockHeader& header) {
  constexpr uint64_t kSize = 16;
  const uint32_t count = header.first_object.value();
  Bytes sizes;
  format::EncodeObjectSizes(std::vector<uint64_t>(count, kSize), sizes);
  const Bytes contents(count * kSize, 'x');
  Bytes payload;
  format::Encode(
      {format::BlockKind::kObjects, header.type, ObjectNumber(), count, 0},
      {{format::StreamKind::kSizes, format::StreamCodec::kStored, sizes.size(),
        sizes.size()},
       {format::StreamKind::kContents, format::StreamCodec::kStored,
        contents.size(), contents.size()}},
      payload);
  Append(payload, sizes);
  Append(payload, contents);
  return payload;
}

// A file in which `payload` is the last block, behind blocks that nobody
// decodes (or only as far bases), as its header wants it.
Bytes FileAround(const format::BlockHeader& header, ByteView payload) {
  Bytes ids;
  const uint32_t count = header.first_object.value() + header.object_count;
  for (uint32_t number = 0; number < count; ++number) {
    Bytes id(20, 0);
    id[0] = static_cast<uint8_t>(number);
    Append(ids, id);
  }
  format::FileNumbers numbers{
      *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids), {}, {}};
  for (uint32_t i = 0; i < count; ++i) {
    numbers.order.push_back(FileRank(i));
    numbers.numbers.push_back(ObjectNumber(i));
  }
  RefsSnapshot refs;
  refs.head_symref = "refs/heads/main";

  MemoryOutput file;
  const std::vector<std::string>& features = format::BlockFeatures();
  ContainerWriter writer(file, ObjectFormat::kSha1, {0, count}, features);
  const auto add = [&](ObjectNumber first_object, ByteView block) {
    Bytes chunk;
    format::EncodeChunk(format::kBlockChunk, 0, block, chunk);
    Require(writer.AddBlock({first_object, chunk, {}}).has_value());
  };
  Bytes refs_payload;
  format::Encode(refs, refs_payload);
  Require(
      writer.Start(EncodePreamble(features, {}, refs_payload), 0).has_value());
  if (header.first_object != ObjectNumber()) {
    add({}, header.kind == format::BlockKind::kFarDeltas ? FarBases(header)
                                                         : Bytes());
  }
  if (header.segment_offset != 0) add(header.first_object, {});
  add(header.first_object, payload);
  Require(writer.AddTables(numbers).has_value());
  Require(writer.Finish(numbers.ids).has_value());
  return std::move(file.content());
}

// A continued stream as the first and as the second piece of a frame.
void UsePiece(const format::BlockView& block) {
  const format::BlockView::Stream* const stream = block.FindContinued();
  if (stream == nullptr) return;
  static ZstdDecompressor decompressor;
  const uint64_t size = stream->header.raw_size;
  Bytes raw(size);
  decompressor.BeginPieces();
  const bool first =
      decompressor.DecompressPiece(stream->stored, raw).has_value();
  if (first) (void)decompressor.DecompressPiece(stream->stored, raw);
  decompressor.BeginPieces();
  Require(decompressor.SkipPiece(stream->stored, size).has_value() == first);
}

void UseObjects(const DecodedBlock& block) {
  Bytes buffer;
  const Status visited = block.ForEachObject(
      16 * kMaxBlockSize, [&](size_t index, ByteView content) -> Status {
        Require(content.size() == block.objects.sizes[index]);
        const auto object = block.Object(index, buffer);
        Require(object && std::ranges::equal(*object, content));
        return {};
      });
  (void)visited;
}

void UseInFile(const format::BlockHeader& header, ByteView payload) {
  if (header.first_object.value() > kMaxObjects ||
      header.object_count > kMaxObjects) {
    return;
  }
  ReadOptions options;
  options.max_block_size = kMaxBlockSize;
  const auto archive = ArchiveFile::Open(
      std::make_unique<zpack::testing::MemoryFile>(FileAround(header, payload)),
      options);
  Require(archive.has_value());
  const size_t last = (*archive)->blocks().block_count() - 1;
  static BlockDecoder decoder;
  const auto objects = decoder.DecodeObjects((*archive)->blocks(), last);
  const auto block = decoder.Decode((*archive)->blocks(), last);
  if (!block) return;
  Require(objects.has_value() && objects->sizes == block->objects.sizes);
  if (header.kind != format::BlockKind::kSegment) UseObjects(*block);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMaxRawSize = 1 << 20;
  const ByteView payload(data, size);
  const auto block = format::DecodeBlock(payload, kMaxRawSize);
  if (!block) return 0;
  static BlockDecoder decoder;
  for (const auto& stream : block->streams) {
    (void)decoder.Unpack(*block, stream.header.kind);
  }
  UsePiece(*block);
  UseInFile(block->header, payload);
  return 0;
}
