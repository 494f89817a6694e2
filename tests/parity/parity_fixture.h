// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file, protected in both ways, and what becomes of damaged copies of it.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "protect/protect_file.h"
#include "protect/repair_file.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"

namespace zpack::testing {

// kLarge has more than 16 packets of checksums, so their copies differ in
// order.
enum class FileSize : uint8_t { kSmall, kMedium, kLarge };

// A file with some incompressible content.
inline std::string ContentOfFile(FileSize size) {
  MemorySource source = SampleHistory(4);
  if (size != FileSize::kSmall) {
    std::mt19937 random(3);
    const int blobs = size == FileSize::kMedium ? 5 : 16;
    for (int i = 0; i < blobs; ++i) {
      std::string blob(60'000, 0);
      for (char& c : blob) c = static_cast<char>(random());
      source.AddBlob(blob);
    }
  }
  return std::string(AsText(FileOf(source)));
}

class ParityFixture {
 public:
  ParityFixture(FileSize size, ParityPlace place, uint32_t redundancy = 500)
      : place_(place) {
    WriteFile(file_, ContentOfFile(size));
    ProtectOptions options;
    options.place = place;
    options.redundancy = redundancy;
    options.run.threads = 2;
    const auto stats = ProtectFile(PosixFileSystem(), file_, options);
    EXPECT_THAT(stats, IsOk());
    repairable_ = stats ? stats->repairable_bytes : 0;
    content_ = ReadFile(file_);
    if (place == ParityPlace::kBeside) parity_ = ReadFile(parity_file_);
  }

  Result<RepairReport> Repair() const {
    RepairOptions options;
    options.run.threads = 2;
    options.overwrite = Overwrite::kYes;
    return RepairFile(PosixFileSystem(), file_, options);
  }

  // The damaged file is repaired to what it was.
  void ExpectRepairs(const std::string& damaged) {
    WriteFile(file_, damaged);
    const auto report = Repair();
    ASSERT_THAT(report, IsOk());
    ASSERT_EQ(report->outcome, RepairReport::Outcome::kRepaired)
        << report->lost_data_shards << " of " << report->data_shards
        << " shards lost, " << report->moved_shards << " moved, "
        << report->lost_parity_shards << " of " << report->parity_shards
        << " parity shards lost";
    ASSERT_EQ(report->output, file_ + ".repaired");
    EXPECT_TRUE(ReadFile(report->output) == content_);
    EXPECT_TRUE(ReadFile(file_) == damaged);
    std::filesystem::remove(report->output);
  }

  void ExpectNothingWritten() const {
    EXPECT_EQ(ListDirectory(dir_.path()).size(),
              place_ == ParityPlace::kBeside ? 2U : 1U);
  }

  const std::string& file() const { return file_; }
  const std::string& parity_file() const { return parity_file_; }
  const std::string& content() const { return content_; }
  const std::string& parity() const { return parity_; }
  uint64_t repairable() const { return repairable_; }

 private:
  TempDir dir_;
  ParityPlace place_;
  std::string file_ = dir_ / "a.zpack";
  std::string parity_file_ = dir_ / "a.zpack.zpar";
  std::string content_;
  std::string parity_;
  uint64_t repairable_ = 0;
};

}  // namespace zpack::testing
