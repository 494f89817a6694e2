// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects statistics of a .zpack file. Several threads may call
// CollectStatistics at once.

#pragma once

#include <string>

#include "zpack/file_statistics.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Reads the whole file at `path`. Uses one thread, whatever `run.threads` is.
//
// Errors: as for ArchiveReader::Open; kCorrupt, kLimitExceeded, kIo and
// kInterrupted while the file is read.
Result<FileStatistics> CollectStatistics(const std::string& path,
                                         const ReadOptions& options,
                                         const RunOptions& run);

}  // namespace zpack
