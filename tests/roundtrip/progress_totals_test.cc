// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What phases announce is what they do: estimates rest on it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/convert.h"
#include "zpack/repack.h"
#include "zpack/restore.h"
#include "zpack/statistics.h"
#include "zpack/verify.h"

namespace zpack::testing {
namespace {

struct RecordedPhase {
  Phase phase;
  uint64_t total_objects = 0;
  uint64_t total_bytes = 0;
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

class Recorder final : public ProgressSink {
 public:
  void Begin(Phase phase, uint64_t total_objects,
             uint64_t total_bytes) override {
    phases_.push_back({phase, total_objects, total_bytes, 0, 0});
    objects_ = bytes_ = 0;
  }
  void Advance(uint64_t objects, uint64_t bytes) override {
    objects_ += objects;
    bytes_ += bytes;
  }
  void End() override {
    phases_.back().objects = objects_;
    phases_.back().bytes = bytes_;
  }

  const std::vector<RecordedPhase>& phases() const { return phases_; }

 private:
  std::vector<RecordedPhase> phases_;
  std::atomic<uint64_t> objects_ = 0;
  std::atomic<uint64_t> bytes_ = 0;
};

// Phases that know only objects beforehand.
bool OnlyObjects(Phase phase) {
  return phase == Phase::kEnumeratingObjects ||
         phase == Phase::kOpeningRepository ||
         phase == Phase::kCountingObjects ||
         phase == Phase::kComparingObjects ||
         phase == Phase::kCheckingConnectivity;
}

void ExpectTotalsKept(const Recorder& recorder) {
  ASSERT_FALSE(recorder.phases().empty());
  for (const RecordedPhase& recorded : recorder.phases()) {
    if (recorded.phase == Phase::kEnumeratingObjects) continue;
    if (recorded.phase == Phase::kCountingObjects &&
        recorded.total_objects == 0)
      continue;
    EXPECT_EQ(recorded.objects, recorded.total_objects)
        << PhaseTitle(recorded.phase);
    EXPECT_EQ(recorded.bytes, recorded.total_bytes)
        << PhaseTitle(recorded.phase);
  }
}

void ExpectBytesKnown(const Recorder& recorder) {
  for (const RecordedPhase& recorded : recorder.phases()) {
    EXPECT_EQ(recorded.total_bytes == 0, OnlyObjects(recorded.phase))
        << PhaseTitle(recorded.phase);
  }
}

class ProgressTotalsTest : public ::testing::Test {
 protected:
  ProgressTotalsTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    const std::string tip = repo_.History(5);
    // In segments in a file of small blocks, above the threshold of a repack.
    repo_.SetRef(
        "refs/tags/large",
        repo_.WriteTree(TreeEntryBytes(
            "100644", "large", repo_.WriteBlob(RandomBytes(1, 300000)))));
    repo_.SetRef("refs/tags/empty", repo_.WriteBlob(""));
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip, "commit", "v1"));
    repo_.PackAll();
  }

  void Convert(ProgressSink* progress) {
    ConvertOptions options;
    options.run.threads = 2;
    options.run.progress = progress;
    options.block_size = ConvertOptions::kMinBlockSize;
    const auto stats = zpack::Convert(repo_.path(), file_, options);
    ASSERT_TRUE(stats) << stats.error().message;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(ProgressTotalsTest, OfConvert) {
  Recorder recorder;
  Convert(&recorder);
  ExpectTotalsKept(recorder);
  ExpectBytesKnown(recorder);
}

TEST_F(ProgressTotalsTest, OfConvertThatCopies) {
  Convert(nullptr);
  repo_.SetRef("refs/tags/new", repo_.WriteBlob(std::string(200000, 'y')));
  Recorder recorder;
  ConvertOptions options;
  options.run.progress = &recorder;
  options.base = file_;
  const auto stats = zpack::Convert(repo_.path(), dir_ / "y.zpack", options);
  ASSERT_TRUE(stats) << stats.error().message;
  EXPECT_GT(stats->reused.blocks, 0U);
  ExpectTotalsKept(recorder);
}

TEST_F(ProgressTotalsTest, OfVerify) {
  Convert(nullptr);
  Recorder recorder;
  VerifyOptions options;
  options.run.progress = &recorder;
  options.level = VerifyLevel::kConnectivity;
  const auto report = Verify(file_, repo_.path(), options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->ok());
  ExpectTotalsKept(recorder);
  ExpectBytesKnown(recorder);
}

TEST_F(ProgressTotalsTest, OfRestore) {
  Convert(nullptr);
  Recorder recorder;
  RestoreOptions options;
  options.run.progress = &recorder;
  const auto stats = Restore(file_, dir_ / "restored.git", options);
  ASSERT_TRUE(stats) << stats.error().message;
  ExpectTotalsKept(recorder);
  ExpectBytesKnown(recorder);
}

TEST_F(ProgressTotalsTest, OfStatistics) {
  Convert(nullptr);
  Recorder recorder;
  RunOptions run;
  run.progress = &recorder;
  ASSERT_TRUE(CollectStatistics(file_, {}, run));
  ExpectTotalsKept(recorder);
}

TEST_F(ProgressTotalsTest, OfRepack) {
  Recorder recorder;
  RepackOptions options;
  options.run.progress = &recorder;
  options.run.memory = 1600000;  // a window of 100 kB
  options.reuse = PackReuse::kNothing;
  const auto stats = Repack(repo_.path(), options);
  ASSERT_TRUE(stats) << stats.error().message;
  ExpectTotalsKept(recorder);
  ExpectBytesKnown(recorder);
}

TEST_F(ProgressTotalsTest, OfRepackThatCopies) {
  repo_.SetRef("refs/tags/new", repo_.WriteBlob(std::string(200000, 'y')));
  Recorder recorder;
  RepackOptions options;
  options.run.progress = &recorder;
  const auto stats = Repack(repo_.path(), options);
  ASSERT_TRUE(stats) << stats.error().message;
  ExpectTotalsKept(recorder);
}

}  // namespace
}  // namespace zpack::testing
