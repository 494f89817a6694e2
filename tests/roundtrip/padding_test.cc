// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Contents that compress better than a file may expand: the writer makes the
// file larger, and everything else is as always.

#include <gtest/gtest.h>

#include "base/file.h"
#include "convert/convert_source.h"
#include "format/constants.h"
#include "format/expansion.h"
#include "reader/archive_file.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"
#include "verify/verify_archive.h"

namespace zpack::testing {
namespace {

std::unique_ptr<ArchiveFile> Convert(MemorySource& source,
                                     const std::string& path,
                                     ConvertOptions options = {}) {
  options.run.threads = 1;
  const auto stats = ConvertSource([&](SourceUse) { return source.Open(); },
                                   PosixFileSystem(), path, options);
  EXPECT_TRUE(stats) << stats.error().message;
  auto archive =
      ArchiveFile::Open(*PosixFileSystem().OpenForRead(path), ReadOptions{});
  EXPECT_TRUE(archive) << archive.error().message;
  return *std::move(archive);
}

TEST(Padding, AnOrdinaryFileIsNotMadeLarger) {
  MemorySource source = SampleHistory(4);
  const TempDir directory;
  const auto archive = Convert(source, directory / "a.zpack");
  EXPECT_EQ(archive->toc().Find(format::kPaddingChunk), nullptr);
}

TEST(Padding, AFileOfZerosIsMadeLargeEnoughToBeRead) {
  constexpr uint64_t kSize = uint64_t{200} << 20;
  MemorySource source = SampleHistory(1);
  source.AddBlob(std::string(kSize, '\0'));
  const TempDir directory;
  const auto archive = Convert(source, directory / "a.zpack");
  ASSERT_NE(archive->toc().Find(format::kPaddingChunk), nullptr);
  const uint64_t size = archive->file().size();
  EXPECT_LT(size, kSize / 500);
  EXPECT_TRUE((format::Expansion{kSize / 2 * 3, 0, 0})
                  .Within(format::MaxExpansion(size)));
  RunOptions run;
  run.threads = 1;
  VerifyReport report;
  EXPECT_TRUE(VerifyArchive(*archive, {.level = VerifyLevel::kConnectivity},
                            run, report));
  EXPECT_TRUE(report.ok()) << report.damages.front().message;
}

// What copied blocks represent counts as well.
TEST(Padding, AFileOverAFileOfZerosIsMadeLargeEnough) {
  constexpr uint64_t kSize = uint64_t{200} << 20;
  MemorySource source = SampleHistory(1);
  source.AddBlob(std::string(kSize, '\0'));
  const TempDir directory;
  ConvertOptions options;
  options.base = directory / "a.zpack";
  Convert(source, *options.base);
  source.AddBlob("more");
  const auto archive = Convert(source, directory / "b.zpack", options);
  EXPECT_TRUE((format::Expansion{kSize / 2 * 3, 0, 0})
                  .Within(format::MaxExpansion(archive->file().size())));
}

}  // namespace
}  // namespace zpack::testing
