// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/check_archive.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "reader/single_file.h"
#include "verify/verify_archive.h"

namespace zpack {

Status CheckArchive(std::unique_ptr<RandomAccessFile> file,
                    const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(const std::shared_ptr<const SingleFile> single,
                         SingleFile::Open(std::move(file), ReadOptions{}));
  VerifyReport report;
  ZPACK_TRY(VerifySingleFile(single, run, report));
  if (report.ok()) return {};
  // What could not be read may be right all the same.
  const auto unread =
      std::ranges::find(report.damages, ErrorCode::kIo, &Error::code);
  return std::unexpected(
      unread != report.damages.end() ? *unread : report.damages.front());
}

}  // namespace zpack
