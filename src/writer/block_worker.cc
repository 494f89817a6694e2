// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/block_worker.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/error.h"
#include "format/object_sizes.h"
#include "inventory/listed_objects.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

// Number of objects that are prefetched together.
constexpr uint32_t kReadsAhead = 16;

}  // namespace

BlockWorker::BlockWorker(const EncodingInput& input,
                         const format::FileNumbers& numbers,
                         const EncodingOptions& options,
                         const ProgressPhase& phase, std::stop_token stop)
    : input_(input),
      phase_(phase),
      stop_(std::move(stop)),
      encoder_(options, stop_),
      stretches_(numbers, options, encoder_,
                 [this](const FarVersion& far) { return ReadFar(far); }) {}

Status BlockWorker::Encode(const PlannedStretch& plan, Bytes& segment,
                           const BlockDestination& to) {
  if (plan.kind == format::BlockKind::kSegment) {
    return EncodeSegment(plan, segment, *to.blocks);
  }
  if (plan.kind == format::BlockKind::kObjects) {
    return EncodeObjects(plan, *to.blocks);
  }
  return stretches_.With(plan.kind, plan.type, [&](auto& stretch) {
    return EncodeStretch(plan, stretch, to);
  });
}

Status BlockWorker::EncodeSegment(const PlannedStretch& plan, Bytes& segment,
                                  EncodedBlocks& out) {
  const uint64_t size = input_.list.sizes[input_.order[plan.first]];
  ZPACK_TRY(EncodeBlock(plan, {size}, segment, out));
  // Release the memory, because finished blocks may wait for an earlier one.
  segment = Bytes();
  phase_.Advance(plan.segment_offset == 0 ? 1 : 0, plan.raw_size);
  return {};
}

Status BlockWorker::EncodeObjects(const PlannedStretch& plan,
                                  EncodedBlocks& out) {
  std::vector<uint64_t> sizes;
  sizes.reserve(plan.count);
  Bytes contents;
  contents.reserve(plan.raw_size);
  Bytes object;
  for (uint32_t i = 0; i < plan.count; ++i) {
    ZPACK_TRY(Read(plan, i, object));
    sizes.push_back(object.size());
    Append(contents, object);
  }
  ZPACK_TRY(EncodeBlock(plan, sizes, contents, out));
  phase_.Advance(plan.count, plan.raw_size);
  return {};
}

template <typename StretchEncoder>
Status BlockWorker::EncodeStretch(const PlannedStretch& plan,
                                  StretchEncoder& stretch,
                                  const BlockDestination& to) {
  stretch.Begin(input_.Number(plan.first), to);
  for (uint32_t i = 0; i < plan.count; ++i) {
    Bytes object;
    ZPACK_TRY(ReadNext(plan, i, object));
    const size_t size = object.size();
    const ListRank rank = input_.order[plan.first + i];
    ZPACK_TRY(stretch.Add(std::move(object), input_.list.paths[rank]));
    phase_.Advance(1, size);
  }
  return stretch.Finish();
}

Status BlockWorker::EncodeStretch(const PlannedStretch& plan,
                                  DeltaStretchEncoder& stretch,
                                  const BlockDestination& to) {
  stretch.Begin(input_.Number(plan.first), to);
  LookAhead ahead = stretch.NewLookAhead(to.helpers);
  uint32_t read = 0;
  for (uint32_t i = 0; i < plan.count; ++i) {
    while (
        read < plan.count &&
        (ahead.empty() ||
         ahead.HasRoom(input_.list.sizes[input_.order[plan.first + read]]))) {
      Bytes object;
      ZPACK_TRY(ReadNext(plan, read, object));
      const ListRank rank = input_.order[plan.first + read++];
      ahead.Push(std::make_shared<const Bytes>(std::move(object)),
                 input_.list.paths[rank]);
    }
    const LookAhead::Object object = ahead.Pop();
    const auto far = input_.far.find(input_.order[plan.first + i]);
    ZPACK_TRY(
        stretch.Add(object, far == input_.far.end() ? nullptr : &far->second));
    phase_.Advance(1, object.content->size());
  }
  return stretch.Finish();
}

Status BlockWorker::ReadNext(const PlannedStretch& plan, uint32_t index,
                             Bytes& object) {
  ZPACK_TRY(CheckStop(stop_));
  if (index % kReadsAhead == 0) Prefetch(plan, index + kReadsAhead);
  return Read(plan, index, object);
}

void BlockWorker::Prefetch(const PlannedStretch& plan, uint32_t begin) {
  const IndexRange positions(
      plan.first + std::min(begin, plan.count),
      plan.first + std::min(begin + kReadsAhead, plan.count));
  for (const WritePosition i : positions) {
    input_.list.Prefetch(input_.order[i]);
  }
  ids_.clear();
  for (const WritePosition i : positions) {
    ids_.push_back(input_.list.ids[input_.order[i]]);
  }
  input_.source.PrefetchReads(ids_);
}

Status BlockWorker::Read(const PlannedStretch& plan, uint32_t index,
                         Bytes& object) {
  return ReadListed(input_.source, input_.list,
                    input_.order[plan.first + index], object);
}

Result<std::optional<Bytes>> BlockWorker::ReadFar(const FarVersion& far) const {
  Bytes content;
  const auto type = input_.source.Read(far.id, content);
  if (!type && (type.error().code == ErrorCode::kIo ||
                type.error().code == ErrorCode::kOutOfMemory)) {
    return std::unexpected(type.error());
  }
  // The older archive has the object, so damage of the source does not matter.
  if (!type || *type != far.type || content.size() != far.base.size ||
      ObjectHasher(input_.list.ids.format()).Hash(*type, content) != far.id) {
    return std::nullopt;
  }
  return content;
}

Status BlockWorker::EncodeBlock(const PlannedStretch& plan,
                                const std::vector<uint64_t>& sizes,
                                ByteView contents, EncodedBlocks& out) {
  const ObjectNumber first = input_.Number(plan.first);
  const format::BlockHeader header{plan.kind, plan.type, first, plan.count,
                                   plan.segment_offset};
  Bytes encoded_sizes;
  format::EncodeObjectSizes(sizes, encoded_sizes);
  const std::array<format::RawStream, 2> streams = {
      {{format::StreamKind::kSizes, encoded_sizes},
       {format::StreamKind::kContents, contents}}};
  EncodedBlock block;
  block.first_object = first;
  ZPACK_TRY(encoder_.Encode(header, streams, block.chunk));
  const uint64_t size = contents.size();
  block.expansion = {size, encoder_.decoded_size(), size};
  out.push_back(std::move(block));
  return {};
}

}  // namespace zpack
