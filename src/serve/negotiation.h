// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What client and archive have in common, as far as the client has said.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "serve/commit_set.h"
#include "serve/history.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

class Negotiation {
 public:
  // `history` must outlive this object.
  Negotiation(History& history, std::stop_token stop)
      : history_(history),
        stop_(std::move(stop)),
        common_(history),
        reaching_(history),
        steps_left_(kMinSteps + kMaxWalks * history.object_count()) {}

  // Takes a 'have' of the client. Returns false if the object is not in the
  // archive.
  Result<bool> AddHave(const ObjectId& id);

  // The objects that the client has, without those that are parents of an
  // earlier one.
  const std::vector<ObjectNumber>& haves() const { return haves_; }

  // Whether every commit among `wants` reaches a commit that the client has, so
  // that more haves would gain little. `wants` are the same in every call. No
  // after walks that together were much longer than the history: clients then
  // say when they are done.
  Result<bool> IsEnough(const std::vector<ObjectNumber>& wants);

 private:
  static constexpr uint64_t kMinSteps = uint64_t{1} << 20;
  static constexpr uint64_t kMaxWalks = 16;  // of all objects

  // Returns whether `want` reaches a common commit. Adds the commits on the way
  // to `reaching_`, and those that reach none to `dead`.
  Result<bool> Reaches(ObjectNumber want, CommitSet& dead);

  History& history_;
  std::stop_token stop_;
  CommitSet common_;    // haves that are commits, and their parents
  CommitSet reaching_;  // commits known to reach one of them
  std::vector<ObjectNumber> haves_;
  uint64_t oldest_have_ = UINT64_MAX;
  // The wants that were not found to reach a common commit.
  std::optional<std::vector<ObjectNumber>> open_;
  bool has_news_ = false;  // since the last walk
  // Steps that walks may still take. A client could ask for a walk with each
  // have.
  uint64_t steps_left_;
};

}  // namespace zpack
