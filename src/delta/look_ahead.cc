// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/look_ahead.h"

#include <algorithm>
#include <utility>

#include "zpack/result.h"

namespace zpack {
namespace {

constexpr size_t kMostObjects = 256;  // that wait
// A batch has at least this much, so that lending it costs little.
constexpr uint64_t kBatchBytes = uint64_t{64} << 10;
constexpr size_t kBatchObjects = 16;

}  // namespace

bool LookAhead::HasRoom(uint64_t size) const {
  return helpers_ != nullptr && queue_.size() < kMostObjects &&
         size <= kMostBytes && bytes_ <= kMostBytes - size &&
         (FirstUnlent() < queue_.size() || helpers_->IsWanted());
}

size_t LookAhead::FirstUnlent() const {
  size_t first = queue_.size();
  while (first > 1 && !queue_[first - 1].batch) --first;
  return std::max<size_t>(first, 1);
}

void LookAhead::Push(SharedContent content, PathNumber path) {
  bytes_ += content->size();
  queue_.push_back({std::move(content), path, nullptr, 0});
  const size_t first = FirstUnlent();
  uint64_t bytes = 0;
  for (size_t i = first; i < queue_.size(); ++i) {
    bytes += queue_[i].content->size();
  }
  if (bytes >= kBatchBytes || queue_.size() - first >= kBatchObjects) {
    Lend(first);
  }
}

std::vector<SharedContent> LookAhead::Candidates(size_t index) const {
  const PathNumber path = queue_[index].path;
  const unsigned most = planner_.options().same_path;
  std::vector<SharedContent> candidates;
  for (size_t i = index; i-- > 0 && candidates.size() < most;) {
    if (queue_[i].path == path) candidates.push_back(queue_[i].content);
  }
  for (SharedContent& content : planner_.SamePath(path)) {
    if (candidates.size() == most) break;
    candidates.push_back(std::move(content));
  }
  return candidates;
}

void LookAhead::Lend(size_t first) {
  const auto batch = std::make_shared<Batch>();
  batch->objects = std::make_shared<std::vector<PreparedDeltas>>();
  for (size_t i = first; i < queue_.size(); ++i) {
    queue_[i].batch = batch;
    queue_[i].index = batch->objects->size();
    batch->objects->emplace_back(queue_[i].content, Candidates(i));
  }
  batch->loan = helpers_->Lend(
      [options = planner_.options(), objects = batch->objects]() -> Status {
        DeltaEncoder encoder(options.costs);
        for (PreparedDeltas& object : *objects) {
          object.Prepare(options, encoder);
        }
        return {};
      });
}

LookAhead::Object LookAhead::Pop() {
  const Waiting object = std::move(queue_.front());
  queue_.pop_front();
  bytes_ -= object.content->size();
  last_ = object.batch;
  if (!last_) return {object.content, object.path, nullptr};
  if (!last_->is_taken_back) {
    last_->is_taken_back = true;
    if (!helpers_->TakeBack(last_->loan)) last_->objects.reset();
  }
  return {object.content, object.path,
          last_->objects ? &(*last_->objects)[object.index] : nullptr};
}

}  // namespace zpack
