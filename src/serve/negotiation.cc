// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/negotiation.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace zpack {

Result<bool> Negotiation::AddHave(const ObjectId& id) {
  const std::optional<ObjectNumber> number = history_.Find(id);
  if (!number) return false;
  const bool is_new = common_.Insert(*number);
  has_news_ = has_news_ || is_new;
  ZPACK_ASSIGN_OR_RETURN(const bool is_commit, history_.IsCommit(*number));
  if (is_commit) {
    ZPACK_ASSIGN_OR_RETURN(const uint64_t time, history_.Time(*number));
    oldest_have_ = std::min(oldest_have_, time);
    ZPACK_ASSIGN_OR_RETURN(const auto* const parents,
                           history_.Parents(*number));
    for (const ObjectNumber parent : *parents) common_.Insert(parent);
  }
  if (is_new) haves_.push_back(*number);
  return true;
}

Result<bool> Negotiation::IsEnough(const std::vector<ObjectNumber>& wants) {
  if (haves_.empty()) return false;
  if (!open_) {
    ZPACK_ASSIGN_OR_RETURN(open_, CommitsOf(wants, history_));
  }
  // A new set has a bit for each object.
  constexpr uint64_t kObjectsPerStep = 512;
  const uint64_t start = 1 + history_.object_count() / kObjectsPerStep;
  if (!open_->empty() && (!has_news_ || steps_left_ < start)) return false;
  has_news_ = false;
  steps_left_ -= std::min(start, steps_left_);
  CommitSet dead(history_);
  while (!open_->empty()) {
    ZPACK_ASSIGN_OR_RETURN(const bool reaches, Reaches(open_->back(), dead));
    if (!reaches) return false;
    open_->pop_back();
  }
  return true;
}

// A walk in depth, so that the commits on the way are known when it ends. Each
// commit is read once for all wants. As Git does, does not look behind commits
// that are older than all haves.
Result<bool> Negotiation::Reaches(ObjectNumber want, CommitSet& dead) {
  struct Step {
    ObjectNumber commit;
    std::vector<ObjectNumber> parents;  // not looked at yet
  };
  std::vector<Step> way;
  // Not an optional, whose value GCC 12 takes for uninitialised.
  ObjectNumber next = want;
  bool has_next = true;
  while (true) {
    if (steps_left_ == 0) return false;
    --steps_left_;
    if (has_next) {
      if (common_.contains(next) || reaching_.contains(next)) break;
      if (dead.Insert(next)) {
        ZPACK_TRY(CheckStop(stop_));
        way.push_back({next, {}});
        ZPACK_ASSIGN_OR_RETURN(const uint64_t time, history_.Time(next));
        if (time >= oldest_have_) {
          ZPACK_ASSIGN_OR_RETURN(const auto* const parents,
                                 history_.Parents(next));
          way.back().parents = *parents;
        }
      }
    }
    if (way.empty()) return false;
    std::vector<ObjectNumber>& parents = way.back().parents;
    has_next = !parents.empty();
    if (has_next) {
      next = parents.back();
      parents.pop_back();
    } else {
      way.pop_back();
    }
  }
  for (const Step& step : way) reaching_.Insert(step.commit);
  return true;
}

}  // namespace zpack
