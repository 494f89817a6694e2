// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Handles the temporary file of an interrupted conversion. The functions have
// no state; one call at a time.

#pragma once

#include <string>

#include "base/atomic_file.h"
#include "base/file.h"
#include "writer/archive_plan.h"
#include "writer/written_blocks.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Finds the blocks of `plan` in the temporary file of `output`, up to the first
// block that is incomplete, damaged or holds other objects than planned. Does
// not check the objects of reused blocks. If the file does not belong to the
// plan, empties it, sets `unusable` to the reason (unless the file was already
// empty) and returns no blocks. REQUIRES: no other process writes to the
// temporary file.
Result<WrittenBlocks> FindWrittenBlocks(FileSystem& file_system,
                                        AtomicFile& output,
                                        const ArchivePlan& plan,
                                        const RunOptions& run,
                                        std::string& unusable);

// Keeps the temporary file of a failed run if it holds more than the preamble.
// `preamble` is that of the plan; or empty if this run has not written anything
// and the blocks are those of the previous run.
void KeepForResume(ByteView preamble, AtomicFile& output);

// Removes the temporary file of a process that was killed when it had begun to
// replace the file at `path`, as by adding parity to it, unless that is an
// interrupted conversion. Without effect if there is none, if another process
// holds it, or if it cannot be removed.
void RemoveLeftover(FileSystem& file_system, const std::string& path);

// Returns whether the temporary file for the destination `path` is that of an
// interrupted conversion. Returns kNotFound if there is no temporary file, and
// kIo if it cannot be read.
Result<bool> HasUnfinishedFile(FileSystem& file_system,
                               const std::string& path);

}  // namespace zpack
