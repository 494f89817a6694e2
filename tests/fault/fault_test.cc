// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every call to the file system fails once, during a conversion over an
// existing file. Afterwards the destination is what it
// was (or, when only the last directory fsync failed, wholly the new one), the
// error names a path, and nothing else is left behind.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "convert/consolidate_file.h"
#include "convert/convert_source.h"
#include "support/fault_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"
#include "zpack/verify.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using Fault = FaultFileSystem::Fault;

size_t EntriesIn(const fs::path& directory) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(directory),
                                           fs::directory_iterator()));
}

Result<ConvertStats> ConvertWith(MemorySource& source, FileSystem& system,
                                 const fs::path& path,
                                 std::optional<std::string> base = {}) {
  ConvertOptions options;
  options.base = std::move(base);
  options.run.threads = 1;
  options.overwrite = Overwrite::kYes;
  options.block_size = 4096;
  return ConvertSource([&](SourceUse) { return source.Open(); }, system,
                       path.string(), options);
}

class Faults : public ::testing::TestWithParam<Fault> {};

TEST_P(Faults, DuringConvertLeaveTheOldFileOrTheNewOne) {
  const TempDir directory;
  const fs::path path = fs::path(directory.path()) / "a.zpack";
  MemorySource old_source = SampleHistory(2);
  MemorySource new_source = SampleHistory(40);
  ASSERT_TRUE(ConvertWith(old_source, PosixFileSystem(), path));
  const std::string old_content = ReadFile(path);
  FaultFileSystem sound(-1, Fault::kError);
  ASSERT_TRUE(ConvertWith(new_source, sound, path));
  const std::string new_content = ReadFile(path);
  ASSERT_NE(old_content, new_content);
  ASSERT_GT(sound.calls(), 20);

  for (int call = 0; call < sound.calls(); ++call) {
    ASSERT_TRUE(ConvertWith(old_source, PosixFileSystem(), path));
    FaultFileSystem system(call, GetParam());
    const auto stats = ConvertWith(new_source, system, path);
    SCOPED_TRACE("call " + std::to_string(call) + ", " + system.failed());
    ASSERT_FALSE(stats);
    const bool renamed = call == sound.calls() - 1;
    EXPECT_EQ(stats.error().code,
              renamed ? ErrorCode::kNotDurable : ErrorCode::kIo);
    EXPECT_NE(stats.error().message.find(directory.path()), std::string::npos)
        << stats.error().message;
    // Only the fsync of the directory comes after the rename.
    EXPECT_EQ(ReadFile(path), renamed ? new_content : old_content);
    EXPECT_EQ(EntriesIn(directory.path()), 1U) << "a temporary was left";
  }
}

TEST_P(Faults, DuringConvertFromAnOlderFileLeaveItOrTheNewOne) {
  const TempDir directory;
  const fs::path path = fs::path(directory.path()) / "a.zpack";
  MemorySource old_source = SampleHistory(20);
  MemorySource new_source = SampleHistory(25);
  ASSERT_TRUE(ConvertWith(old_source, PosixFileSystem(), path));
  const std::string old_content = ReadFile(path);
  // The tag of the older one is another object.
  for (const auto& [id, object] : old_source.objects()) {
    new_source.AddAs(id, object.type, object.content);
  }
  FaultFileSystem sound(-1, Fault::kError);
  const auto whole = ConvertWith(new_source, sound, path, path.string());
  ASSERT_TRUE(whole);
  ASSERT_GT(whole->reused.blocks, 2U);
  const std::string new_content = ReadFile(path);
  ASSERT_GT(sound.calls(), 20);

  for (int call = 0; call < sound.calls(); ++call) {
    std::ofstream(path, std::ios::binary) << old_content;
    FaultFileSystem system(call, GetParam());
    const auto stats = ConvertWith(new_source, system, path, path.string());
    SCOPED_TRACE("call " + std::to_string(call) + ", " + system.failed());
    ASSERT_FALSE(stats);
    const bool renamed = call == sound.calls() - 1;
    EXPECT_EQ(stats.error().code,
              renamed ? ErrorCode::kNotDurable : ErrorCode::kIo);
    EXPECT_EQ(ReadFile(path), renamed ? new_content : old_content);
    EXPECT_EQ(EntriesIn(directory.path()), 1U) << "a temporary was left";
  }
}

