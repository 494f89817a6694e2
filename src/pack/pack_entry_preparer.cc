// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_entry_preparer.h"

#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "pack/pack_delta.h"

namespace zpack {
namespace {

// Git's default. Each delta of a chain slows down Git's reads.
constexpr unsigned kMaxDepth = 50;
// Candidates if the delta against the known candidate is not cheap enough.
struct Candidates {
  unsigned before;  // preceding objects of the run
  unsigned similar;
  unsigned good_for_before;
  unsigned good_for_similar;
};
// Trees have more similar candidates: sketches find similar trees well, because
// most samples are bytes of ids, and deltas of trees are cheap to try.
struct Effort {
  int whole_level;  // of libdeflate
  int delta_level;
  KnownDeltas known_deltas;
  Candidates tree;
  Candidates text;
};
// Level 6 is libdeflate's equivalent of zlib's default.
constexpr Effort kThorough = {
    6, 6, KnownDeltas::kIfGood, {2, 8, 40, 200}, {1, 4, 300, 3000}};
// Where the known delta is large, the preceding object seldom gives a cheaper
// one.
constexpr Effort kQuick = {
    2, 1, KnownDeltas::kAlways, {0, 3, 600, 1200}, {0, 2, 4000, 16000}};
// Of few objects, the file often has no delta against what the receiver has.
constexpr Effort kSmall = {
    9, 9, KnownDeltas::kIfGood, {4, 8, 40, 200}, {4, 8, 100, 300}};

const Effort& EffortOf(PackEffort effort) {
  switch (effort) {
    case PackEffort::kSmall:
      return kSmall;
    case PackEffort::kQuick:
      return kQuick;
    case PackEffort::kThorough:
      break;
  }
  return kThorough;
}

DeltaPlannerOptions PlannerOptions(const Effort& effort, ObjectType type,
                                   uint64_t window) {
  const bool is_tree = type == ObjectType::kTree;
  const Candidates& candidates = is_tree ? effort.tree : effort.text;
  DeltaPlannerOptions options =
      PackPlannerOptions(is_tree ? kPackTreeCosts : kPackTextCosts, kMaxDepth);
  options.window_size = window;
  options.same_path = candidates.before;
  options.similar = candidates.similar;
  options.good_for_path = candidates.good_for_before;
  options.good_for_all = candidates.good_for_similar;
  options.known_deltas = effort.known_deltas;
  return options;
}

// A run is in path order, so the planner can treat it as one path.
constexpr PathNumber kPath{0};

}  // namespace

PackEntryPreparer::PackEntryPreparer(uint64_t window, PackEffort effort)
    : max_size_(2 * window),
      tree_planner_(
          PlannerOptions(EffortOf(effort), ObjectType::kTree, window)),
      text_planner_(
          PlannerOptions(EffortOf(effort), ObjectType::kBlob, window)),
      whole_deflater_(EffortOf(effort).whole_level),
      delta_deflater_(EffortOf(effort).delta_level) {}

void PackEntryPreparer::Begin(ObjectType type, Resemblance resemblance) {
  type_ = type;
  resemblance_ = resemblance;
  // Also drops the candidates of the planner that this run does not use.
  tree_planner_.Clear();
  text_planner_.Clear();
  planner_ = type == ObjectType::kTree ? &tree_planner_ : &text_planner_;
  numbers_.clear();
  positions_.clear();
  outside_bases_.clear();
  like_next_.reset();
}

bool PackEntryPreparer::AddCandidate(ByteView content, RunPosition position) {
  if (content.size() > max_size_) return false;
  like_next_ = positions_.end_index();
  positions_.push_back(position);
  planner_->AddStored(Bytes(content.begin(), content.end()), kPath, 0,
                      Novelty::kNew);
  return true;
}

void PackEntryPreparer::AddOutsideBase(const ObjectId& id, ByteView content) {
  if (AddCandidate(content, {})) outside_bases_.emplace(*like_next_, id);
}

void PackEntryPreparer::AddEarlierBase(uint32_t distance, ByteView content) {
  AddCandidate(content, numbers_.end_index() - distance);
}

PreparedObject PackEntryPreparer::Store(Deflater& deflater, ByteView raw,
                                        Bytes& out) const {
  deflater.Deflate(raw, out);
  return {.type = type_, .raw_size = raw.size()};
}

Result<PreparedObject> PackEntryPreparer::Prepare(ByteView content,
                                                  const KnownResemblance& like,
                                                  Bytes& out) {
  const RunPosition position = numbers_.end_index();
  ZPACK_CHECK(like.distance <= position.value());
  PlanHints hints{.likely = std::exchange(like_next_, {})};
  if (resemblance_ == Resemblance::kNone || content.size() < kMinPackDelta ||
      content.size() > max_size_) {
    numbers_.push_back(kNotPlanned);
    return Store(whole_deflater_, content, out);
  }
  if (like.distance != 0 && numbers_[position - like.distance] != kNotPlanned) {
    hints.likely = numbers_[position - like.distance];
    hints.likely_delta = like.delta;
  } else if (like.distance == 0 && hints.likely) {
    hints.likely_delta = like.delta;
  }
  const PlannedDelta& plan = planner_->Plan(content, kPath, hints);
  const ObjectId* outside = nullptr;
  bool as_delta = plan.base.has_value();
  if (plan.base) {
    delta_.clear();
    EncodePackDelta(plan.base_size, content, plan.delta, delta_);
    if (!PackDeltaGives(planner_->BaseContent(*plan.base), delta_, content)) {
      return MakeError(ErrorCode::kInternal,
                       "a delta does not give the object it was made for");
    }
    const auto found = outside_bases_.find(*plan.base);
    if (found != outside_bases_.end()) {
      outside = &found->second;
      // The id of the base is a part of the entry.
      as_delta = delta_.size() + outside->bytes().size() < content.size();
    }
  }
  PreparedObject prepared = as_delta ? Store(delta_deflater_, delta_, out)
                                     : Store(whole_deflater_, content, out);
  if (as_delta && outside != nullptr) {
    prepared.outside_base = *outside;
  } else if (as_delta) {
    prepared.base_distance = position - positions_[*plan.base];
  }
  numbers_.push_back(positions_.end_index());
  positions_.push_back(position);
  planner_->Add(Bytes(content.begin(), content.end()), kPath);
  return prepared;
}

}  // namespace zpack
