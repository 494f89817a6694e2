// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/delta_planner.h"

#include <algorithm>
#include <utility>

namespace zpack {

DeltaPlanner::DeltaPlanner(const DeltaPlannerOptions& options)
    : options_(options), encoder_(options.costs) {}

bool DeltaPlanner::IsAllowed(const Candidate& base, uint64_t size) const {
  if (novelty_ == Novelty::kKnown && base.novelty == Novelty::kKnown) {
    return false;
  }
  return uint64_t{base.depth} + height_ < options_.max_depth &&
         base.chain_bytes + size <=
             options_.chain_size + options_.chain_factor * size;
}

void DeltaPlanner::TakeKnown(ByteView content, CandidateNumber number,
                             const Delta& delta) {
  if (!IsKept(number)) return;
  const Candidate& base = Kept(number);
  const uint64_t cost = options_.costs.Of(delta, content.size());
  if (!IsAllowed(base, content.size()) || cost >= Limit(base.depth)) return;
  if (options_.known_deltas == KnownDeltas::kIfGood &&
      cost >= options_.GoodForPath()) {
    return;
  }
  tried_.push_back(number);
  plan_.delta.copies = delta.copies;
  plan_.delta.cost = cost;
  plan_.base = number;
  plan_.base_size = base.content->size();
  cost_ = cost;
}

void DeltaPlanner::Try(ByteView content, CandidateNumber number) {
  if (!IsKept(number) || std::ranges::find(tried_, number) != tried_.end())
    return;
  const Candidate& base = Kept(number);
  if (!IsAllowed(base, content.size())) return;
  tried_.push_back(number);
  if (may_be_base_ != nullptr && !(*may_be_base_)(number)) return;
  if (!Encode(base, content)) return;
  std::swap(plan_.delta, attempt_);
  plan_.base = number;
  plan_.base_size = base.content->size();
  cost_ = plan_.delta.cost;
}

bool DeltaPlanner::Encode(const Candidate& base, ByteView content) {
  const uint64_t limit = Limit(base.depth);
  if (prepared_ != nullptr) {
    const PreparedDelta* const prepared = prepared_->Find(base.content, limit);
    if (prepared != nullptr) {
      if (!prepared->IsFoundWith(limit)) return false;
      attempt_ = prepared->delta;
      return true;
    }
  }
  return encoder_.Encode(*base.content, content, limit, attempt_);
}

uint64_t DeltaPlanner::Limit(uint32_t depth) const {
  if (options_.max_depth == DeltaPlannerOptions::kAnyDepth) return cost_;
  const uint32_t best = plan_.base ? Kept(*plan_.base).depth : 0;
  const double left = options_.max_depth - height_ - depth;
  const double left_of_best = options_.max_depth - height_ - best;
  const double worth = left / left_of_best;
  return static_cast<uint64_t>(static_cast<double>(cost_) * worth * worth);
}

void DeltaPlanner::TrySamePath(ByteView content, PathNumber path) {
  const auto same = by_path_.find(path);
  if (same == by_path_.end()) return;
  const std::deque<CandidateNumber>& numbers = same->second;
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
    if (cost_ < options_.GoodForPath()) return;
    Try(content, *at);
  }
}

void DeltaPlanner::TrySimilar(ByteView content) {
  if (options_.similar == 0 || cost_ < options_.GoodForAll()) return;
  sketch_ = prepared_ != nullptr && prepared_->sketch() ? *prepared_->sketch()
                                                        : MakeSketch(content);
  const size_t before = tried_.size();
  for (const auto& similar : by_content_.Find(sketch_)) {
    if (tried_.size() - before == options_.similar) return;
    Try(content, similar.number);
  }
}

const PlannedDelta& DeltaPlanner::Plan(ByteView content, PathNumber path,
                                       const PlanHints& hints) {
  height_ = hints.height;
  novelty_ = hints.novelty;
  may_be_base_ = hints.may_be_base;
  prepared_ = hints.prepared;
  plan_.base.reset();
  plan_.base_size = 0;
  plan_.delta.copies.clear();
  tried_.clear();
  sketch_.valid = false;
  // Cost of the whole object.
  cost_ = options_.Whole(content.size());
  if (hints.likely) {
    if (hints.likely_delta != nullptr) {
      TakeKnown(content, *hints.likely, *hints.likely_delta);
    }
    Try(content, *hints.likely);
  }
  TrySamePath(content, path);
  TrySimilar(content);
  if (!plan_.base) plan_.delta.copies.clear();
  return plan_;
}

std::vector<SharedContent> DeltaPlanner::SamePath(PathNumber path) const {
  std::vector<SharedContent> contents;
  const auto same = by_path_.find(path);
  if (same == by_path_.end()) return contents;
  for (auto at = same->second.rbegin(); at != same->second.rend(); ++at) {
    if (IsKept(*at)) contents.push_back(Kept(*at).content);
  }
  return contents;
}

void DeltaPlanner::Add(SharedContent content, PathNumber path,
                       Novelty novelty) {
  const uint64_t size = content->size();
  Candidate candidate{std::move(content), size, 0, novelty};
  if (plan_.base) {
    const Candidate& base = Kept(*plan_.base);
    candidate.chain_bytes += base.chain_bytes;
    candidate.depth = base.depth + 1;
  }
  Keep(std::move(candidate), path);
}

void DeltaPlanner::AddStored(Bytes content, PathNumber path, uint32_t depth,
                             Novelty novelty) {
  plan_.base.reset();
  sketch_.valid = false;
  if (options_.similar != 0) sketch_ = MakeSketch(content);
  const uint64_t size = content.size();
  Keep(
      {std::make_shared<const Bytes>(std::move(content)), size, depth, novelty},
      path);
}

void DeltaPlanner::Keep(Candidate candidate, PathNumber path) {
  const CandidateNumber number =
      first_kept_ + static_cast<uint32_t>(kept_.size());
  const uint64_t size = candidate.content->size();
  kept_.push_back(std::move(candidate));
  kept_bytes_ += size;
  std::deque<CandidateNumber>& same = by_path_[path];
  same.push_back(number);
  // If the depth is limited, a base that was used once is tried first the next
  // time, and is kept as a candidate for longer.
  if (options_.max_depth != DeltaPlannerOptions::kAnyDepth && plan_.base &&
      std::erase(same, *plan_.base) != 0) {
    same.push_back(*plan_.base);
  }
  if (same.size() > options_.same_path) same.pop_front();
  if (sketch_.valid) by_content_.Add(sketch_, number);
  while (kept_bytes_ > options_.window_size && kept_.size() > 1) {
    kept_bytes_ -= kept_.front().content->size();
    kept_.pop_front();
    ++first_kept_;
  }
}

void DeltaPlanner::Clear() {
  kept_.clear();
  first_kept_ = CandidateNumber();
  kept_bytes_ = 0;
  by_path_.clear();
  by_content_.Clear();
}

}  // namespace zpack
