// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets of commands rest upon: files are taken apart without
// loss, edits get past every checksum, and edited objects past their ids.

#include "fuzz/file_mutator.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "fuzz/file_parts.h"
#include "fuzz/parity_edits.h"
#include "fuzz/true_ids.h"
#include "parity/packet_scanner.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "zpack/parity.h"

namespace zpack::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

size_t UndamagedPackets(const Bytes& bytes) {
  size_t count = 0;
  EXPECT_THAT(ScanPackets(MemoryFile(bytes), {},
                          [&](uint64_t, const ParityPacket&) { ++count; }),
              IsOk());
  return count;
}

TEST(FileMutator, AFileIsPutTogetherAsItWas) {
  const Bytes file = SegmentedFile();
  const auto parts = TakeApart(file);
  ASSERT_TRUE(parts.has_value());
  EXPECT_TRUE(parts->refs && parts->rows && parts->ids);
  EXPECT_EQ(PutTogether(*parts), file);
}

TEST(FileMutator, EditsGetPastEveryChecksum) {
  const Bytes file = SegmentedFile();
  int opened = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Bytes edited =
        MutateFile(file, seed, [&](Bytes& bytes) { FlipBytes(bytes, seed); });
    EXPECT_EQ(edited, MutateFile(file, seed, [&](Bytes& bytes) {
                FlipBytes(bytes, seed);
              }));
    const auto damages = Damages(edited, VerifyLevel::kChecksums);
    EXPECT_THAT(damages, Each(Not(HasSubstr("checksum"))));
    EXPECT_THAT(damages, Each(Not(HasSubstr("file hash"))));
    opened += damages.empty() ? 1 : 0;
  }
  EXPECT_GT(opened, 12);
}

TEST(FileMutator, ParityIsEditedWithoutDamageToItsPackets) {
  const TempDir directory;
  const std::string path = directory / "a.zpack";
  const Bytes plain = SegmentedFile();
  WriteFile(path, AsText(plain));
  ProtectOptions options;
  options.run.threads = 1;
  ASSERT_THAT(Protect(path, options), IsOk());
  const Bytes file = *ReadWholeFile(PosixFileSystem(), path, 1 << 20);
  const size_t packets = UndamagedPackets(file);
  ASSERT_GT(packets, 5U);
  const auto before = FindParameters(MemoryFile(file), file.size(), {});
  ASSERT_THAT(before, IsOk());
  int other_parameters = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Bytes edited = file;
    Choices choices(seed);
    ASSERT_TRUE(EditParity(edited, choices,
                           [&](Bytes& bytes) { FlipBytes(bytes, seed); }));
    // An edit may add or remove a packet, or make one that cannot be.
    EXPECT_NEAR(static_cast<double>(UndamagedPackets(edited)),
                static_cast<double>(packets), 1);
    const MemoryFile parity(edited);
    const auto found = FindParameters(parity, parity.size(), {});
    if (found && *found != *before) ++other_parameters;
  }
  EXPECT_GT(other_parameters, 10);
  Choices choices(0);
  Bytes none = plain;
  EXPECT_FALSE(EditParity(none, choices, [](Bytes& bytes) { bytes.clear(); }));
  EXPECT_EQ(none, plain);
}

TEST(FileMutator, EditedObjectsGetTheirTrueIds) {
  const Bytes file = SegmentedFile();
  EXPECT_EQ(WithTrueIds(file), std::nullopt);
  auto parts = TakeApart(file);
  ASSERT_TRUE(parts.has_value());
  for (ChunkPart& chunk : parts->chunks) {
    if (!chunk.block || chunk.block->header.type != ObjectType::kBlob) continue;
    for (StreamPart& stream : chunk.block->streams) {
      if (stream.kind == static_cast<uint8_t>(format::StreamKind::kLiterals)) {
        stream.raw[0] ^= 1;
        stream.raw_is = StreamPart::Is::kEdited;
      }
    }
  }
  const Bytes edited = PutTogether(*parts);
  EXPECT_NE(FirstDamage(edited, VerifyLevel::kObjects), "");
  const auto honest = WithTrueIds(edited);
  ASSERT_TRUE(honest.has_value());
  EXPECT_EQ(FirstDamage(*honest, VerifyLevel::kObjects), "");
}

TEST(FileMutator, IdsAreLeftOut) {
  auto parts = TakeApart(SegmentedFile());
  ASSERT_TRUE(parts.has_value());
  LeaveOutIds(*parts);
  const auto has = [&](uint32_t id) {
    return std::ranges::find(parts->chunks, id, &ChunkPart::id) !=
           parts->chunks.end();
  };
  EXPECT_TRUE(has(format::kIdsDigestChunk));
  EXPECT_FALSE(has(format::kObjectIdsChunk));
  EXPECT_FALSE(has(format::kObjectNumbersChunk));
  EXPECT_EQ(FirstDamage(PutTogether(*parts), VerifyLevel::kObjects), "");
  MakeCountsAgree(*parts);
  EXPECT_EQ(FirstDamage(PutTogether(*parts), VerifyLevel::kObjects), "");
}

TEST(FileMutator, BlocksOfAnotherFileAreTakenOver) {
  const Bytes file = SegmentedFile();
  const size_t objects = TakeApart(file)->header.object_count;
  size_t most = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Bytes crossed = CrossFiles(file, file, seed, [](Bytes&) {});
    const auto parts = TakeApart(crossed);
    ASSERT_TRUE(parts.has_value());
    most = std::max<size_t>(most, parts->header.object_count);
  }
  EXPECT_GT(most, objects);
}

}  // namespace
}  // namespace zpack::testing
