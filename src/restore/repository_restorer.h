// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves everything in a file to an ObjectSink.

#pragma once

#include "object/object_sink.h"
#include "reader/archive_file.h"
#include "zpack/options.h"
#include "zpack/restore.h"

namespace zpack {

// Decodes and hashes every object of `archive` and gives it to `sink`, then the
// refs. kMismatch when an object does not hash to its id.
// Bytes of contents that each worker keeps as candidates for bases, and of a
// block in the sink's form: 32 MiB, and less if RunOptions::memory is given and
// little. A block itself, and what its objects are rebuilt from, take what they
// take.
uint64_t RestoreWindow(const RunOptions& run);

Result<RestoreStats> RestoreArchive(const ArchiveFile& archive,
                                    const RunOptions& run, ObjectSink& sink);

}  // namespace zpack
