// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "reader/repository_file_reader.h"
#include "verify/verify_archive.h"

namespace zpack {

Status VerifyFiles(const ArchiveFile& archive, const std::stop_token& stop,
                   VerifyReport& report) {
  const auto table = ReadFileTable(archive);
  if (!table) {
    report.damages.push_back(table.error());
    return {};
  }
  RepositoryFileReader reader(*table);
  for (size_t i = 0; i < table->files.size(); ++i) {
    const Status read =
        reader.Read(i, [&](ByteView) { return CheckStop(stop); });
    if (read) {
      ++report.files_verified;
      continue;
    }
    if (read.error().code == ErrorCode::kInterrupted) return read;
    report.damages.push_back(read.error());
  }
  return {};
}

}  // namespace zpack
