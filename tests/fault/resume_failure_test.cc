// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions that are interrupted, or whose source or file system fails: what
// was written is kept, and can be continued.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "base/error.h"
#include "support/failing_source.h"
#include "support/resume_fixture.h"
#include "support/someone.h"

namespace zpack::testing {
namespace {

using Fault = FaultFileSystem::Fault;

// Asks for a stop when progress has come to so many objects in a phase.
class StopAt final : public ProgressSink {
 public:
  StopAt(Phase phase, uint64_t objects) : phase_(phase), objects_(objects) {}

  void Begin(Phase phase, uint64_t, uint64_t) override {
    counting_ = phase == phase_;
    if (counting_ && objects_ == 0) stop_.request_stop();
  }
  void Advance(uint64_t objects, uint64_t) override {
    if (!counting_) return;
    seen_ += objects;
    if (seen_ >= objects_) stop_.request_stop();
  }
  void End() override { counting_ = false; }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  Phase phase_;
  uint64_t objects_;
  bool counting_ = false;
  uint64_t seen_ = 0;
  std::stop_source stop_;
};

class ResumeFailureTest : public ResumeFixture {
 protected:
  // Converts, and call `fail_at` to the source and those after it fail.
  Result<ConvertStats> ConvertFailing(int fail_at, ErrorCode code) {
    source_calls_ = 0;
    return ConvertSource(
        [&](SourceUse) -> Result<std::unique_ptr<ObjectSource>> {
          if (source_calls_ >= fail_at) {
            return MakeError(ErrorCode::kNotFound, "no source");
          }
          return std::make_unique<FailingSource>(source_.Open(), source_calls_,
                                                 fail_at, code);
        },
        PosixFileSystem(), path_, options_);
  }

