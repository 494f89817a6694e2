// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses a base for each object of a sequence, among the objects before it, or
// none. A DeltaCosts is all that the planner knows about the encoding and
// compression of deltas. Thread-compatible.
//
// Candidates are, in this order, the object that the caller thinks likely, the
// last objects with the same path, and objects with similar content. The
// planner computes the delta against each candidate, and stops as soon as a
// delta costs more than the best delta so far.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "base/index_spaces.h"
#include "delta/delta_costs.h"
#include "delta/delta_encoder.h"
#include "delta/sketch_index.h"

namespace zpack {

// When a delta that the caller knows is taken, as far as the chain allows.
enum class KnownDeltas : uint8_t {
  kIfGood,  // if it is cheap enough for the path; otherwise one is computed
  kAlways,  // unless another candidate gives a cheaper one
};

struct DeltaPlannerOptions {
  static constexpr uint32_t kAnyDepth = std::numeric_limits<uint32_t>::max();

  // Maximum candidates of the same path, and of similar content.
  unsigned same_path = 6;
  unsigned similar = 4;
  // A delta that costs less than this many literals is cheap enough: below
  // `good_for_path`, no further candidate of the path is tried; below
  // `good_for_all`, no similar object is tried.
  unsigned good_for_path = 200;
  unsigned good_for_all = 600;
  // Maximum bytes of content kept as delta candidates. The oldest are dropped
  // first; the newest object is always kept.
  uint64_t window_size = uint64_t{32} << 20;
  // An object may be a delta only if its content and the contents of all
  // objects in its base's chain add up to at most chain_size + chain_factor *
  // its own size.
  uint64_t chain_size = uint64_t{8} << 20;
  uint64_t chain_factor = 32;
  // Maximum number of deltas between an object and a whole object. A candidate
  // with fewer deltas left must give a cheaper delta: its limit falls with the
  // square of the deltas left.
  uint32_t max_depth = kAnyDepth;
  KnownDeltas known_deltas = KnownDeltas::kIfGood;
  DeltaCosts costs;
};

struct PlannedDelta {
  // The base, counted from the last Clear. Without a base, the object is stored
  // whole.
  std::optional<CandidateNumber> base;
  uint64_t base_size = 0;
  Delta delta;  // empty without a base
};

// Whether an earlier run has compared the object. Any two kKnown objects have
// been compared.
enum class Novelty : uint8_t { kNew, kKnown };

// Information about an object before it is planned.
struct PlanHints {
  // A candidate to try before all others.
  std::optional<CandidateNumber> likely;
  // Length of the longest chain of existing deltas against this object.
  uint32_t height = 0;
  // A kKnown object is not compared with kKnown candidates.
  Novelty novelty = Novelty::kNew;
  // A delta against the likely candidate; may be null.
  const Delta* likely_delta = nullptr;
  // Which candidates may be bases; if null, all of them.
  const std::function<bool(CandidateNumber)>* may_be_base = nullptr;
};

class DeltaPlanner {
 public:
  explicit DeltaPlanner(const DeltaPlannerOptions& options);

  // Chooses a base for the next object of the sequence, which has the content
  // `content` and the path number `path`. The result is valid until the next
  // call. Plan may be called again for the same object, for example after
  // Clear. REQUIRES: content.size() < 4 GiB.
  const PlannedDelta& Plan(ByteView content, PathNumber path,
                           const PlanHints& hints = {});

  // The content of a base, valid until Add, AddStored or Clear. REQUIRES: the
  // last Plan chose this base, and nothing was added since.
  ByteView BaseContent(CandidateNumber number) const {
    return Kept(number).content;
  }

  // Appends the object of the last Plan to the sequence. REQUIRES: `content`
  // and `path` are those of that Plan.
  void Add(Bytes content, PathNumber path, Novelty novelty = Novelty::kNew);
  // Appends an object whose stored form is kept. `depth` is the number of
  // deltas between the object and a whole object.
  void AddStored(Bytes content, PathNumber path, uint32_t depth,
                 Novelty novelty);

  // Drops all candidates and begins a new sequence.
  void Clear();

 private:
  struct Candidate {
    Bytes content;
    uint64_t chain_bytes = 0;  // bytes of its content and of all its bases
    uint32_t depth = 0;
    Novelty novelty = Novelty::kNew;
  };

  bool IsKept(CandidateNumber number) const { return number >= first_kept_; }
  const Candidate& Kept(CandidateNumber number) const {
    return kept_[number - first_kept_];
  }
  // Appends a candidate under the next number.
  void Keep(Candidate candidate, PathNumber path);
  // Whether an object of `size` bytes may be a delta against a candidate.
  bool IsAllowed(const Candidate& base, uint64_t size) const;
  void Try(ByteView content, CandidateNumber number);
  // Takes a delta that the caller knows, if chain and options allow it.
  void TakeKnown(ByteView content, CandidateNumber number, const Delta& delta);
  // The cost limit for a delta against a candidate of this depth.
  uint64_t Limit(uint32_t depth) const;
  void TrySamePath(ByteView content, PathNumber path);
  void TrySimilar(ByteView content);

  DeltaPlannerOptions options_;
  DeltaEncoder encoder_;
  std::deque<Candidate> kept_;
  CandidateNumber first_kept_;  // number of kept_.front()
  uint64_t kept_bytes_ = 0;
  // The last candidates of each path, newest last.
  std::unordered_map<PathNumber, std::deque<CandidateNumber>> by_path_;
  SketchIndex<CandidateNumber> by_content_;

  // State of the object that is planned:
  PlannedDelta plan_;
  Delta attempt_;
  uint64_t cost_ = 0;
  uint32_t height_ = 0;
  Novelty novelty_ = Novelty::kNew;
  const std::function<bool(CandidateNumber)>* may_be_base_ = nullptr;
  std::vector<CandidateNumber> tried_;
  ContentSketch sketch_;
};

}  // namespace zpack
