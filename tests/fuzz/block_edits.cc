// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/block_edits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace zpack::testing {
namespace {

// What compresses to a few bytes may be this large.
constexpr size_t kMaxRun = size_t{1} << 20;
// Worth compressing.
constexpr size_t kMinCompressed = 256;

}  // namespace

BlockPart* BlockEdits::AnyBlock(FileParts& parts) {
  std::vector<BlockPart*> blocks;
  for (ChunkPart& chunk : parts.chunks) {
    if (chunk.block) blocks.push_back(&*chunk.block);
  }
  return blocks.empty() ? nullptr : choices_.Any(blocks);
}

StreamPart* BlockEdits::AnyStream(FileParts& parts) {
  BlockPart* const block = AnyBlock(parts);
  if (block == nullptr || block->streams.empty()) return nullptr;
  return &choices_.Any(block->streams);
}

void BlockEdits::EditBlockHeader() {
  BlockPart* const block = AnyBlock(parts_);
  if (block == nullptr) return;
  format::BlockHeader& header = block->header;
  switch (choices_.Below(8)) {
    case 0:
      header.kind = format::BlockKind(choices_.Below(7));
      return;
    case 1:
      header.type = ObjectType(choices_.Below(6));
      return;
    case 2: {
      uint32_t first = header.first_object.value();
      choices_.Edit(first);
      header.first_object = ObjectNumber(first);
      return;
    }
    case 3:
      return choices_.Edit(header.segment_offset);
    case 4:
      return choices_.Edit(header.group.blocks);
    case 5:
      return choices_.Edit(header.group.raw_size);
    default:
      return choices_.Edit(header.object_count);
  }
}

void BlockEdits::EditDirectory() {
  BlockPart* const block = AnyBlock(parts_);
  if (block == nullptr || block->streams.empty()) return;
  auto& streams = block->streams;
  StreamPart& stream = choices_.Any(streams);
  switch (choices_.Below(8)) {
    case 0:
      return std::swap(stream, choices_.Any(streams));
    case 1:
      return choices_.Insert(streams, stream);
    case 2:
      return choices_.Erase(streams);
    case 3:
      return choices_.Edit(stream.kind);
    case 4:
      // One more than there are.
      stream.codec =
          static_cast<uint8_t>(choices_.Below(format::kStreamCodecEnd + 1));
      return;
    case 5:
      return choices_.Edit(stream.reserved);
    case 6:
      return choices_.Edit(stream.raw_size_error);
    default:
      return choices_.Edit(stream.stored_size_error);
  }
}

void BlockEdits::InsertBlock(const FileParts& from) {
  std::vector<const ChunkPart*> blocks;
  for (const ChunkPart& chunk : from.chunks) {
    if (chunk.block) blocks.push_back(&chunk);
  }
  if (blocks.empty() || parts_.chunks.empty()) return;
  const size_t count = choices_.OneIn(8) ? choices_.Below(200) : 1;
  // After the refs, and before the tables, or where a block is.
  size_t at = 1;
  while (at < parts_.chunks.size() && parts_.chunks[at].block &&
         !choices_.OneIn(parts_.chunks.size())) {
    ++at;
  }
  const ChunkPart& block = *choices_.Any(blocks);
  parts_.chunks.insert(parts_.chunks.begin() + static_cast<ptrdiff_t>(std::min(
                                                   at, parts_.chunks.size())),
                       count, block);
}

void BlockEdits::ReplaceStream(FileParts other) {
  StreamPart* const to = AnyStream(parts_);
  StreamPart* const from = AnyStream(other);
  if (to == nullptr || from == nullptr) return;
  const uint8_t kind = to->kind;
  *to = *from;
  if (!choices_.OneIn(4)) to->kind = kind;
}

void BlockEdits::EditStream() {
  StreamPart* const stream = AnyStream(parts_);
  if (stream == nullptr || stream->raw_is == StreamPart::Is::kUnknown) return;
  stream->raw_is = StreamPart::Is::kEdited;
  if (stream->raw.size() > kMinCompressed) stream->codec = 1;
  switch (choices_.Below(4)) {
    case 0:
      return edit_bytes_(stream->raw);
    case 1:
      return RepeatBytes(*stream);
    default:
      return EditVarints(stream->raw);
  }
}

void BlockEdits::RepeatBytes(StreamPart& stream) {
  Bytes& raw = stream.raw;
  const size_t begin = choices_.Below(raw.size() + 1);
  const size_t size =
      std::min<size_t>(raw.size() - begin, 1 + choices_.Below(16));
  Bytes part(raw.begin() + static_cast<ptrdiff_t>(begin),
             raw.begin() + static_cast<ptrdiff_t>(begin + size));
  if (part.empty()) part.push_back(static_cast<uint8_t>(choices_.Below(4)));
  const size_t most = choices_.OneIn(4) ? kMaxRun / part.size() : 300;
  Bytes run;
  for (size_t left = choices_.Below(most); left != 0; --left) {
    Append(run, part);
  }
  raw.insert(raw.begin() + static_cast<ptrdiff_t>(begin), run.begin(),
             run.end());
  if (raw.size() > kMinCompressed) stream.codec = 1;
}

void BlockEdits::EditVarints(Bytes& raw) {
  std::vector<uint64_t> numbers;
  ByteReader in(raw);
  while (in.ok() && in.remaining() != 0) numbers.push_back(in.Varint());
  if (!in.ok() || numbers.empty()) return edit_bytes_(raw);
  const size_t edits = 1 + (choices_.OneIn(4) ? choices_.Below(8) : 0);
  for (size_t i = 0; i < edits && !numbers.empty(); ++i) {
    const auto at = numbers.begin() +
                    static_cast<ptrdiff_t>(choices_.Below(numbers.size()));
    switch (choices_.Below(5)) {
      case 0:
        choices_.Insert(numbers, *at);
        break;
      case 1:
        numbers.erase(at);
        break;
      case 2:
        std::swap(*at, choices_.Any(numbers));
        break;
      default:
        choices_.Edit(*at);
    }
  }
  raw.clear();
  for (const uint64_t number : numbers) ByteWriter(raw).Varint(number);
}

}  // namespace zpack::testing
