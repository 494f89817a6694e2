// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What convert can take from the temporary file of a run that was cut off.
// Functions without state; one call at a time.

#pragma once

#include <string>

#include "base/atomic_file.h"
#include "base/file.h"
#include "writer/archive_plan.h"
#include "writer/written_blocks.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Finds the blocks of `plan` in the temporary of `output`, which no other run
// writes, as far as they are whole, undamaged and hold the objects that the
// plan says. Nothing when the file is not the beginning of this one; then
// `unusable` says why, and the file is emptied, unless it is empty.
Result<WrittenBlocks> FindWrittenBlocks(FileSystem& file_system,
                                        AtomicFile& output,
                                        const ArchivePlan& plan,
                                        const RunOptions& run,
                                        std::string& unusable);

// Leaves the temporary of a run that failed where it is, if it holds a block.
// `preamble` is that of the plan, or empty when this run wrote nothing yet and
// the blocks are those of the run before.
void KeepForResume(ByteView preamble, AtomicFile& output);

// Whether such a file was left for the destination `path`. kNotFound when there
// is no temporary file; kIo.
Result<bool> HasUnfinishedFile(FileSystem& file_system,
                               const std::string& path);

}  // namespace zpack
