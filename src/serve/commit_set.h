// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A set of commits of an archive: one bit for each object, and a list of the
// members. Thread-compatible.

#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/index_spaces.h"
#include "serve/history.h"
#include "zpack/result.h"

namespace zpack {

class CommitSet {
 public:
  // Limits of a closure.
  struct Limits {
    const CommitSet* without = nullptr;  // these, and nothing behind them
    uint64_t since = 0;  // commits older than this time, and nothing behind
    std::stop_token stop = {};
  };

  explicit CommitSet(const History& history)
      : is_member_(history.object_count()) {}

  // The commits that `starts` reach. Tags lead to their targets; other objects
  // reach none. Errors are those of `history`, and kInterrupted.
  static Result<CommitSet> Closure(const std::vector<ObjectNumber>& starts,
                                   History& history, const Limits& limits);

  // Returns false if the commit was a member before.
  bool Insert(ObjectNumber commit) {
    if (is_member_[commit]) return false;
    is_member_[commit] = true;
    members_.push_back(commit);
    return true;
  }
  bool contains(ObjectNumber commit) const { return is_member_[commit]; }
  // In the order of insertion.
  const std::vector<ObjectNumber>& members() const { return members_; }

 private:
  IndexedVector<ObjectNumber, bool> is_member_;
  std::vector<ObjectNumber> members_;
};

// The commits among `objects` and the targets of tags. A commit that several
// tags lead to may be there once or several times.
Result<std::vector<ObjectNumber>> CommitsOf(
    const std::vector<ObjectNumber>& objects, History& history);

}  // namespace zpack
