// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_output.h"

#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

Status EncodeInto(EncodedBlock& block, const format::BlockHeader& header,
                  const format::BlockStreams& streams, BlockEncoder& encoder) {
  ZPACK_TRY(encoder.Encode(header, streams.Views(), block.chunk));
  block.expansion.decoded = encoder.decoded_size();
  return {};
}

}  // namespace

Status StretchOutput::AddBlock(const Objects& objects,
                               const format::BlockStreams& streams) {
  const format::BlockHeader header{objects.kind, objects.type, first_,
                                   objects.count, 0};
  EncodedBlock& block = to_.blocks->emplace_back();
  block.first_object = first_;
  block.expansion = {objects.content, 0, objects.chains};
  first_ = first_ + objects.count;
  if (to_.section != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(const bool in_group,
                           to_.section->Encode(header, streams, block));
    if (in_group) return {};
  }
  if (to_.helpers == nullptr || !to_.helpers->IsWanted()) {
    return EncodeInto(block, header, streams, encoder_);
  }
  to_.helpers->Leave(
      [&block, header, copy = streams](BlockEncoder& encoder, BlockHelpers&) {
        return EncodeInto(block, header, copy, encoder);
      });
  return {};
}

}  // namespace zpack
