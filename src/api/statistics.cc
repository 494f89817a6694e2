// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/statistics.h"

#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/guarded.h"
#include "http/open_file.h"
#include "reader/archive_file.h"
#include "report/statistics_collector.h"

namespace zpack {

Result<FileStatistics> CollectStatistics(const std::string& path,
                                         const ReadOptions& options,
                                         const RunOptions& run) {
  return Guarded([&]() -> Result<FileStatistics> {
    ReadOptions read = options;
    read.derivation = run;
    ZPACK_ASSIGN_OR_RETURN(auto file, OpenForReading(path, read, run.stop));
    ZPACK_ASSIGN_OR_RETURN(const auto archive,
                           ArchiveFile::Open(std::move(file), read));
    StatisticsCollector collector(*archive);
    ZPACK_TRY(collector.ReadBlocks(run));
    return collector.Finish();
  });
}

}  // namespace zpack
