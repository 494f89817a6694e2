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
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "base/index_spaces.h"
#include "delta/delta_encoder.h"
#include "delta/delta_planner_options.h"
#include "delta/prepared_deltas.h"
#include "delta/sketch_index.h"

namespace zpack {

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
  // What is computed already; may be null. Changes nothing but the time.
  const PreparedDeltas* prepared = nullptr;
};

class DeltaPlanner {
 public:
  explicit DeltaPlanner(const DeltaPlannerOptions& options);

  const DeltaPlannerOptions& options() const { return options_; }

  // Chooses a base for the next object of the sequence, which has the content
  // `content` and the path number `path`. The result is valid until the next
  // call. Plan may be called again for the same object, for example after
  // Clear. REQUIRES: content.size() < 4 GiB.
  const PlannedDelta& Plan(ByteView content, PathNumber path,
                           const PlanHints& hints = {});

  // The content of a base, valid until Add, AddStored or Clear. REQUIRES: the
  // last Plan chose this base, and nothing was added since.
  ByteView BaseContent(CandidateNumber number) const {
    return *Kept(number).content;
  }
  // The contents of the last objects with the same path, the last one first.
  std::vector<SharedContent> SamePath(PathNumber path) const;

  // Appends the object of the last Plan to the sequence. REQUIRES: `content`
  // and `path` are those of that Plan.
  void Add(SharedContent content, PathNumber path,
           Novelty novelty = Novelty::kNew);
  void Add(Bytes content, PathNumber path, Novelty novelty = Novelty::kNew) {
    Add(std::make_shared<const Bytes>(std::move(content)), path, novelty);
  }
  // Appends an object whose stored form is kept. `depth` is the number of
  // deltas between the object and a whole object.
  void AddStored(Bytes content, PathNumber path, uint32_t depth,
                 Novelty novelty);

  // Drops all candidates and begins a new sequence.
  void Clear();

 private:
  struct Candidate {
    SharedContent content;
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
  // As DeltaEncoder::Encode, into `attempt_`.
  bool Encode(const Candidate& base, ByteView content);
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
  const PreparedDeltas* prepared_ = nullptr;
  std::vector<CandidateNumber> tried_;
  ContentSketch sketch_;
};

}  // namespace zpack
