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
  ZPACK_ASSIGN_OR_RETURN(const std::vector<ObjectNumber> commits,
                         CommitsOf(wants, history_));
  for (const ObjectNumber want : commits) {
    ZPACK_ASSIGN_OR_RETURN(const bool reaches, Reaches(want));
    if (!reaches) return false;
  }
  return true;
}

// As Git does, does not look behind commits that are older than all haves.
Result<bool> Negotiation::Reaches(ObjectNumber want) {
  CommitSet met(history_);
  std::vector<ObjectNumber> open = {want};
  bool found = false;
  while (!open.empty() && !found) {
    const ObjectNumber commit = open.back();
    open.pop_back();
    if (common_.contains(commit) || reaching_.contains(commit)) {
      found = true;
      break;
    }
    if (!met.Insert(commit)) continue;
    ZPACK_ASSIGN_OR_RETURN(const uint64_t time, history_.Time(commit));
    if (time < oldest_have_) continue;
    ZPACK_ASSIGN_OR_RETURN(const auto* const parents, history_.Parents(commit));
    open.insert(open.end(), parents->begin(), parents->end());
  }
  if (found) reaching_.Insert(want);
  return found;
}

}  // namespace zpack
