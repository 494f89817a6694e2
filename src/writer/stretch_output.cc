// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/stretch_output.h"

#include <utility>

#include "base/error.h"

namespace zpack {

Status StretchOutput::AddBlock(const Objects& objects,
                               const format::BlockStreams& streams) {
  EncodedBlock block;
  block.first_object = first_;
  ZPACK_TRY(
      encoder_.Encode({objects.kind, objects.type, first_, objects.count, 0},
                      streams.Views(), block.chunk));
  block.expansion = {objects.content, encoder_.decoded_size(), objects.chains};
  out_->push_back(std::move(block));
  first_ = first_ + objects.count;
  return {};
}

}  // namespace zpack
