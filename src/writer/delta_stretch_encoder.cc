// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/delta_stretch_encoder.h"

#include <utility>

#include "base/error.h"

namespace zpack {

void DeltaStretchEncoder::Begin(uint32_t first,
                                std::vector<EncodedBlock>& out) {
  planner_.Clear();
  builder_.Clear();
  first_ = first;
  out_ = &out;
}

Status DeltaStretchEncoder::Add(Bytes content, uint32_t path) {
  builder_.Add(content, planner_.Plan(content, path));
  if (builder_.object_count() > 1 &&
      (builder_.read_cost() > block_size_ ||
       builder_.content_size() > kMaxBlockContent)) {
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
  EncodedBlock block;
  block.first_object = first_;
  format::BlockHeader header;
  header.kind = format::BlockKind::kDeltas;
  header.type = ObjectType::kBlob;
  header.first_object = first_;
  header.object_count = builder_.object_count();
  ZPACK_TRY(encoder_.Encode(header, builder_.Streams(), block.chunk));
  out_->push_back(std::move(block));
  first_ += builder_.object_count();
  builder_.Clear();
  planner_.Clear();
  return {};
}

}  // namespace zpack
