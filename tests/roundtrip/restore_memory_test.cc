// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What commands that read files allocate when they are told how much memory
// there is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "convert/convert_source.h"
#include "support/counting_allocator.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/consolidate.h"
#include "zpack/restore.h"
#include "zpack/verify.h"

namespace zpack::testing {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

class RestoreMemoryTest : public ::testing::Test {
 protected:
  // Versions of a file of 1.5 MiB, 48 MiB in all.
  void SetUp() override {
    MemorySource source;
    source.refs.head_symref = "refs/heads/main";
    std::string text = RawToHex(RandomBytes(1, 3 * kMebibyte / 4));
    for (size_t i = 0; i < 32; ++i) {
      text.replace(20'000 * (i + 1), 2, std::to_string(10 + i));
      source.AddBlob(text);
    }
    ConvertOptions options;
    options.profile = Profile::kFast;
    ASSERT_THAT(
        ConvertSource([&](SourceUse) { return source.Open(); },
                      PosixFileSystem(), directory_ / "a.zpack", options),
        IsOk());
  }

  // The most that is in use at a time.
  uint64_t PeakOf(const RunOptions& run) {
    RestoreOptions options;
    options.run = run;
    options.run.threads = 8;
    options.overwrite = Overwrite::kYes;
    ResetMemory();
    EXPECT_THAT(Restore(directory_ / "a.zpack", directory_ / "r.git", options),
                IsOk());
    return PeakMemory();
  }

  TempDir directory_;
};

TEST_F(RestoreMemoryTest, TakesNoMoreThanItIsGiven) {
  for (const uint64_t memory : {32 * kMebibyte, 64 * kMebibyte}) {
    RunOptions run;
    run.memory = memory;
    EXPECT_LE(PeakOf(run), memory) << memory;
  }
  // Otherwise this would test nothing: it does take more where it may. How much
  // more depends on how many threads have a block at the same time, which on a
  // busy machine are few now and then.
  constexpr uint64_t kMore = 34 * kMebibyte;
  uint64_t peak = 0;
  for (int run = 0; run < 10 && peak <= kMore; ++run) {
    peak = PeakOf(RunOptions{});
  }
  EXPECT_GT(peak, kMore);
}

// Blocks with a large blob each, and a version of it.
class LargeBlocksTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = std::make_unique<TempDir>();
    MemorySource source;
    source.refs.head_symref = "refs/heads/main";
    for (const char letter : {'a', 'b', 'c'}) {
      std::string text(40 * kMebibyte, letter);
      source.AddBlob(text);
      text[1000] = '1';
      source.AddBlob(text);
    }
    ConvertOptions options;
    options.profile = Profile::kFast;
    ASSERT_THAT(ConvertSource([&](SourceUse) { return source.Open(); },
                              PosixFileSystem(), File(), options),
                IsOk());
  }
  static void TearDownTestSuite() { directory_.reset(); }

  static std::string File() { return *directory_ / "a.zpack"; }

  static RunOptions Limited(uint64_t memory) {
    RunOptions run;
    run.threads = 8;
    run.memory = memory;
    return run;
  }

  // Enough for one thread.
  static constexpr uint64_t kToRead = 230 * kMebibyte;
  static constexpr uint64_t kToRestore = 290 * kMebibyte;
  static inline std::unique_ptr<TempDir> directory_;
};

TEST_F(LargeBlocksTest, RestoreKeepsToItsMemory) {
  RestoreOptions options;
  options.run = Limited(kToRestore);
  ResetMemory();
  EXPECT_THAT(Restore(File(), *directory_ / "r.git", options), IsOk());
  EXPECT_LE(PeakMemory(), kToRestore);
}

TEST_F(LargeBlocksTest, VerifyKeepsToItsMemory) {
  VerifyOptions options;
  options.run = Limited(kToRead);
  ResetMemory();
  EXPECT_THAT(Verify(File(), "", options), IsOk());
  EXPECT_LE(PeakMemory(), kToRead);
}

TEST_F(LargeBlocksTest, ReadingBackKeepsToItsMemory) {
  ConsolidateOptions options;
  options.run = Limited(kToRead);
  ResetMemory();
  EXPECT_THAT(Consolidate(File(), *directory_ / "c.zpack", options), IsOk());
  EXPECT_LE(PeakMemory(), kToRead);
}

}  // namespace
}  // namespace zpack::testing
