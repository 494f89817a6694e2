// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/delta_stretch_encoder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/limits.h"
#include "writer/write_order.h"

namespace zpack {
namespace {

// What reading a large blob may decode on top of its own size: not more than
// that size, so that versions may grow, nor more than the largest blob has.
uint64_t ExtraOfLarge(uint64_t size) {
  constexpr uint64_t kLarge = uint64_t{8} << 20;
  if (size < kLarge) return 0;
  return std::min(size, format::kMaxWhole - std::min(size, format::kMaxWhole));
}

}  // namespace

void DeltaStretchEncoder::Begin(ObjectNumber first,
                                const BlockDestination& to) {
  ClearBlock();
  output_.Begin(first, to);
}

void DeltaStretchEncoder::ClearBlock() {
  planner_.Clear();
  builder_.Clear();
  candidates_.clear();
  far_candidates_.clear();
}

Result<std::optional<CandidateNumber>> DeltaStretchEncoder::AddFarCandidate(
    const FarVersion& far, PathNumber path) {
  const auto [at, is_new] =
      far_candidates_.emplace(far.base.number, std::nullopt);
  if (!is_new) return at->second;
  ZPACK_ASSIGN_OR_RETURN(std::optional<Bytes> content, read_far_(far));
  if (!content) return std::nullopt;
  at->second = CandidateNumber(static_cast<uint32_t>(candidates_.size()));
  planner_.AddStored(*std::move(content), path, 0, Novelty::kNew);
  candidates_.push_back({0, far.base});
  return at->second;
}

Status DeltaStretchEncoder::AddPlanned(const LookAhead::Object& object,
                                       const FarVersion* far) {
  const ByteView content = *object.content;
  PlanHints hints;
  hints.prepared = object.prepared;
  if (far != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(hints.likely, AddFarCandidate(*far, object.path));
  }
  const PlannedDelta& plan = planner_.Plan(content, object.path, hints);
  if (!plan.base) {
    builder_.Add(content);
  } else if (const Candidate& base = candidates_[plan.base->value()];
             base.far) {
    builder_.Add(content, *base.far, output_.first(), plan.delta);
  } else {
    builder_.Add(content, base.index, plan.delta);
  }
  return {};
}

bool DeltaStretchEncoder::IsOverfull() const {
  const format::BlockLayoutBuilder& layout = builder_.layout();
  const uint64_t last = layout.size(layout.count() - 1);
  return layout.count() > 1 &&
         (layout.ReadCost(builder_.streams().raw_size()) >
              std::max(block_size_, ExtraOfLarge(layout.smallest())) ||
          layout.content() >
              std::max(format::kMaxBlockContent, kLeastVersions * last));
}

Status DeltaStretchEncoder::Add(const LookAhead::Object& object,
                                const FarVersion* far) {
  ZPACK_TRY(AddPlanned(object, far));
  if (IsOverfull()) {
    builder_.Undo();
    ZPACK_TRY(CloseBlock());
    ZPACK_TRY(AddPlanned(object, far));
  }
  planner_.Add(object.content, object.path);
  candidates_.push_back({builder_.layout().count() - 1, std::nullopt});
  return {};
}

Status DeltaStretchEncoder::Finish() {
  return builder_.layout().count() == 0 ? Status{} : CloseBlock();
}

Status DeltaStretchEncoder::CloseBlock() {
  ZPACK_TRY(
      output_.AddBlock(kind_, type_, builder_.layout(), builder_.streams()));
  ClearBlock();
  return {};
}

}  // namespace zpack
