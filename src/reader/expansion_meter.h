// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Adds up what the blocks of an open file expand to, counting each block once,
// no matter how often it is read. May be used from several threads at once.

#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "format/expansion.h"
#include "zpack/result.h"

namespace zpack {

class ExpansionMeter {
 public:
  // For a file with `blocks` blocks, which may expand to `limit` together.
  ExpansionMeter(size_t blocks, const format::Expansion& limit)
      : blocks_(blocks), limit_(limit) {}

  // Records that `block` expands to at least `expansion`. Returns
  // kLimitExceeded, and records nothing, if the sum of all blocks would exceed
  // the limit.
  Status Note(size_t block, const format::Expansion& expansion);

  // Returns what has been recorded for `block`.
  format::Expansion Of(size_t block) const;
  const format::Expansion& limit() const { return limit_; }

 private:
  mutable std::mutex mutex_;  // guards blocks_ and sum_
  std::vector<format::Expansion> blocks_;
  format::Expansion sum_;
  format::Expansion limit_;
};

}  // namespace zpack
