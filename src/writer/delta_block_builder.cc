// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/delta_block_builder.h"

#include <algorithm>

namespace zpack {

using format::StreamKind;

Bytes& DeltaBlockBuilder::Stream(StreamKind kind) {
  return streams_[static_cast<size_t>(std::ranges::find(kKinds, kind) -
                                      kKinds.begin())];
}

void DeltaBlockBuilder::Add(ByteView content, const PlannedDelta& plan) {
  undo_smallest_ = smallest_object_;
  undo_content_ = content_size_;
  content_size_ += content.size();
  for (size_t i = 0; i < streams_.size(); ++i) {
    undo_sizes_[i] = streams_[i].size();
  }
  const uint32_t number = object_count_++;
  smallest_object_ = std::min<uint64_t>(smallest_object_, content.size());
  ByteWriter sizes(Stream(StreamKind::kSizes));
  ByteWriter bases(Stream(StreamKind::kBases));
  Bytes& literals = Stream(StreamKind::kLiterals);
  if (!plan.base) {
    sizes.Varint(content.size());
    bases.Varint(0);
    Append(literals, content);
    return;
  }
  sizes.Varint(ZigZag(static_cast<int64_t>(content.size()) -
                      static_cast<int64_t>(plan.base_size)));
  bases.Varint(number - *plan.base);
  ByteWriter literal_lengths(Stream(StreamKind::kLiteralLengths));
  ByteWriter copy_lengths(Stream(StreamKind::kCopyLengths));
  ByteWriter copy_offsets(Stream(StreamKind::kCopyOffsets));
  uint64_t done = 0;
  uint64_t expected = 0;
  for (const DeltaCopy& copy : plan.delta.copies) {
    literal_lengths.Varint(copy.literals);
    Append(literals, content.subspan(done, copy.literals));
    done += copy.literals + copy.length;
    if (done == content.size()) {
      // Mostly it ends where the base ends.
      copy_lengths.Varint(0);
      expected = plan.base_size - copy.length;
    } else {
      copy_lengths.Varint(copy.length);
      expected += copy.literals;
    }
    copy_offsets.Varint(ZigZag(static_cast<int64_t>(copy.offset) -
                               static_cast<int64_t>(expected)));
    expected = copy.offset + copy.length;
  }
  if (done < content.size()) {
    literal_lengths.Varint(content.size() - done);
    Append(literals, content.subspan(done));
  }
}

void DeltaBlockBuilder::Undo() {
  for (size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].resize(undo_sizes_[i]);
  }
  smallest_object_ = undo_smallest_;
  content_size_ = undo_content_;
  --object_count_;
}

void DeltaBlockBuilder::Clear() {
  for (Bytes& stream : streams_) stream.clear();
  object_count_ = 0;
  smallest_object_ = UINT64_MAX;
  content_size_ = 0;
}

uint64_t DeltaBlockBuilder::raw_size() const {
  uint64_t size = 0;
  for (const Bytes& stream : streams_) size += stream.size();
  return size;
}

uint64_t DeltaBlockBuilder::read_cost() const {
  return raw_size() - std::min(raw_size(), smallest_object_);
}

std::vector<BlockEncoder::RawStream> DeltaBlockBuilder::Streams() const {
  std::vector<BlockEncoder::RawStream> streams;
  streams.reserve(streams_.size());
  for (size_t i = 0; i < streams_.size(); ++i) {
    streams.push_back({kKinds[i], streams_[i]});
  }
  return streams;
}

}  // namespace zpack
