// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Damage of every kind at every place is repaired to the same bytes.

#include <algorithm>
#include <random>
#include <string>

#include "codec/deflate.h"
#include "parity/parity_fixture.h"
#include "parity/parity_packet.h"
#include "support/fault_file.h"

namespace zpack::testing {
namespace {

using Outcome = RepairReport::Outcome;

// Places all over the file, among them its start and its end.
constexpr size_t kPlaces = 12;

class RepairTest
    : public ::testing::TestWithParam<std::tuple<FileSize, ParityPlace>> {
 protected:
  RepairTest()
      : fixture_(std::get<0>(GetParam()), std::get<1>(GetParam()),
                 // Of a few shards, a single cut loses several.
                 std::get<0>(GetParam()) == FileSize::kSmall ? 10'000 : 500) {}

  // Calls `damage(content, offset)` for a run of `size` bytes at each place.
  template <typename Damage>
  void ExpectRepairsEverywhere(size_t size, Damage damage) {
    const size_t last = fixture_.content().size() - size;
    for (size_t i = 0; i <= kPlaces; ++i) {
      const size_t offset = last * i / kPlaces;
      SCOPED_TRACE(::testing::Message() << size << " bytes at " << offset);
      std::string damaged = fixture_.content();
      damage(damaged, offset);
      if (damaged != fixture_.content()) fixture_.ExpectRepairs(damaged);
    }
  }

  ParityFixture fixture_;
};

TEST_P(RepairTest, SaysThatAnUndamagedFileIsUndamaged) {
  const auto report = fixture_.Repair();
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->outcome, Outcome::kUndamaged);
  EXPECT_EQ(report->lost_data_shards, 0);
  EXPECT_EQ(report->lost_parity_shards, 0);
  EXPECT_EQ(report->repairable_bytes, fixture_.repairable());
  fixture_.ExpectNothingWritten();
}

TEST_P(RepairTest, RepairsFlippedBits) {
  ExpectRepairsEverywhere(1, [](std::string& content, size_t at) {
    content[at] = static_cast<char>(content[at] ^ 4);
  });
}

TEST_P(RepairTest, RepairsZeroedRuns) {
  const size_t size = fixture_.repairable();
  ExpectRepairsEverywhere(size, [&](std::string& content, size_t at) {
    std::fill_n(content.begin() + static_cast<ptrdiff_t>(at), size, '\0');
  });
}

TEST_P(RepairTest, RepairsLostBytes) {
  const size_t size = std::min<size_t>(fixture_.repairable(), 300);
  ExpectRepairsEverywhere(
      size, [&](std::string& content, size_t at) { content.erase(at, size); });
}

// What follows the parity moves, and checksums of shards are lost with it.
TEST(RepairParity, RepairsACutInTheParity) {
  ParityFixture fixture(FileSize::kLarge, ParityPlace::kInside);
  const std::string& content = fixture.content();
  const size_t begin = content.find("ZPAR");
  const size_t size = content.rfind("ZPAR") - begin;
  for (const size_t percent : {20, 50, 80}) {
    const size_t cut = size * percent / 100;
    for (size_t i = 0; i <= kPlaces; ++i) {
      const size_t at = begin + (size - cut) * i / kPlaces;
      SCOPED_TRACE(::testing::Message() << cut << " bytes at " << at);
      fixture.ExpectRepairs(std::string(content).erase(at, cut));
    }
  }
}

TEST_P(RepairTest, RepairsInsertedBytes) {
  ExpectRepairsEverywhere(1, [](std::string& content, size_t at) {
    content.insert(at, "inserted");
  });
}

TEST_P(RepairTest, RepairsAMissingTail) {
  for (const size_t size : {size_t{1}, size_t{32}, size_t{100},
                            static_cast<size_t>(fixture_.repairable())}) {
    SCOPED_TRACE(size);
    fixture_.ExpectRepairs(
        fixture_.content().substr(0, fixture_.content().size() - size));
  }
}

TEST_P(RepairTest, RemovesBytesAfterTheEnd) {
  fixture_.ExpectRepairs(fixture_.content() + "more");
}

TEST_P(RepairTest, SaysWhatCannotBeRepaired) {
  const ParityFixture fixture(std::get<0>(GetParam()), std::get<1>(GetParam()));
  std::string damaged = fixture.content();
  std::fill(damaged.begin() + static_cast<ptrdiff_t>(damaged.size() / 4),
            damaged.end(), 'x');
  WriteFile(fixture.file(), damaged);
  const auto report = fixture.Repair();
  // If the damage takes all of the parity, it is as if there never was any.
  if (!report && report.error().code == ErrorCode::kNotFound) return;
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->outcome, Outcome::kImpossible);
  ASSERT_FALSE(report->lost_codewords.empty());
  EXPECT_GT(report->lost_codewords[0].lost_shards,
            report->lost_codewords[0].restorable_shards);
  fixture.ExpectNothingWritten();
  EXPECT_TRUE(ReadFile(fixture.file()) == damaged);
}

// Parity is left beside a file that was replaced by a newer one.
class RepairOfAnotherVersion : public ::testing::Test {
 protected:
  RepairOfAnotherVersion() {
    WriteFile(path_, ContentOf(1));
    ProtectOptions protect;
    protect.place = ParityPlace::kBeside;
    protect.redundancy = 10'000;
    EXPECT_THAT(ProtectFile(PosixFileSystem(), path_, protect), IsOk());
  }

