// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the blocks of a plan in an interrupted file. The function has no state
// and may be called from any thread.

#pragma once

#include "base/file.h"
#include "writer/archive_plan.h"
#include "writer/written_blocks.h"
#include "zpack/result.h"

namespace zpack {

// Reads the blocks of `file` one after the other and adds them to `written`, up
// to the first block that is incomplete, has a wrong checksum or does not match
// the plan. Adds only complete items of the plan, and none unless all reused
// blocks are there. Returns kIo if the file cannot be read. REQUIRES: `file`
// begins with the preamble of `plan`.
Status ScanBlocks(const RandomAccessFile& file, const ArchivePlan& plan,
                  WrittenBlocks& written);

}  // namespace zpack
