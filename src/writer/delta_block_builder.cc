// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/delta_block_builder.h"

#include <algorithm>

namespace zpack {

using format::StreamKind;

void DeltaBlockBuilder::Add(ByteView content, const PlannedDelta& plan) {
  undo_smallest_ = smallest_object_;
  undo_content_ = content_size_;
  content_size_ += content.size();
  chains_.push_back(content.size() + (plan.base ? chains_[*plan.base] : 0));
  chains_size_ += chains_.back();
  streams_.Mark();
  const CandidateNumber number(object_count_++);
  smallest_object_ = std::min<uint64_t>(smallest_object_, content.size());
  ByteWriter sizes(streams_[StreamKind::kSizes]);
  ByteWriter bases(streams_[StreamKind::kBases]);
  Bytes& literals = streams_[StreamKind::kLiterals];
  if (!plan.base) {
    sizes.Varint(content.size());
    bases.Varint(0);
    Append(literals, content);
    return;
  }
  sizes.Varint(ZigZag(static_cast<int64_t>(content.size()) -
                      static_cast<int64_t>(plan.base_size)));
  bases.Varint(number - *plan.base);
  ByteWriter literal_lengths(streams_[StreamKind::kLiteralLengths]);
  ByteWriter copy_lengths(streams_[StreamKind::kCopyLengths]);
  ByteWriter copy_offsets(streams_[StreamKind::kCopyOffsets]);
  uint64_t done = 0;
  uint64_t expected = 0;
  for (const DeltaCopy& copy : plan.delta.copies) {
    literal_lengths.Varint(copy.literals);
    Append(literals, content.subspan(done, copy.literals));
    done += copy.literals + copy.length;
    if (done == content.size()) {
      // Most last copies end at the end of the base.
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
  streams_.Rewind();
  smallest_object_ = undo_smallest_;
  content_size_ = undo_content_;
  chains_size_ -= chains_.back();
  chains_.pop_back();
  --object_count_;
}

void DeltaBlockBuilder::Clear() {
  streams_.Clear();
  object_count_ = 0;
  smallest_object_ = UINT64_MAX;
  content_size_ = 0;
  chains_size_ = 0;
  chains_.clear();
}

uint64_t DeltaBlockBuilder::read_cost() const {
  const uint64_t size = raw_size();
  return size - std::min(size, smallest_object_);
}

}  // namespace zpack
