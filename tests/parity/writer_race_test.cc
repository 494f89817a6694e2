// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Two writers, one file: whenever another process replaces the file that a
// command is about to replace, the newer content stays.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/atomic_file.h"
#include "convert/convert_source.h"
#include "parity/parity_fixture.h"
#include "reader/archive_file.h"
#include "support/fault_file.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using Fault = FaultFileSystem::Fault;

FileIds IdsOf(const std::string& path) {
  auto file = PosixFileSystem().OpenForRead(path);
  Require(file.has_value(), "no file");
  const auto archive = ArchiveFile::Open(std::move(*file), ReadOptions{});
  Require(archive.has_value(), "no archive");
  return (*archive)->ids();
}

Result<ConvertStats> ConvertTo(FileSystem& system, const std::string& path,
                               int commits, Update update) {
  MemorySource source = SampleHistory(commits);
  ConvertOptions options;
  options.update = update;
  options.overwrite = Overwrite::kYes;
  options.run.threads = 1;
  return ConvertSource([&](SourceUse) { return source.Open(); }, system, path,
                       options);
}

class WriterRace : public ::testing::Test {
 protected:
  WriterRace() {
    Require(ConvertTo(PosixFileSystem(), newer_, 7, Update::kNo).has_value(),
            "convert");
  }

  // Replaces the file by the newer one, without any lock.
  void Replace(const std::string& path) const {
    fs::copy_file(newer_, path + ".copy", fs::copy_options::overwrite_existing);
    fs::rename(path + ".copy", path);
  }

  // Runs `operation` on a file with `before` once for each of its calls, right
  // before which the file is replaced, up to the last look at it. Expects that
  // the newer file is there at the end, perhaps with parity. Returns how often
  // the operation failed.
  int Sweep(const std::string& path, const std::string& before,
            const std::function<Status(FileSystem&)>& operation) const {
    const FileIds expected = IdsOf(newer_);
    int failed = 0;
    bool replaced = true;
    for (int at = 0; replaced; ++at) {
      WriteFile(path, before);
      FaultFileSystem system(-1, Fault::kError);
      int call = 0;
      std::string moment;
      replaced = false;
      system.set_meanwhile([&](const std::string& what, const std::string& of) {
        if (call++ != at || system.calls("chmod") != 0 || what == "chmod") {
          return;
        }
        replaced = true;
        moment = what + ' ' + of;
        Replace(path);
      });
      const Status status = operation(system);
      if (!replaced) break;
      SCOPED_TRACE(moment);
      if (!status) ++failed;
      EXPECT_TRUE(IdsOf(path) == expected);
    }
    return failed;
  }

  template <typename T>
  static Status ToStatus(const Result<T>& result) {
    if (result) return {};
    return std::unexpected(result.error());
  }

  TempDir dir_;
  std::string newer_ = dir_ / "newer.zpack";
};

TEST_F(WriterRace, ProtectKeepsANewerFile) {
  const ParityFixture fixture(FileSize::kSmall, ParityPlace::kInside);
  const int failed =
      Sweep(fixture.file(), fixture.content(), [&](FileSystem& system) {
        ProtectOptions options;
        options.run.threads = 1;
        return ToStatus(ProtectFile(system, fixture.file(), options));
      });
  EXPECT_GT(failed, 10);
}

// Parity of a file that is gone would be stale from the start.
TEST_F(WriterRace, ProtectBesideWritesNoParityOfAnOlderFile) {
  const ParityFixture fixture(FileSize::kSmall, ParityPlace::kBeside);
  fs::remove(fixture.parity_file());
  Sweep(fixture.file(), fixture.content(), [&](FileSystem& system) {
    ProtectOptions options;
    options.place = ParityPlace::kBeside;
    options.run.threads = 1;
    const auto protect = ProtectFile(system, fixture.file(), options);
    if (!protect) {
      EXPECT_FALSE(fs::exists(fixture.parity_file()));
      return ToStatus(protect);
    }
    const auto repair = fixture.Repair();
    EXPECT_TRUE(repair && repair->outcome == RepairReport::Outcome::kUndamaged);
    fs::remove(fixture.parity_file());
    return Status{};
  });
}

TEST_F(WriterRace, RepairKeepsANewerFile) {
  for (const ParityPlace place : {ParityPlace::kInside, ParityPlace::kBeside}) {
    const ParityFixture fixture(FileSize::kSmall, place);
    std::string damaged = fixture.content();
    damaged[60] = static_cast<char>(damaged[60] ^ 1);
    const int failed = Sweep(fixture.file(), damaged, [&](FileSystem& system) {
      RepairOptions options;
      options.run.threads = 1;
      options.in_place = Overwrite::kYes;
      return ToStatus(RepairFile(system, fixture.file(), options));
    });
    EXPECT_GT(failed, 10);
  }
}

// An update reads the older file under the lock, and what is published then
// replaces nothing else.
TEST_F(WriterRace, ConvertKeepsAFileThatAppearedSinceItBegan) {
  const std::string path = dir_ / "x.zpack";
  for (const Update update : {Update::kNo, Update::kYes}) {
    for (const bool exists : {true, false}) {
      fs::remove(path);
      if (exists) {
        ASSERT_THAT(ConvertTo(PosixFileSystem(), path, 3, Update::kNo), IsOk());
      }
      FaultFileSystem system(-1, Fault::kError);
      bool replaced = false;
      system.set_meanwhile([&](const std::string& what, const std::string&) {
        if (what != "fsync" || system.calls("write") == 0 || replaced) return;
        replaced = true;
        Replace(path);
      });
      const auto stats = ConvertTo(system, path, 5, update);
      ASSERT_TRUE(replaced);
      EXPECT_THAT(stats, HasCode(ErrorCode::kExists));
      EXPECT_TRUE(ReadFile(path) == ReadFile(newer_));
    }
  }
}

// While a command reads what it will replace, no other command of ours can
// write there.
TEST_F(WriterRace, NothingIsReadBeforeTheLockIsHeld) {
  const std::string path = dir_ / "x.zpack";
  const auto expect_locked =
      [&](const std::function<Status(FileSystem&)>& run) {
        ASSERT_THAT(ConvertTo(PosixFileSystem(), path, 3, Update::kNo), IsOk());
        FaultFileSystem system(-1, Fault::kError);
        int reads = 0;
        system.set_meanwhile(
            [&](const std::string& what, const std::string& of) {
              if (what != "read" || of != path) return;
              ++reads;
              EXPECT_THAT(
                  AtomicFile::Create(PosixFileSystem(), path, Overwrite::kYes),
                  HasCode(ErrorCode::kExists));
            });
        EXPECT_THAT(run(system), IsOk());
        EXPECT_GT(reads, 3);
      };
  expect_locked([&](FileSystem& system) {
    return ToStatus(ConvertTo(system, path, 5, Update::kYes));
  });
  expect_locked([&](FileSystem& system) {
    ProtectOptions options;
    options.run.threads = 1;
    return ToStatus(ProtectFile(system, path, options));
  });
}

}  // namespace
}  // namespace zpack::testing
