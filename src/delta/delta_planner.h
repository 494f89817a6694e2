// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses for each object of a sequence what to store it against: one of the
// objects before it, or nothing. Knows nothing of how deltas are written down
// or compressed beyond a DeltaCosts. Thread-compatible.
//
// Candidates are what the caller thinks likely, the last objects with the same
// path, then those whose content resembles it. Each is tried exactly, and given
// up as soon as it costs more than the best so far.

#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "delta/delta.h"
#include "delta/delta_costs.h"
#include "delta/delta_encoder.h"
#include "delta/sketch_index.h"

namespace zpack {

struct DeltaPlannerOptions {
  static constexpr uint32_t kAnyDepth = std::numeric_limits<uint32_t>::max();

  // Candidates per object: of the same path, and similar ones.
  unsigned same_path = 6;
  unsigned similar = 4;
  // A delta that costs less than so many literals is good enough: no further
  // candidate of the path is tried, or no similar one.
  unsigned good_for_path = 200;
  unsigned good_for_all = 600;
  // Contents that are kept as candidates, in bytes; the oldest go first. What
  // it is at least: one object.
  uint64_t window_size = uint64_t{32} << 20;
  // An object may be stored as a delta only if its content and that of all
  // objects its base needs add up to no more than
  // chain_size + chain_factor * its own size.
  uint64_t chain_size = uint64_t{8} << 20;
  uint64_t chain_factor = 32;
  // Deltas between an object and one that is stored whole, at most. The fewer
  // are left to a candidate, the better it has to be, by the square of that.
  uint32_t max_depth = kAnyDepth;
  DeltaCosts costs;
};

struct PlannedDelta {
  // The base, counted from the last Clear on; the object is stored whole
  // without one.
  std::optional<CandidateNumber> base;
  uint64_t base_size = 0;
  Delta delta;  // empty without a base
};

// Whether two objects were compared before, in an earlier run: two that are
// kKnown were.
enum class Novelty : uint8_t { kNew, kKnown };

// What is known of an object before it is planned.
struct PlanHints {
  // Number of a candidate to try before all others.
  std::optional<CandidateNumber> likely;
  // Other objects are deltas against it already, up to so many in a row.
  uint32_t height = 0;
  // A kKnown object is not compared with candidates that are.
  Novelty novelty = Novelty::kNew;
};

class DeltaPlanner {
 public:
  explicit DeltaPlanner(const DeltaPlannerOptions& options);

  // Chooses for the next object of the sequence, which has `content` and the
  // path numbered `path`. The result lives until the next call. May be called
  // again for the same object, after Clear for one.
  // REQUIRES: content.size() < 4 GiB.
  const PlannedDelta& Plan(ByteView content, PathNumber path,
                           const PlanHints& hints = {});

  // The content of a base; lives until Add or Clear. REQUIRES: the last Plan
  // chose it, and Add was not called since.
  ByteView BaseContent(CandidateNumber number) const {
    return Kept(number).content;
  }

  // Appends the object of the last Plan to the sequence. REQUIRES: `content`
  // and `path` are those of that call.
  void Add(Bytes content, PathNumber path, Novelty novelty = Novelty::kNew);
  // Appends an object that is stored as it was: `depth` deltas away from one
  // that is stored whole.
  void AddStored(Bytes content, PathNumber path, uint32_t depth,
                 Novelty novelty);

  // Forgets all candidates and begins a new sequence.
  void Clear();

 private:
  struct Candidate {
    Bytes content;
    uint64_t chain_bytes = 0;  // of its content and all its bases'
    uint32_t depth = 0;
    Novelty novelty = Novelty::kNew;
  };

  bool IsKept(CandidateNumber number) const { return number >= first_kept_; }
  const Candidate& Kept(CandidateNumber number) const {
    return kept_[number - first_kept_];
  }
  // Appends to what is kept, under the next number.
  void Keep(Candidate candidate, PathNumber path);
  void Try(ByteView content, CandidateNumber number);
  // What a delta against a candidate of this depth may cost.
  uint64_t Limit(uint32_t depth) const;
  void TrySamePath(ByteView content, PathNumber path);
  void TrySimilar(ByteView content);

  DeltaPlannerOptions options_;
  DeltaEncoder encoder_;
  std::deque<Candidate> kept_;
  CandidateNumber first_kept_;  // number of kept_.front()
  uint64_t kept_bytes_ = 0;
  // The last numbers of each path, newest last.
  std::unordered_map<PathNumber, std::deque<CandidateNumber>> by_path_;
  SketchIndex<CandidateNumber> by_content_;

  // Of the object that is planned:
  PlannedDelta plan_;
  Delta attempt_;
  uint64_t cost_ = 0;
  uint32_t height_ = 0;
  Novelty novelty_ = Novelty::kNew;
  std::vector<CandidateNumber> tried_;
  ContentSketch sketch_;
};

}  // namespace zpack
