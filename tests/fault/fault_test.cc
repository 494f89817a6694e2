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
#include <optional>
#include <string>
#include <utility>

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

INSTANTIATE_TEST_SUITE_P(All, Faults,
                         ::testing::Values(Fault::kError, Fault::kShortWrite),
                         [](const auto& fault) {
                           return fault.param == Fault::kError ? "Error"
                                                               : "ShortWrite";
                         });

}  // namespace
}  // namespace zpack::testing
