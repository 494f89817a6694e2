// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts what the blocks of an open file expand to, each block once, however
// often it is read. May be used from several threads at once.

#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "format/expansion.h"
#include "zpack/result.h"

namespace zpack {

class ExpansionMeter {
 public:
  // For a file of `blocks` blocks that may expand to `limit` in all.
  ExpansionMeter(size_t blocks, const format::Expansion& limit)
      : blocks_(blocks), limit_(limit) {}

  // Notes that `block` expands to at least this much. kLimitExceeded when all
  // that was noted so far is above the limit.
  Status Note(size_t block, const format::Expansion& expansion);

  // What was noted of `block` so far.
  format::Expansion Of(size_t block) const;
  const format::Expansion& limit() const { return limit_; }

 private:
  mutable std::mutex mutex_;  // guards blocks_ and sum_
  std::vector<format::Expansion> blocks_;
  format::Expansion sum_;
  format::Expansion limit_;
};

}  // namespace zpack
