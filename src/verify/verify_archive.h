// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of an open file, level by level. Each reports every damage it finds
// and fails only when it cannot go on: kInterrupted, or kIo in tables.

#pragma once

#include <stop_token>
#include <vector>

#include "reader/archive_file.h"
#include "reader/file_blocks.h"
#include "zpack/options.h"
#include "zpack/verify.h"

namespace zpack {

// Runs all checks up to `level` on `archive`, which has passed kStructure.
Status VerifyArchive(const ArchiveFile& archive, VerifyLevel level,
                     const RunOptions& run, VerifyReport& report);

// Checksums of all chunks, content digest, file hash.
Status VerifyChecksums(const ArchiveFile& archive, const RunOptions& run,
                       VerifyReport& report);

// Every object decodes and hashes to its id, but those in the blocks that
// `trusted` has, by block. REQUIRES: the index is loaded.
Status VerifyObjects(const FileBlocks& file, const std::vector<bool>& trusted,
                     const RunOptions& run, VerifyReport& report);

// Every ref's peeled value is what its tag points at. REQUIRES: objects have
// been verified.
Status VerifyPeeledRefs(const ArchiveFile& archive, const std::stop_token& stop,
                        VerifyReport& report);

// Everything that HEAD, refs and what they reach name is in the file; parents
// of shallow boundaries need not be. REQUIRES: objects have been verified.
Status VerifyConnectivity(const ArchiveFile& archive, const RunOptions& run,
                          VerifyReport& report);

}  // namespace zpack