// Makes each call of `run` fail in turn. It writes `output`, and never changes
// `others`.
void ExpectAllOrNothing(Fault fault, const fs::path& output,
                        const std::vector<fs::path>& others,
                        const std::function<Status(FileSystem& system)>& run) {
  FaultFileSystem sound(-1, fault);
  ASSERT_TRUE(run(sound));
  const std::string content = ReadFile(output);
  std::vector<std::string> before;
  for (const fs::path& other : others) before.push_back(ReadFile(other));
  ASSERT_GT(sound.calls(), 20);
  for (int call = 0; call < sound.calls(); ++call) {
    fs::remove(output);
    FaultFileSystem system(call, fault);
    const Status status = run(system);
    SCOPED_TRACE("call " + std::to_string(call) + ", " + system.failed());
    ASSERT_FALSE(status);
    const bool renamed = call == sound.calls() - 1;
    EXPECT_EQ(status.error().code,
              renamed ? ErrorCode::kNotDurable : ErrorCode::kIo)
        << status.error().message;
    EXPECT_EQ(fs::exists(output), renamed);
    if (renamed) {
      EXPECT_EQ(ReadFile(output), content);
    }
    for (size_t i = 0; i < others.size(); ++i) {
      EXPECT_EQ(ReadFile(others[i]), before[i]);
    }
    EXPECT_EQ(EntriesIn(output.parent_path()), others.size() + renamed)
        << "a temporary was left";
  }
}

TEST_P(Faults, DuringConvertOntoAFileLeaveNothingOrTheNewOne) {
  const TempDir directory;
  const fs::path below = fs::path(directory.path()) / "a.zpack";
  const fs::path path = fs::path(directory.path()) / "b.zpack";
  MemorySource old_source = SampleHistory(20);
  MemorySource new_source = SampleHistory(25);
  ASSERT_TRUE(ConvertWith(old_source, PosixFileSystem(), below));
  ExpectAllOrNothing(
      GetParam(), path, {below}, [&](FileSystem& system) -> Status {
        ConvertOptions options;
        options.onto = below.string();
        options.run.threads = 1;
        const auto stats =
            ConvertSource([&](SourceUse) { return new_source.Open(); }, system,
                          path.string(), options);
        return stats ? Status{} : std::unexpected(stats.error());
      });
}

TEST_P(Faults, DuringConsolidateLeaveNothingOrTheNewOne) {
  const TempDir directory;
  const fs::path first = fs::path(directory.path()) / "a.zpack";
  const fs::path second = fs::path(directory.path()) / "b.zpack";
  const fs::path path = fs::path(directory.path()) / "c.zpack";
  MemorySource old_source = SampleHistory(20);
  MemorySource new_source = SampleHistory(25);
  ASSERT_TRUE(ConvertWith(old_source, PosixFileSystem(), first));
  ConvertOptions options;
  options.onto = first.string();
  ASSERT_TRUE(ConvertSource([&](SourceUse) { return new_source.Open(); },
                            PosixFileSystem(), second.string(), options));
  ConsolidateOptions joining;
  joining.run.threads = 1;
  for (const uint32_t from : {1, 2}) {
    for (const std::optional<Profile> profile :
         {std::optional<Profile>(), std::optional(Profile::kFast)}) {
      joining.from = from;
      joining.profile = profile;
      ExpectAllOrNothing(
          GetParam(), path, {first, second}, [&](FileSystem& system) -> Status {
            const auto stats = ConsolidateFile(system, second.string(),
                                               path.string(), joining);
            return stats ? Status{} : std::unexpected(stats.error());
          });
      fs::remove(path);
    }
  }
  // Files that stay below are opened once for writing, and once to read back.
  int opened = 0;
  FaultFileSystem system(-1, GetParam());
  system.set_meanwhile([&](const std::string& what, const std::string& of) {
    opened += what == "open" && of == first.string() ? 1 : 0;
  });
  ASSERT_TRUE(ConsolidateFile(system, second.string(), path.string(), joining));
  EXPECT_EQ(opened, 2);
}

INSTANTIATE_TEST_SUITE_P(All, Faults,
                         ::testing::Values(Fault::kError, Fault::kShortWrite),
                         [](const auto& fault) {
                           return fault.param == Fault::kError ? "Error"
                                                               : "ShortWrite";
                         });

}  // namespace
}  // namespace zpack::testing
