// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects that wait for a planner. If other threads have nothing to do, more
// objects are read than are planned next, and these threads compute deltas of
// them meanwhile. What the planner chooses does not depend on it.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/index_spaces.h"
#include "base/parallel.h"
#include "delta/delta_planner.h"
#include "delta/prepared_deltas.h"

namespace zpack {

class LookAhead {
 public:
  // Limit of the contents that wait. The threads that prepare them take about
  // as much memory again.
  static constexpr uint64_t kMostBytes = uint64_t{4} << 20;

  struct Object {
    SharedContent content;
    PathNumber path;
    // Null if nothing is. Valid until the next Pop.
    const PreparedDeltas* prepared = nullptr;
  };

  // `planner` plans the objects. No other thread helps if `helpers` is null.
  // Both must outlive this object.
  LookAhead(const DeltaPlanner& planner, Helpers* helpers)
      : planner_(planner), helpers_(helpers) {}

  bool empty() const { return queue_.empty(); }
  // Whether an object of `size` bytes should be read now, although objects
  // wait.
  bool HasRoom(uint64_t size) const;
  // Adds the next object of the sequence.
  void Push(SharedContent content, PathNumber path);
  // Takes the object that was added first. REQUIRES: not empty().
  Object Pop();

 private:
  // Objects that one thread prepares.
  struct Batch {
    uint64_t loan = 0;
    bool is_taken_back = false;
    // Empty if they were not prepared.
    std::shared_ptr<std::vector<PreparedDeltas>> objects;
  };
  struct Waiting {
    SharedContent content;
    PathNumber path;
    std::shared_ptr<Batch> batch;  // null if it is not lent
    size_t index = 0;              // in the batch
  };

  // The first of the last objects of the queue that are not lent. The first of
  // all is planned next, and never lent.
  size_t FirstUnlent() const;
  // Lends the objects of the queue from `first` on.
  void Lend(size_t first);
  // What the planner probably tries for the object `index` of the queue.
  std::vector<SharedContent> Candidates(size_t index) const;

  const DeltaPlanner& planner_;
  Helpers* helpers_;
  std::deque<Waiting> queue_;
  uint64_t bytes_ = 0;           // in the queue
  std::shared_ptr<Batch> last_;  // of the object that was taken last
};

}  // namespace zpack
