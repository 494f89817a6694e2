// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns objects into the zlib streams of pack entries, either whole or as a
// delta against an earlier object of the run. Searches far fewer bases than a
// repack, because the caller names a good base. Thread-compatible: one preparer
// per worker.

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/index_spaces.h"
#include "codec/deflate.h"
#include "delta/delta_planner.h"
#include "object/object_sink.h"
#include "zpack/result.h"

namespace zpack {

// How much time to spend on a small pack.
enum class PackEffort : uint8_t {
  kThorough,  // for a pack that stays
  kQuick,     // for a pack that a client waits for: some 4 % larger
  kSmall,     // for few objects, whose time hardly counts
};

class PackEntryPreparer final : public ObjectPreparer {
 public:
  // Default for the bytes of contents kept as delta candidates.
  static constexpr uint64_t kDefaultWindow = uint64_t{32} << 20;

  // Keeps at most `window` bytes of contents as delta candidates, or one larger
  // object. Objects of more than 2 * `window` bytes are stored whole.
  explicit PackEntryPreparer(uint64_t window = kDefaultWindow,
                             PackEffort effort = PackEffort::kThorough);

  void Begin(ObjectType type, Resemblance resemblance) override;

  // Applies every delta in memory and compares the result with `content`.
  // kInternal if they differ.
  Result<PreparedObject> Prepare(ByteView content, const KnownResemblance& like,
                                 Bytes& out) override;

  void AddOutsideBase(const ObjectId& id, ByteView content) override;
  void AddEarlierBase(uint32_t distance, ByteView content) override;

 private:
  // Position of an object in the run; below 0, modulo 2^32, before the run.
  using RunPosition = Index<struct RunPositionTag>;

  static constexpr CandidateNumber kNotPlanned{0xffffffff};

  // Makes `content` a candidate. Returns whether it may be one.
  bool AddCandidate(ByteView content, RunPosition position);
  // Appends the zlib stream of `raw`, an object or a delta, to `out`.
  PreparedObject Store(Deflater& deflater, ByteView raw, Bytes& out) const;

  uint64_t max_size_;  // of an object that may be a delta
  DeltaPlanner tree_planner_;
  DeltaPlanner text_planner_;
  Deflater whole_deflater_;
  Deflater delta_deflater_;
  Bytes delta_;

  // State of the run:
  ObjectType type_ = ObjectType::kBlob;
  Resemblance resemblance_ = Resemblance::kNone;
  DeltaPlanner* planner_ = nullptr;
  IndexedVector<RunPosition, CandidateNumber> numbers_;
  // Of planned objects; without a meaning for an outside base.
  IndexedVector<CandidateNumber, RunPosition> positions_;
  std::unordered_map<CandidateNumber, ObjectId> outside_bases_;
  // The last outside or earlier base.
  std::optional<CandidateNumber> like_next_;
};

}  // namespace zpack