  static std::string ContentOf(int versions) {
    MemorySource source = SampleHistory(4);
    std::mt19937 random(3);
    for (int i = 0; i < 5; ++i) {
      std::string blob(60'000, 0);
      for (char& c : blob) c = static_cast<char>(random());
      source.AddBlob(blob);
    }
    for (int i = 0; i < versions; ++i) source.AddBlob(std::to_string(i));
    return std::string(AsText(FileOf(source)));
  }

  // The parity could make the old file of `content`, and must not.
  void ExpectKept(const std::string& content) const {
    WriteFile(path_, content);
    RepairOptions options;
    options.in_place = Overwrite::kYes;
    EXPECT_THAT(RepairFile(PosixFileSystem(), path_, options),
                HasCode(ErrorCode::kMismatch));
    EXPECT_TRUE(ReadFile(path_) == content);
    EXPECT_EQ(ListDirectory(directory_.path()).size(), 2U);
  }

  TempDir directory_;
  std::string path_ = directory_ / "a.zpack";
};

TEST_F(RepairOfAnotherVersion, KeepsAnUndamagedFile) {
  ExpectKept(ContentOf(2));
}

TEST_F(RepairOfAnotherVersion, KeepsADamagedFile) {
  std::string content = ContentOf(2);
  content[20'000] = static_cast<char>(content[20'000] ^ 1);
  ExpectKept(content);
}

// The copy of the header tells versions apart.
TEST_F(RepairOfAnotherVersion, KeepsAFileWhoseHeaderIsDamaged) {
  std::string content = ContentOf(2);
  content[20] = static_cast<char>(content[20] ^ 1);
  ExpectKept(content);
}

TEST_F(RepairOfAnotherVersion, KeepsAFileOfWhichNothingFits) {
  std::string content(ContentOf(1).size(), 'x');
  ExpectKept(content);
}

TEST_F(RepairOfAnotherVersion, TakesTheParityInTheFileFirst) {
  WriteFile(path_, ContentOf(2));
  ProtectOptions protect;
  protect.redundancy = 2000;
  ASSERT_THAT(ProtectFile(PosixFileSystem(), path_, protect), IsOk());
  const std::string content = ReadFile(path_);
  for (const size_t at : {20U, 20'000U}) {
    std::string damaged = content;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteFile(path_, damaged);
    RepairOptions options;
    options.in_place = Overwrite::kYes;
    const auto report = RepairFile(PosixFileSystem(), path_, options);
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->outcome, Outcome::kRepaired);
    EXPECT_TRUE(ReadFile(path_) == content);
  }
}

// Parity that says that zeros follow the file, up to any size.
TEST(RepairOfForgedParity, NeverMakesTheFileLarger) {
  const TempDir directory;
  const std::string path = directory / "a.zpack";
  const std::string content = ContentOfFile(FileSize::kSmall);
  WriteFile(path, content);
  ParityParameters parameters;
  const uint64_t size = content.size() * 50;
  parameters.shape = *MakeParityShape(size, size, 500);
  const ParityShape& shape = parameters.shape;
  Bytes payload;
  Encode(parameters, payload);
  const ParitySetId set = SetIdOf(parameters);
  Bytes forged;
  Encode(ParityPacket{PacketKind::kParameters, set, 0, payload}, forged);
  for (uint32_t group = 0; group < shape.groups(); ++group) {
    payload.clear();
    for (uint64_t i = 0; i < ParityShape::kGroup; ++i) {
      const uint64_t at =
          (group * ParityShape::kGroup + i) * uint64_t{shape.shard_size};
      std::string shard =
          at < content.size() ? content.substr(at, shape.shard_size) : "";
      shard.resize(shape.shard_size);
      ByteWriter(payload).U32(Crc32(0, AsBytes(shard)));
    }
    Encode(ParityPacket{PacketKind::kChecksums, set, group, payload}, forged);
  }
  WriteFile(path + ".zpar", std::string(AsText(forged)));
  FaultFileSystem system(-1, FaultFileSystem::Fault::kError);
  const auto report = RepairFile(system, path, {});
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->outcome, Outcome::kImpossible);
  EXPECT_GT(report->lost_data_shards, shape.shards() / 2);
  EXPECT_EQ(system.calls("write"), 0);
}

