// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/delta_stretch_encoder.h"

#include <utility>

#include "base/error.h"
#include "format/limits.h"

namespace zpack {

void DeltaStretchEncoder::Begin(ObjectNumber first,
                                std::vector<EncodedBlock>& out) {
  planner_.Clear();
  builder_.Clear();
  output_.Begin(first, out);
}

void DeltaStretchEncoder::AddPlanned(ByteView content, PathNumber path) {
  const PlannedDelta& plan = planner_.Plan(content, path);
  if (plan.base) {
    builder_.Add(content, plan.base->value(), plan.delta);
  } else {
    builder_.Add(content);
  }
}

bool DeltaStretchEncoder::IsOverfull() const {
  const format::BlockLayoutBuilder& layout = builder_.layout();
  return layout.count() > 1 &&
         (layout.ReadCost(builder_.streams().raw_size()) > block_size_ ||
          layout.content() > format::kMaxBlockContent);
}

Status DeltaStretchEncoder::Add(Bytes content, PathNumber path) {
  AddPlanned(content, path);
  if (IsOverfull()) {
    builder_.Undo();
    ZPACK_TRY(CloseBlock());
    AddPlanned(content, path);
  }
  planner_.Add(std::move(content), path);
  return {};
}

Status DeltaStretchEncoder::Finish() {
  return builder_.layout().count() == 0 ? Status{} : CloseBlock();
}

Status DeltaStretchEncoder::CloseBlock() {
  ZPACK_TRY(output_.AddBlock(format::BlockKind::kDeltas, builder_.layout(),
                             builder_.streams()));
  builder_.Clear();
  planner_.Clear();
  return {};
}

}  // namespace zpack
