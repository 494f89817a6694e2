// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of continued conversions share: a source, a conversion of it that
// is cut off, and the file that must come out. Thread-compatible.

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "convert/convert_source.h"
#include "support/fault_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"
#include "zpack/result.h"

namespace zpack::testing {

// Calls to the file system: while blocks are written, each with one.
inline constexpr int kHalfWay = 15;
inline constexpr int kNearTheEnd = 26;

class ResumeFixture : public ::testing::Test {
 protected:
  ResumeFixture() : source_(SampleHistory(40)), path_(dir_ / "out/a.zpack") {
    std::filesystem::create_directories(dir_ / "out");
    std::string large;
    while (large.size() < 160000) large += std::to_string(large.size() / 7);
    source_.Add(ObjectType::kTag, large);
    large[5] = 'x';
    source_.Add(ObjectType::kTag, large);
    options_.run.threads = 1;
    options_.block_size = 4096;
    const auto whole = Convert(PosixFileSystem());
    EXPECT_TRUE(whole) << whole.error().message;
    expected_ = ReadFile(path_);
    std::filesystem::remove(path_);
  }

  // Converts with these options.
  Result<ConvertStats> Convert(FileSystem& system) {
    return ConvertSource([&](SourceUse) { return source_.Open(); }, system,
                         path_, options_);
  }

  // Cuts a conversion off at call `call` to the file system.
  void CutOff(int call) {
    FaultFileSystem system(call, FaultFileSystem::Fault::kKill);
    options_.resume = Resume::kNo;
    EXPECT_FALSE(Convert(system));
  }

  // Continues it, and expects the file.
  ConvertStats ExpectResumes() {
    options_.resume = Resume::kYes;
    const auto stats = Convert(PosixFileSystem());
    EXPECT_TRUE(stats) << stats.error().message;
    if (!stats) return {};
    EXPECT_TRUE(ReadFile(path_) == expected_);
    EXPECT_EQ(ListDirectory(dir_ / "out"),
              std::vector<std::string>{FileNameOf(path_)});
    std::filesystem::remove(path_);
    return *stats;
  }

  // Calls to the file system of a whole conversion.
  int Calls() {
    FaultFileSystem sound(-1, FaultFileSystem::Fault::kError);
    EXPECT_TRUE(Convert(sound));
    std::filesystem::remove(path_);
    return sound.calls();
  }

  std::string Temporary() const { return dir_ / "out/.a.zpack.zpack-tmp"; }

  TempDir dir_;
  MemorySource source_;
  std::string path_;
  ConvertOptions options_;
  std::string expected_;  // the file
};

}  // namespace zpack::testing
