// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of the objects in each block. A function without state; any thread.

#pragma once

#include <stop_token>
#include <vector>

#include "reader/file_blocks.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

using BlockTypes = std::vector<ObjectType>;  // by block

// Reads every block. Errors are those of BlockDecoder::Load; kInterrupted.
Result<BlockTypes> ReadBlockTypes(const FileBlocks& file,
                                  const std::stop_token& stop);

}  // namespace zpack
