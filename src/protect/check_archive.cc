// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/check_archive.h"

#include <utility>

#include "base/error.h"
#include "reader/archive_file.h"
#include "verify/verify_archive.h"

namespace zpack {

Status CheckArchive(std::unique_ptr<RandomAccessFile> file,
                    const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(const auto archive,
                         ArchiveFile::Open(std::move(file), ReadOptions{}));
  VerifyReport report;
  ZPACK_TRY(
      VerifyArchive(*archive, {.level = VerifyLevel::kChecksums}, run, report));
  if (report.ok()) return {};
  return std::unexpected(report.damages.front());
}

}  // namespace zpack
