// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/block_types.h"

#include "base/error.h"
#include "reader/block_decoder.h"

namespace zpack {

Result<BlockTypes> ReadBlockTypes(const FileBlocks& file,
                                  const std::stop_token& stop) {
  BlockDecoder decoder;
  BlockTypes types;
  types.reserve(file.block_count());
  for (size_t block = 0; block < file.block_count(); ++block) {
    ZPACK_TRY(CheckStop(stop));
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           decoder.Load(file, block));
    types.push_back(view.header.type);
  }
  return types;
}

}  // namespace zpack
