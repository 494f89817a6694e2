// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A commit that waits in the queue of a walk. A plain value.

#pragma once

#include <cstdint>

#include "base/index_spaces.h"

namespace zpack {

struct QueuedCommit {
  uint64_t time = 0;
  uint64_t order = 0;
  ObjectNumber number;

  // Newest first. Equal times keep the order of queueing.
  bool operator<(const QueuedCommit& other) const {
    return time != other.time ? time < other.time : order > other.order;
  }
};

}  // namespace zpack
