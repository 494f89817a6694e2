// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/sample_file.h"

#include <memory>

#include "base/file.h"
#include "convert/convert_source.h"
#include "reader/archive_file.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack::testing {

Bytes FileOf(MemorySource& source, std::optional<uint64_t> block_size) {
  const TempDir directory;
  const std::string path = directory / "a.zpack";
  ConvertOptions options;
  options.run.threads = 1;
  options.block_size = block_size;
  options.promised = AllowPromised::kYes;
  const auto stats = ConvertSource([&](SourceUse) { return source.Open(); },
                                   PosixFileSystem(), path, options);
  Require(stats.has_value(), "convert");
  return *ReadWholeFile(PosixFileSystem(), path, 1 << 20);
}

Bytes SampleFile() {
  MemorySource source = SampleHistory(4);
  return FileOf(source);
}

std::string FirstDamage(const Bytes& bytes, VerifyLevel level) {
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  if (!archive) return archive.error().message;
  RunOptions run;
  run.threads = 1;
  VerifyReport report;
  const Status status = VerifyArchive(**archive, {.level = level}, run, report);
  if (!status) return status.error().message;
  return report.ok() ? "" : report.damages.front().message;
}

}  // namespace zpack::testing
