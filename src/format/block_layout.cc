// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block_layout.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace zpack::format {

namespace {

// Parses the bases in blocks before the object `first`. A block of `count`
// objects has no more of them.
Result<std::vector<FarBase>> ParseFarBases(ByteView bytes,
                                           const ObjectRange& objects,
                                           const BlockLimits& limits) {
  std::vector<FarBase> far;
  ByteReader in(bytes);
  while (!in.exhausted()) {
    const uint64_t distance = in.Varint();
    const uint64_t size = in.Varint();
    if (!in.ok() || distance == 0 || distance > objects.first.value() ||
        far.size() == objects.count) {
      return MakeError(ErrorCode::kCorrupt, "bad bases in earlier blocks");
    }
    if (size > limits.object_size) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "base of {} bytes is above the limit of {}", size,
                       limits.object_size);
    }
    far.push_back(
        {ObjectNumber(objects.first.value() - static_cast<uint32_t>(distance)),
         size});
  }
  return far;
}

// The base of the object `index`, which follows those of `layout` so far.
struct ParsedBase {
  uint32_t index = 0;  // as in BlockLayout
  uint64_t size = 0;
  uint64_t chain = 0;  // bytes of the base and of its bases
};

// Returns nothing if there is no such base. Without a base, all is 0 but the
// index.
std::optional<ParsedBase> FindBase(const BlockLayout& layout,
                                   const std::vector<uint64_t>& chains,
                                   uint32_t count, uint64_t distance) {
  const auto index = static_cast<uint32_t>(layout.sizes.size());
  if (distance == 0) return ParsedBase{.index = index};
  if (distance <= index) {
    const uint32_t base = index - static_cast<uint32_t>(distance);
    return ParsedBase{base, layout.sizes[base], chains[base]};
  }
  const uint64_t far = distance - index - 1;
  if (far >= layout.far.size()) return std::nullopt;
  const uint64_t size = layout.far[far].size;
  return ParsedBase{count + static_cast<uint32_t>(far), size, size};
}

}  // namespace

Result<BlockLayout> ParseBlockLayout(const LayoutStreams& streams,
                                     const ObjectRange& objects,
                                     const BlockLimits& limits) {
  const uint32_t count = objects.count;
  ByteReader size_reader(streams.sizes);
  ByteReader base_reader(streams.bases);
  size_reader.Count(count, 1);
  base_reader.Count(count, 1);
  if (!size_reader.ok())
    return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
  if (!base_reader.ok())
    return MakeError(ErrorCode::kCorrupt, "bad bases in block");
  BlockLayout layout;
  ZPACK_ASSIGN_OR_RETURN(layout.far,
                         ParseFarBases(streams.far_bases, objects, limits));
  std::vector<uint64_t> chains;  // content of each object and its bases
  chains.reserve(count);
  layout.sizes.reserve(count);
  layout.bases.reserve(count);
  while (layout.sizes.size() < count) {
    const uint64_t distance = base_reader.Varint();
    const auto base = FindBase(layout, chains, count, distance);
    if (!base_reader.ok() || !base)
      return MakeError(ErrorCode::kCorrupt, "bad bases in block");
    uint64_t size = size_reader.Varint();
    if (!size_reader.ok())
      return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
    if (distance != 0) {
      // Unsigned arithmetic wraps, so an invalid size becomes too large.
      size = base->size + static_cast<uint64_t>(UnZigZag(size));
      if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
      }
    }
    if (size > limits.object_size) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "object of {} bytes is above the limit of {}", size,
                       limits.object_size);
    }
    chains.push_back(size + base->chain);
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
    layout.bases.push_back(base->index);
  }
  if (!size_reader.exhausted())
    return MakeError(ErrorCode::kCorrupt, "bad object sizes in block");
  if (!base_reader.exhausted())
    return MakeError(ErrorCode::kCorrupt, "bad bases in block");
  return layout;
}

BlockLayout::Chain BlockLayout::ChainOf(uint32_t index) const {
  Chain chain{{index}, nullptr};
  while (const auto at = base(chain.objects.back())) {
    if (IsFar(*at)) {
      chain.far = &FarAt(*at);
      break;
    }
    chain.objects.push_back(*at);
  }
  return chain;
}

std::vector<uint32_t> BlockLayout::LastUses() const {
  std::vector<uint32_t> last(index_end());
  std::iota(last.begin(), last.end(), 0);
  for (uint32_t index = 0; index < bases.size(); ++index) {
    if (const auto at = base(index)) last[*at] = index;
  }
  return last;
}

void BlockLayoutBuilder::Add(uint64_t size, std::optional<uint32_t> base,
                             BlockStreams& streams) {
  uint64_t chain = size;
  if (base) {
    streams.Difference(StreamKind::kSizes, size, objects_[*base].size);
    streams.Number(StreamKind::kBases, count() - *base);
    chain += objects_[*base].chain;
  } else {
    streams.Number(StreamKind::kSizes, size);
    streams.Number(StreamKind::kBases, 0);
  }
  Count(size, chain);
}

void BlockLayoutBuilder::Add(uint64_t size, const FarBase& base,
                             ObjectNumber first, BlockStreams& streams) {
  const size_t known = far_.size();
  const auto position = static_cast<size_t>(
      std::distance(far_.begin(), std::ranges::find(far_, base)));
  streams.Difference(StreamKind::kSizes, size, base.size);
  streams.Number(StreamKind::kBases, count() + position + 1);
  if (position == known) {
    far_.push_back(base);
    streams.Number(StreamKind::kFarBases, first - base.number);
    streams.Number(StreamKind::kFarBases, base.size);
  }
  Count(size, size + base.size);
  undo_far_ = known;
}

void BlockLayoutBuilder::Count(uint64_t size, uint64_t chain) {
  undo_smallest_ = smallest_;
  undo_far_ = far_.size();
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
  far_.resize(undo_far_);
}

void BlockLayoutBuilder::Clear() {
  objects_.clear();
  far_.clear();
  smallest_ = UINT64_MAX;
  content_ = 0;
  chains_ = 0;
}

}  // namespace zpack::format