  int source_calls_ = 0;
};

TEST_F(ResumeFailureTest, InterruptionKeepsWhatWasWritten) {
  // While blocks are written, and when all were.
  for (const Phase phase :
       {Phase::kCompressingObjects, Phase::kVerifyingObjects}) {
    SCOPED_TRACE(PhaseTitle(phase));
    StopAt stop(phase, 100);
    options_.resume = Resume::kNo;
    options_.run.progress = &stop;
    options_.run.stop = stop.token();
    const auto stats = Convert(PosixFileSystem());
    options_.run = {};
    options_.run.threads = 1;
    ASSERT_FALSE(stats);
    EXPECT_EQ(stats.error().code, ErrorCode::kInterrupted);
    EXPECT_TRUE(CanResume(path_));
    EXPECT_GT(ExpectResumes().resumed_blocks, 2U);
    EXPECT_FALSE(CanResume(path_));
  }
}

TEST_F(ResumeFailureTest, AFileThatNobodyNamedIsNotContinued) {
  StopAt stop(Phase::kCompressingObjects, 100);
  options_.resume = Resume::kNo;
  options_.if_unchanged = IfUnchanged::kSkip;  // as '--onto-latest' sets it
  options_.run.progress = &stop;
  options_.run.stop = stop.token();
  EXPECT_FALSE(Convert(PosixFileSystem()));
  EXPECT_FALSE(CanResume(path_));
  EXPECT_TRUE(ListDirectory(dir_ / "out").empty());
}

TEST_F(ResumeFailureTest, InterruptionBeforeTheFirstBlockLeavesNothing) {
  StopAt stop(Phase::kCountingObjects, 1);
  options_.run.progress = &stop;
  options_.run.stop = stop.token();
  EXPECT_FALSE(Convert(PosixFileSystem()));
  EXPECT_TRUE(ListDirectory(dir_ / "out").empty());
}

TEST_F(ResumeFailureTest,
       InterruptionBeforeAnythingIsResumedKeepsTheTemporary) {
  CutOff(kNearTheEnd);
  const std::string left = ReadFile(Temporary());
  StopAt stop(Phase::kCountingObjects, 1);
  options_.run.progress = &stop;
  options_.run.stop = stop.token();
  options_.resume = Resume::kYes;
  EXPECT_FALSE(Convert(PosixFileSystem()));
  EXPECT_TRUE(ReadFile(Temporary()) == left);
  options_.run = {};
  options_.run.threads = 4;
  EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
}

TEST_F(ResumeFailureTest, FailureOfTheSourceKeepsTheTemporary) {
  CutOff(kNearTheEnd);
  options_.resume = Resume::kYes;
  ASSERT_TRUE(ConvertFailing(1000000, ErrorCode::kIo));
  std::filesystem::remove(path_);
  const int calls = source_calls_;
  ASSERT_GT(calls, 100);
  for (int call = 0; call < calls; call += 1 + calls / 8) {
    SCOPED_TRACE("call " + std::to_string(call) + " of the source");
    CutOff(kNearTheEnd);
    options_.resume = Resume::kYes;
    EXPECT_FALSE(ConvertFailing(call, ErrorCode::kIo));
    EXPECT_TRUE(CanResume(path_));
    EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
  }
}

TEST_F(ResumeFailureTest, FailureOfTheFileSystemKeepsTheTemporary) {
  CutOff(kNearTheEnd);
  const std::string left = ReadFile(Temporary());
  options_.resume = Resume::kYes;
  const int calls = Calls();
  for (int call = 0; call < calls - 1; call += 7) {
    SCOPED_TRACE("call " + std::to_string(call));
    WriteFile(Temporary(), left);
    FaultFileSystem system(call, Fault::kError);
    options_.resume = Resume::kYes;
    if (Convert(system)) {
      // What could not be read of the temporary was written again.
      EXPECT_EQ(system.failed(), "read");
      EXPECT_TRUE(ReadFile(path_) == expected_);
      std::filesystem::remove(path_);
      continue;
    }
    EXPECT_GT(ExpectResumes().resumed_blocks, 10U) << system.failed();
  }
}

TEST_F(ResumeFailureTest, FailureAfterTheRenameIsAnError) {
  CutOff(kNearTheEnd);
  const std::string left = ReadFile(Temporary());
  options_.resume = Resume::kYes;
  const int calls = Calls();
  WriteFile(Temporary(), left);
  FaultFileSystem system(calls - 1, Fault::kError);
  EXPECT_FALSE(Convert(system));
  EXPECT_TRUE(ReadFile(path_) == expected_);
  EXPECT_FALSE(Exists(Temporary()));
}

TEST_F(ResumeFailureTest, FailureBeforeTheModeIsSetKeepsTheTemporary) {
  CutOff(kNearTheEnd);
  const std::string left = ReadFile(Temporary());
  WriteFile(path_, "the old file");
  options_.overwrite = Overwrite::kYes;
  options_.resume = Resume::kYes;
  // Syncing the directory, opening the temporary, setting its mode.
  for (int call = 0; call < 3; ++call) {
    FaultFileSystem system(call, Fault::kError);
    EXPECT_FALSE(Convert(system));
    EXPECT_TRUE(ReadFile(Temporary()) == left) << system.failed();
  }
  EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
}

// By then the temporary has the mode of the file that it replaces.
TEST_F(ResumeFailureTest, FailureOfTheRenameKeepsATemporaryThatCanBeOpened) {
  for (const std::string& path : {dir_.path(), dir_ / "out"}) {
    std::filesystem::permissions(path, std::filesystem::perms::all);
  }
  const AsSomeone someone;
  const auto write_old = [&] {
    std::filesystem::remove(path_);
    WriteFile(path_, "the old file");
    std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  };
  options_.overwrite = Overwrite::kYes;
  write_old();
  int rename = 0;
  FaultFileSystem sound(-1, Fault::kError);
  sound.set_meanwhile([&](const std::string& what, const std::string&) {
    if (what == "rename") rename = sound.calls();
  });
  ASSERT_TRUE(Convert(sound));
  write_old();
  options_.resume = Resume::kYes;
  FaultFileSystem system(rename, Fault::kError);
  EXPECT_FALSE(Convert(system));
  EXPECT_EQ(system.failed(), "rename");
  EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
}

TEST_F(ResumeFailureTest, SourceThatFailsHalfWayKeepsWhatWasWritten) {
  options_.resume = Resume::kNo;
  ASSERT_TRUE(ConvertFailing(1000000, ErrorCode::kSourceCorrupt));
  std::filesystem::remove(path_);
  EXPECT_FALSE(ConvertFailing(source_calls_ - 2, ErrorCode::kSourceCorrupt));
  EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
}

}  // namespace
}  // namespace zpack::testing