TEST_P(RepairTest, InPlaceReplacesTheFile) {
  std::string damaged = fixture_.content();
  damaged[40] = static_cast<char>(damaged[40] ^ 1);
  WriteFile(fixture_.file(), damaged);
  RepairOptions options;
  options.in_place = Overwrite::kYes;
  const auto report = RepairFile(PosixFileSystem(), fixture_.file(), options);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->outcome, Outcome::kRepaired);
  EXPECT_EQ(report->output, fixture_.file());
  EXPECT_TRUE(ReadFile(fixture_.file()) == fixture_.content());
  fixture_.ExpectNothingWritten();
}

TEST_P(RepairTest, KeepsAnExistingOutput) {
  std::string damaged = fixture_.content();
  damaged[40] = static_cast<char>(damaged[40] ^ 1);
  WriteFile(fixture_.file(), damaged);
  WriteFile(fixture_.file() + ".repaired", "mine");
  EXPECT_THAT(RepairFile(PosixFileSystem(), fixture_.file(), {}),
              HasCode(ErrorCode::kExists));
  EXPECT_EQ(ReadFile(fixture_.file() + ".repaired"), "mine");
}

INSTANTIATE_TEST_SUITE_P(
    Files, RepairTest,
    ::testing::Combine(::testing::Values(FileSize::kSmall, FileSize::kMedium),
                       ::testing::Values(ParityPlace::kInside,
                                         ParityPlace::kBeside)));

TEST(RepairParity, RestoresDamagedParityBesideTheFile) {
  const ParityFixture fixture(FileSize::kMedium, ParityPlace::kBeside);
  for (const size_t at : {size_t{0}, size_t{3000}, fixture.parity().size() / 2,
                          fixture.parity().size() - 1}) {
    std::string damaged = fixture.parity();
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    WriteFile(fixture.parity_file(), damaged);
    RepairOptions options;
    options.in_place = Overwrite::kYes;
    const auto report = RepairFile(PosixFileSystem(), fixture.file(), options);
    ASSERT_THAT(report, IsOk());
    EXPECT_EQ(report->outcome, Outcome::kRepaired);
    EXPECT_EQ(report->output, "");
    EXPECT_EQ(report->parity_output, fixture.parity_file());
    EXPECT_TRUE(ReadFile(fixture.parity_file()) == fixture.parity());
  }
}

