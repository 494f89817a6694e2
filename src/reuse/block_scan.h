// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which blocks of a plan a file holds that was cut off. A function without
// state; any thread.

#pragma once

#include "base/file.h"
#include "writer/archive_plan.h"
#include "writer/written_blocks.h"
#include "zpack/result.h"

namespace zpack {

// Reads the blocks of `file`, which begins with the preamble of `plan`, one
// after the other, and fills in those that are whole, have the right checksum
// and belong to items of the plan that are there in full. kIo.
Status ScanBlocks(const RandomAccessFile& file, const ArchivePlan& plan,
                  WrittenBlocks& written);

}  // namespace zpack
