// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_output.h"

#include <utility>

#include "base/error.h"

namespace zpack {

Status StretchOutput::AddBlock(
    format::BlockKind kind, ObjectType type, uint32_t count, uint64_t content,
    uint64_t chains, std::span<const BlockEncoder::RawStream> streams) {
  EncodedBlock block;
  block.first_object = first_;
  ZPACK_TRY(
      encoder_.Encode({kind, type, first_, count, 0}, streams, block.chunk));
  block.expansion = {content, encoder_.decoded_size(), chains};
  out_->push_back(std::move(block));
  first_ = first_ + count;
  return {};
}

}  // namespace zpack