TEST(RepairParity, RestoresBothFiles) {
  const ParityFixture fixture(FileSize::kMedium, ParityPlace::kBeside);
  WriteFile(fixture.parity_file(), fixture.parity().substr(600));
  std::string damaged = fixture.content();
  damaged.erase(5000, 7);
  WriteFile(fixture.file(), damaged);
  const auto report = fixture.Repair();
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(ReadFile(report->output) == fixture.content());
  EXPECT_EQ(report->parity_output, report->output + ".zpar");
  EXPECT_TRUE(ReadFile(report->parity_output) == fixture.parity());
}

TEST(RepairParity, IsNotReplacedByTheResult) {
  const ParityFixture fixture(FileSize::kSmall, ParityPlace::kBeside);
  std::string damaged = fixture.content();
  damaged[40] = static_cast<char>(damaged[40] ^ 1);
  WriteFile(fixture.file(), damaged);
  RepairOptions options;
  options.output = fixture.parity_file();
  options.overwrite = Overwrite::kYes;
  EXPECT_THAT(RepairFile(PosixFileSystem(), fixture.file(), options),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_TRUE(ReadFile(fixture.parity_file()) == fixture.parity());
}

TEST(RepairParity, NeedsParity) {
  const TempDir dir;
  WriteFile(dir / "a.zpack", ContentOfFile(FileSize::kSmall));
  EXPECT_THAT(RepairFile(PosixFileSystem(), dir / "a.zpack", {}),
              HasCode(ErrorCode::kNotFound));
}

TEST(Protect, RefusesADamagedFile) {
  const TempDir dir;
  std::string content = ContentOfFile(FileSize::kSmall);
  content[content.size() - 1] = static_cast<char>(content.back() ^ 1);
  WriteFile(dir / "a.zpack", content);
  for (const ParityPlace place : {ParityPlace::kInside, ParityPlace::kBeside}) {
    ProtectOptions options;
    options.place = place;
    EXPECT_THAT(ProtectFile(PosixFileSystem(), dir / "a.zpack", options),
                HasCode(ErrorCode::kCorrupt));
  }
  EXPECT_THAT(ListDirectory(dir.path()), ::testing::ElementsAre("a.zpack"));
}

TEST(Protect, ReplacesParity) {
  for (const ParityPlace place : {ParityPlace::kInside, ParityPlace::kBeside}) {
    const ParityFixture fixture(FileSize::kMedium, place);
    ProtectOptions options;
    options.place = place;
    options.redundancy = 2000;
    ASSERT_THAT(ProtectFile(PosixFileSystem(), fixture.file(), options),
                IsOk());
    options.redundancy = 500;
    options.run.threads = 1;
    ASSERT_THAT(ProtectFile(PosixFileSystem(), fixture.file(), options),
                IsOk());
    EXPECT_TRUE(ReadFile(fixture.file()) == fixture.content());
    EXPECT_EQ(
        FirstDamage(Bytes(fixture.content().begin(), fixture.content().end())),
        "");
  }
}

TEST(Protect, KeepsAFileThatIsNotParity) {
  const TempDir dir;
  WriteFile(dir / "a.zpack", ContentOfFile(FileSize::kSmall));
  WriteFile(dir / "a.zpack.zpar", "mine");
  ProtectOptions options;
  options.place = ParityPlace::kBeside;
  EXPECT_THAT(ProtectFile(PosixFileSystem(), dir / "a.zpack", options),
              HasCode(ErrorCode::kExists));
  EXPECT_EQ(ReadFile(dir / "a.zpack.zpar"), "mine");
  // A whole file with parity of its own.
  const ParityFixture other(FileSize::kSmall, ParityPlace::kInside);
  WriteFile(dir / "a.zpack.zpar", other.content());
  EXPECT_THAT(ProtectFile(PosixFileSystem(), dir / "a.zpack", options),
              HasCode(ErrorCode::kExists));
  EXPECT_TRUE(ReadFile(dir / "a.zpack.zpar") == other.content());
}

}  // namespace
}  // namespace zpack::testing
