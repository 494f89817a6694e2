// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns objects into the zlib streams of pack entries, each whole or as a delta
// against one before it in its run. Looks for bases much less far than a
// repack does: it is told of one that is good. Thread-compatible: one preparer
// per worker.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "codec/deflate.h"
#include "delta/delta_planner.h"
#include "object/object_sink.h"
#include "zpack/result.h"

namespace zpack {

class PackEntryPreparer final : public ObjectPreparer {
 public:
  // Contents kept as candidates for bases at most, if not told otherwise.
  static constexpr uint64_t kDefaultWindow = uint64_t{32} << 20;

  // Keeps `window` bytes of contents as candidates, or one larger object.
  // Objects of more than twice as much are stored whole.
  explicit PackEntryPreparer(uint64_t window = kDefaultWindow);

  void Begin(ObjectType type, Resemblance resemblance) override;

  // Every delta is applied in memory before it is given out; kInternal when it
  // does not give the object.
  Result<PreparedObject> Prepare(ByteView content, uint32_t like,
                                 Bytes& out) override;

 private:
  // Position of an object in the run.
  using RunPosition = Index<struct RunPositionTag>;

  static constexpr CandidateNumber kNotPlanned{0xffffffff};

  // What `raw`, an object or a delta, becomes.
  PreparedObject Deflate(ByteView raw, uint32_t base_distance, Bytes& out);

  uint64_t max_size_;  // of an object that is compared
  DeltaPlanner tree_planner_;
  DeltaPlanner text_planner_;
  Deflater deflater_;
  Bytes delta_;

  // Of the run:
  ObjectType type_ = ObjectType::kBlob;
  Resemblance resemblance_ = Resemblance::kNone;
  DeltaPlanner* planner_ = nullptr;
  IndexedVector<RunPosition, CandidateNumber> numbers_;
  IndexedVector<CandidateNumber, RunPosition> positions_;  // the planned
};

}  // namespace zpack
