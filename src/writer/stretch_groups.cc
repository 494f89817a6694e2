// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_groups.h"

#include <utility>

#include "base/error.h"
#include "format/block_form.h"
#include "format/limits.h"

namespace zpack {

StretchGroups::StretchGroups(size_t sections, uint64_t raw_size,
                             uint64_t most_unplaced, uint64_t most_waiting)
    : raw_size_(raw_size),
      most_unplaced_(most_unplaced),
      most_waiting_(most_waiting),
      sections_(sections) {}
StretchGroups::~StretchGroups() = default;

void StretchGroups::Fail(const Status& error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (outcome_) outcome_ = error;
  turn_.notify_all();
}

Result<StretchGroups::Placed> StretchGroups::Take(size_t section,
                                                  UncompressedBlock block,
                                                  const BlockEncoder& encoder) {
  std::unique_lock<std::mutex> lock(mutex_);
  unplaced_ += block.continued.size();
  sections_[section].blocks.push_back(std::move(block));
  // The first section never waits, so the others do not wait for ever.
  turn_.wait(lock, [&] {
    return !outcome_ || section == first_ || unplaced_ <= most_unplaced_;
  });
  ZPACK_TRY(Status(outcome_));
  return PlaceBlocks(encoder);
}

StretchGroups::Placed StretchGroups::End(size_t section,
                                         const BlockEncoder& encoder) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sections_[section].has_ended = true;
  return PlaceBlocks(encoder);
}

StretchGroups::Placed StretchGroups::PlaceBlocks(const BlockEncoder& encoder) {
  Placed placed;
  for (; first_ < sections_.size(); ++first_) {
    Section& section = sections_[first_];
    for (; !section.blocks.empty(); section.blocks.pop_front()) {
      unplaced_ -= section.blocks.front().continued.size();
      Place(std::move(section.blocks.front()), encoder, placed);
    }
    if (!section.has_ended) break;
  }
  if (first_ == sections_.size()) CloseGroup();
  turn_.notify_all();
  return placed;
}

void StretchGroups::Place(UncompressedBlock block, const BlockEncoder& encoder,
                          Placed& placed) {
  const size_t size = block.continued.size();
  if (block.block == nullptr || next_.blocks == format::kMaxGroupBlocks ||
      next_.raw_size + size > format::kMaxGroupSize) {
    CloseGroup();
  }
  if (block.block == nullptr) return;
  if (!is_open_) {
    std::erase_if(
        groups_, [](const auto& group) { return group->waiting_bytes() == 0; });
    groups_.push_back(
        std::make_shared<BlockGroup>(encoder.NewCompressor(), raw_size_));
    is_open_ = true;
    next_ = {};
  }
  block.partial.header.group = next_;
  ++next_.blocks;
  next_.raw_size += static_cast<uint32_t>(size);
  const std::shared_ptr<BlockGroup>& group = groups_.back();
  Groups& uncompressed = placed.uncompressed;
  placed.any = true;
  if (!group->Add(std::move(block)) &&
      (uncompressed.empty() || uncompressed.back() != group)) {
    uncompressed.push_back(group);
  }
}

void StretchGroups::CloseGroup() {
  if (is_open_) groups_.back()->Close();
  is_open_ = false;
}

StretchGroups::Groups StretchGroups::WaitingGroups() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return groups_;
}

Result<bool> GroupedSection::Encode(const format::BlockHeader& header,
                                    const format::BlockStreams& streams,
                                    EncodedBlock& block) {
  const format::StreamKind continued =
      *format::FindBlockForm(header.kind)->continued;
  const Bytes& raw = streams[continued];
  ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                         encoder_.IsIncompressible(raw));
  const bool in_group = !incompressible && raw.size() <= format::kMaxGroupSize;
  UncompressedBlock taken;
  if (in_group) {
    ZPACK_ASSIGN_OR_RETURN(
        taken.partial,
        encoder_.EncodeWithout(continued, header, streams.Views()));
    taken.continued = raw;
    taken.block = &block;
  }
  ZPACK_ASSIGN_OR_RETURN(const StretchGroups::Placed placed,
                         groups_.Take(number_, std::move(taken), encoder_));
  ZPACK_TRY(Compress(placed));
  return in_group;
}

Status GroupedSection::End() {
  return Compress(groups_.End(number_, encoder_));
}

Status GroupedSection::Compress(const StretchGroups::Placed& placed) {
  for (const auto& group : placed.uncompressed) {
    if (helpers_ == nullptr || !helpers_->IsWanted()) {
      ZPACK_TRY(group->Compress());
      continue;
    }
    group->SetLeft(true);
    try {
      helpers_->Leave(
          [group](BlockEncoder&, BlockHelpers&) { return group->Compress(); });
    } catch (...) {
      group->SetLeft(false);
      throw;
    }
  }
  // Who waits for another section goes on with its own.
  return placed.any ? LimitWaiting() : Status{};
}

Status GroupedSection::LimitWaiting() {
  const StretchGroups::Groups groups = groups_.WaitingGroups();
  const auto waiting = [&] {
    uint64_t bytes = 0;
    for (const auto& group : groups) bytes += group->waiting_bytes();
    return bytes;
  };
  while (waiting() > groups_.most_waiting_) {
    // Later groups may wait for a helper, and earlier ones for a busy one.
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
      ZPACK_TRY((*group)->Compress());
    }
    // What still waits is compressed by others.
    for (const auto& group : groups) {
      if (group->WaitForProgress()) break;
    }
  }
  return {};
}

}  // namespace zpack
