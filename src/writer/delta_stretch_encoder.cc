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

Status DeltaStretchEncoder::Add(Bytes content, PathNumber path) {
  builder_.Add(content, planner_.Plan(content, path));
  if (builder_.object_count() > 1 &&
      (builder_.read_cost() > block_size_ ||
       builder_.content_size() > format::kMaxBlockContent)) {
    builder_.Undo();
    ZPACK_TRY(CloseBlock());
    builder_.Add(content, planner_.Plan(content, path));
  }
  planner_.Add(std::move(content), path);
  return {};
}

Status DeltaStretchEncoder::Finish() {
  return builder_.object_count() == 0 ? Status{} : CloseBlock();
}

Status DeltaStretchEncoder::CloseBlock() {
  ZPACK_TRY(
      output_.AddBlock({format::BlockKind::kDeltas, builder_.object_count(),
                        builder_.content_size(), builder_.chains_size()},
                       builder_.Streams()));
  builder_.Clear();
  planner_.Clear();
  return {};
}

}  // namespace zpack
