// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_entry_preparer.h"

#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "pack/pack_delta.h"

namespace zpack {
namespace {

// libdeflate's counterpart of zlib's default.
constexpr int kDeflateLevel = 6;
// Git's default: its readers get slower with each delta of a chain.
constexpr unsigned kMaxDepth = 50;
// Candidates besides the one that is known, when that is not good enough.
struct Candidates {
  unsigned before;  // objects right before this one
  unsigned similar;
  unsigned good_for_before;
  unsigned good_for_similar;
};
// Trees that differ little are found by their samples, nearly all of which are
// of ids, and cost little to try.
constexpr Candidates kTreeCandidates = {2, 8, 40, 200};
constexpr Candidates kTextCandidates = {1, 4, 300, 3000};

DeltaPlannerOptions PlannerOptions(const Candidates& candidates,
                                   const DeltaCosts& costs, uint64_t window) {
  DeltaPlannerOptions options = PackPlannerOptions(costs, kMaxDepth);
  options.window_size = window;
  options.same_path = candidates.before;
  options.similar = candidates.similar;
  options.good_for_path = candidates.good_for_before;
  options.good_for_all = candidates.good_for_similar;
  return options;
}

// A run is in the order of paths, so that all of it is like one path.
constexpr PathNumber kPath{0};

}  // namespace

PackEntryPreparer::PackEntryPreparer(uint64_t window)
    : max_size_(2 * window),
      tree_planner_(PlannerOptions(kTreeCandidates, kPackTreeCosts, window)),
      text_planner_(PlannerOptions(kTextCandidates, kPackTextCosts, window)),
      deflater_(kDeflateLevel) {}

void PackEntryPreparer::Begin(ObjectType type, Resemblance resemblance) {
  type_ = type;
  resemblance_ = resemblance;
  // What the other one keeps is needed no more, either.
  tree_planner_.Clear();
  text_planner_.Clear();
  planner_ = type == ObjectType::kTree ? &tree_planner_ : &text_planner_;
  numbers_.clear();
  positions_.clear();
}

PreparedObject PackEntryPreparer::Deflate(ByteView raw, uint32_t base_distance,
                                          Bytes& out) {
  deflater_.Deflate(raw, out);
  return {type_, base_distance, raw.size()};
}

Result<PreparedObject> PackEntryPreparer::Prepare(ByteView content,
                                                  uint32_t like, Bytes& out) {
  const RunPosition position = numbers_.end_index();
  ZPACK_CHECK(like <= position.value());
  if (resemblance_ == Resemblance::kNone || content.size() < kMinPackDelta ||
      content.size() > max_size_) {
    numbers_.push_back(kNotPlanned);
    return Deflate(content, 0, out);
  }
  std::optional<CandidateNumber> likely;
  if (like != 0 && numbers_[position - like] != kNotPlanned) {
    likely = numbers_[position - like];
  }
  const PlannedDelta& plan = planner_->Plan(content, kPath, {.likely = likely});
  PreparedObject prepared;
  if (plan.base) {
    delta_.clear();
    EncodePackDelta(plan.base_size, content, plan.delta, delta_);
    if (!PackDeltaGives(planner_->BaseContent(*plan.base), delta_, content)) {
      return MakeError(ErrorCode::kInternal,
                       "a delta does not give the object it was made for");
    }
    prepared = Deflate(delta_, position - positions_[*plan.base], out);
  } else {
    prepared = Deflate(content, 0, out);
  }
  numbers_.push_back(positions_.end_index());
  positions_.push_back(position);
  planner_->Add(Bytes(content.begin(), content.end()), kPath);
  return prepared;
}

}  // namespace zpack
