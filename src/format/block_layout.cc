// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block_layout.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace zpack::format {

Result<BlockLayout> ParseBlockLayout(ByteView sizes, ByteView bases,
                                     uint32_t count,
                                     const BlockLimits& limits) {
  ByteReader size_reader(sizes);
  ByteReader base_reader(bases);
  size_reader.Count(count, 1);
  base_reader.Count(count, 1);
  if (!size_reader.ok())
    return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
  if (!base_reader.ok())
    return MakeError(ErrorCode::kCorrupt, "bad bases in block");
  BlockLayout layout;
  std::vector<uint64_t> chains;  // content of each object and its bases
  chains.reserve(count);
  layout.sizes.reserve(count);
  layout.bases.reserve(count);
  for (uint32_t index = 0; index < count; ++index) {
    const uint64_t distance = base_reader.Varint();
    if (!base_reader.ok() || distance > index)
      return MakeError(ErrorCode::kCorrupt, "bad bases in block");
    const uint32_t base = index - static_cast<uint32_t>(distance);
    uint64_t size = size_reader.Varint();
    if (!size_reader.ok())
      return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
    if (distance != 0) {
      // Unsigned arithmetic wraps, so an invalid size becomes too large.
      size = layout.sizes[base] + static_cast<uint64_t>(UnZigZag(size));
      if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
      }
    }
    if (size > limits.object_size) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "object of {} bytes is above the limit of {}", size,
                       limits.object_size);
    }
    chains.push_back(size + (distance != 0 ? chains[base] : 0));
    layout.content += size;
    layout.chains += chains.back();
    if (chains.back() > limits.Chain(size) || layout.content > limits.content ||
        layout.chains > limits.chains) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "a block represents more than {} bytes of content, or "
                       "an object of {} bytes with bases of {}",
                       limits.content, size, chains.back() - size);
    }
    layout.sizes.push_back(size);
    layout.bases.push_back(base);
  }
  if (!size_reader.exhausted())
    return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
  if (!base_reader.exhausted())
    return MakeError(ErrorCode::kCorrupt, "bad bases in block");
  return layout;
}

std::vector<uint32_t> BlockLayout::LastUses() const {
  std::vector<uint32_t> last(bases.size());
  for (uint32_t index = 0; index < bases.size(); ++index) {
    last[index] = index;
    if (const auto at = base(index)) last[*at] = index;
  }
  return last;
}

void BlockLayoutBuilder::Add(uint64_t size, std::optional<uint32_t> base,
                             BlockStreams& streams) {
  undo_smallest_ = smallest_;
  uint64_t chain = size;
  if (base) {
    streams.Difference(StreamKind::kSizes, size, objects_[*base].size);
    streams.Number(StreamKind::kBases, count() - *base);
    chain += objects_[*base].chain;
  } else {
    streams.Number(StreamKind::kSizes, size);
    streams.Number(StreamKind::kBases, 0);
  }
  objects_.push_back({size, chain});
  smallest_ = std::min(smallest_, size);
  content_ += size;
  chains_ += chain;
}

void BlockLayoutBuilder::Undo() {
  smallest_ = undo_smallest_;
  content_ -= objects_.back().size;
  chains_ -= objects_.back().chain;
  objects_.pop_back();
}

void BlockLayoutBuilder::Clear() {
  objects_.clear();
  smallest_ = UINT64_MAX;
  content_ = 0;
  chains_ = 0;
}

}  // namespace zpack::format
