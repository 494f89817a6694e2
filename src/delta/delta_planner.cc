// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/delta_planner.h"

#include <algorithm>
#include <utility>

namespace zpack {
namespace {

// A delta that costs less than so many literals is good enough: no further
// candidate of the path is tried, or no similar one.
constexpr uint64_t kGoodForPath = 200;
constexpr uint64_t kGoodForAll = 600;

}  // namespace

DeltaPlanner::DeltaPlanner(const DeltaPlannerOptions& options)
    : options_(options), encoder_(options.costs) {}

void DeltaPlanner::Try(ByteView content, uint32_t number) {
  if (!IsKept(number) || std::ranges::find(tried_, number) != tried_.end())
    return;
  const Candidate& base = Kept(number);
  if (base.chain_bytes + content.size() >
      options_.chain_size + options_.chain_factor * content.size()) {
    return;
  }
  tried_.push_back(number);
  if (!encoder_.Encode(base.content, content, cost_, attempt_)) return;
  std::swap(plan_.delta, attempt_);
  plan_.base = number;
  plan_.base_size = base.content.size();
  cost_ = plan_.delta.cost;
}

void DeltaPlanner::TrySamePath(ByteView content, uint32_t path) {
  const auto same = by_path_.find(path);
  if (same == by_path_.end()) return;
  const std::deque<uint32_t>& numbers = same->second;
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
    if (cost_ < kGoodForPath * options_.costs.literal) return;
    Try(content, *at);
  }
}

void DeltaPlanner::TrySimilar(ByteView content) {
  if (options_.similar == 0 || cost_ < kGoodForAll * options_.costs.literal) {
    return;
  }
  sketch_ = MakeSketch(content);
  const size_t before = tried_.size();
  for (const auto& similar : by_content_.Find(sketch_)) {
    if (tried_.size() - before == options_.similar) return;
    Try(content, similar.number);
  }
}

const PlannedDelta& DeltaPlanner::Plan(ByteView content, uint32_t path) {
  plan_.base.reset();
  plan_.base_size = 0;
  plan_.delta.copies.clear();
  tried_.clear();
  sketch_.valid = false;
  // What it takes to store the object whole.
  cost_ = uint64_t{content.size()} * options_.costs.literal;
  TrySamePath(content, path);
  TrySimilar(content);
  if (!plan_.base) plan_.delta.copies.clear();
  return plan_;
}

void DeltaPlanner::Add(Bytes content, uint32_t path) {
  const auto number = first_kept_ + static_cast<uint32_t>(kept_.size());
  const uint64_t size = content.size();
  const uint64_t before = plan_.base ? Kept(*plan_.base).chain_bytes : 0;
  kept_.push_back({std::move(content), before + size});
  kept_bytes_ += size;
  std::deque<uint32_t>& same = by_path_[path];
  same.push_back(number);
  if (same.size() > options_.same_path) same.pop_front();
  if (sketch_.valid) by_content_.Add(sketch_, number);
  while (kept_bytes_ > options_.window_size && kept_.size() > 1) {
    kept_bytes_ -= kept_.front().content.size();
    kept_.pop_front();
    ++first_kept_;
  }
}

void DeltaPlanner::Clear() {
  kept_.clear();
  first_kept_ = 0;
  kept_bytes_ = 0;
  by_path_.clear();
  by_content_.Clear();
}

}  // namespace zpack
