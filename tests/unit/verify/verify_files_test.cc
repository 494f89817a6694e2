// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "base/hash.h"
#include "convert/convert_source.h"
#include "reader/archive_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/repair.h"
#include "support/temp_dir.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::IsOk;

VerifyReport VerifyBytes(const Bytes& bytes) {
  VerifyReport report;
  const auto archive =
      ArchiveFile::Open(std::make_unique<testing::MemoryFile>(bytes), {});
  EXPECT_THAT(archive, IsOk());
  EXPECT_THAT(
      VerifyArchive(**archive, {.level = VerifyLevel::kObjects}, {}, report),
      IsOk());
  return report;
}

TEST(VerifyFiles, AFileThatDoesNotHaveItsHashIsDamage) {
  const testing::TempDir directory;
  testing::MemorySource source = testing::SampleHistory(2);
  const std::string content = "the description of a repository\n";
  source.files = {{"description", content}, {"info/exclude", "*.o\n"}};
  const std::string path = directory / "a.zpack";
  ASSERT_THAT(ConvertSource([&](SourceUse) { return source.Open(); },
                            PosixFileSystem(), path, {}),
              IsOk());
  Bytes bytes = *ReadWholeFile(PosixFileSystem(), path, 1 << 20);
  EXPECT_TRUE(VerifyBytes(bytes).ok());
  EXPECT_EQ(VerifyBytes(bytes).files_verified, 2U);
  // Another hash, with right checksums around it.
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(AsBytes(content));
  std::array<uint8_t, Hasher::kMaxSize> buffer{};
  const ByteView hash = hasher.Finish(buffer);
  const auto found = std::ranges::search(bytes, hash);
  ASSERT_FALSE(found.empty());
  found.front() ^= 1;
  testing::RepairChecksums(bytes);
  const VerifyReport report = VerifyBytes(bytes);
  // The hash of the whole file is wrong as well.
  EXPECT_THAT(report.damages,
              Contains(Field(&Error::message, HasSubstr("'description'"))));
  EXPECT_EQ(report.files_verified, 1U);
}

}  // namespace
}  // namespace zpack
