// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/hash.h"
#include "format/constants.h"
#include "reader/archive_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::StartsWith;

VerifyReport VerifyTrailer(const Bytes& bytes) {
  VerifyReport report;
  const auto archive =
      ArchiveFile::Open(std::make_unique<testing::MemoryFile>(bytes), {});
  EXPECT_THAT(archive, IsOk());
  EXPECT_THAT(
      VerifyArchive(**archive, {.level = VerifyLevel::kChecksums}, {}, report),
      IsOk());
  return report;
}

// Where the hash of the file is right, nothing else is wrong.
TEST(VerifyChecksums, TheContentDigestIsThatOfTheObjects) {
  Bytes bytes = testing::SampleFile();
  EXPECT_THAT(VerifyTrailer(bytes).damages, IsEmpty());
  const size_t hashed = bytes.size() - format::kDigestSize;
  bytes[hashed - 1] ^= 1;
  Hasher hasher(HashAlgorithm::kSha256);
  // The header comes last.
  const uint32_t header = LoadBigEndian<uint32_t>(&bytes[24]);
  hasher.Update(ByteView(bytes).subspan(header, hashed - header));
  hasher.Update(ByteView(bytes).first(header));
  std::array<uint8_t, Hasher::kMaxSize> buffer{};
  std::ranges::copy(hasher.Finish(buffer),
                    bytes.begin() + static_cast<ptrdiff_t>(hashed));
  EXPECT_THAT(
      VerifyTrailer(bytes).damages,
      ElementsAre(Field(&Error::message, StartsWith("bad content digest"))));
}

}  // namespace
}  // namespace zpack
