// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions that are cut off at every call to the file system, and continued:
// the file is the same as if nothing had happened, whatever the temporary is
// like.

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "convert/convert_source.h"
#include "support/fault_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using Fault = FaultFileSystem::Fault;

// Calls to the file system: while blocks are written, each with one.
constexpr int kHalfWay = 15;
constexpr int kNearTheEnd = 26;

// Asks for a stop when progress has come to so many objects in a phase.
class StopAt final : public ProgressSink {
 public:
  StopAt(std::string phase, uint64_t objects)
      : phase_(std::move(phase)), objects_(objects) {}

  void Begin(std::string_view title, uint64_t, uint64_t) override {
    counting_ = title == phase_;
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
  std::string phase_;
  uint64_t objects_;
  bool counting_ = false;
  uint64_t seen_ = 0;
  std::stop_source stop_;
};

// Fails from its call number `fail_at` on.
class FailingSource final : public ObjectSource {
 public:
  FailingSource(std::unique_ptr<ObjectSource> source, int& calls, int fail_at,
                ErrorCode code)
      : source_(std::move(source)),
        calls_(calls),
        fail_at_(fail_at),
        code_(code) {}

  const std::string& path() const override { return source_->path(); }
  ObjectFormat object_format() const override {
    return source_->object_format();
  }
  Result<ObjectIdTable> ListObjects() override {
    ZPACK_TRY(Call());
    return source_->ListObjects();
  }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    ZPACK_TRY(Call());
    return source_->ReadInfo(id);
  }
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override {
    ZPACK_TRY(Call());
    return source_->Read(id, content);
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    ZPACK_TRY(Call());
    return source_->Open(id);
  }
  Result<RefsSnapshot> ReadRefs() override {
    ZPACK_TRY(Call());
    return source_->ReadRefs();
  }
  Result<std::vector<ObjectId>> ListOtherTips() override {
    ZPACK_TRY(Call());
    return source_->ListOtherTips();
  }
  uint64_t PackedBytes() override { return source_->PackedBytes(); }
  bool IsPartialClone() override { return source_->IsPartialClone(); }

 private:
  Status Call() {
    if (fail_at_ < 0 || calls_++ < fail_at_) return {};
    return MakeError(code_, "the source is gone");
  }

  std::unique_ptr<ObjectSource> source_;
  int& calls_;
  int fail_at_;
  ErrorCode code_;
};

class ResumeTest : public ::testing::Test {
 protected:
  ResumeTest() : source_(SampleHistory(40)), path_(dir_ / "out/a.zpack") {
    std::filesystem::create_directories(dir_ / "out");
    std::string large;
    while (large.size() < 160000) large += std::to_string(large.size() / 7);
    source_.AddBlob(large);
    large[5] = 'x';
    source_.AddBlob(large);
    options_.run.threads = 1;
    options_.block_size = 4096;
    const auto whole = Convert(PosixFileSystem());
    EXPECT_TRUE(whole) << whole.error().message;
    expected_ = ReadFile(path_);
    std::filesystem::remove(path_);
  }

  Result<ConvertStats> Convert(FileSystem& system) {
    return ConvertSource([&](SourceUse) { return source_.Open(); }, system,
                         path_, options_);
  }

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

  // Cuts a conversion off at call `call` to the file system.
  void CutOff(int call) {
    FaultFileSystem system(call, Fault::kKill);
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
    FaultFileSystem sound(-1, Fault::kError);
    EXPECT_TRUE(Convert(sound));
    std::filesystem::remove(path_);
    return sound.calls();
  }

  std::string Temporary() const { return dir_ / "out/.a.zpack.zpack-tmp"; }

  TempDir dir_;
  MemorySource source_;
  std::string path_;
  ConvertOptions options_;
  std::string expected_;
  int source_calls_ = 0;
};

TEST_F(ResumeTest, WhereverItWasCutOffTheBytesAreTheSame) {
  const int calls = Calls();
  ASSERT_GT(calls, 40);
  uint64_t most = 0;
  // The last call comes after the rename.
  for (int call = 0; call < calls - 1; ++call) {
    SCOPED_TRACE("call " + std::to_string(call));
    CutOff(call);
    const ConvertStats stats = ExpectResumes();
    // Each write leaves at least as much as the one before, up to the header.
    most = std::max(most, stats.resumed_blocks);
  }
  // All blocks, before the tables were written.
  EXPECT_GT(most, 20U);
}

TEST_F(ResumeTest, ALongNameIsFoundAgain) {
  path_ = dir_ / ("out/" + std::string(250, 'n'));
  CutOff(kHalfWay);
  EXPECT_GT(ExpectResumes().resumed_blocks, 0U);
}

TEST_F(ResumeTest, CutOffAgainAndAgain) {
  // Each run gets a little further: looking at what is there takes calls, too.
  CutOff(kHalfWay);
  const uintmax_t first = std::filesystem::file_size(Temporary());
  options_.resume = Resume::kYes;
  for (int call = 30; call <= 60; call += 5) {
    FaultFileSystem system(call, Fault::kKill);
    EXPECT_FALSE(Convert(system));
  }
  EXPECT_GT(std::filesystem::file_size(Temporary()), first);
  EXPECT_GT(ExpectResumes().resumed_blocks, 4U);
}

TEST_F(ResumeTest, WithoutTheOptionItIsBegunAnew) {
  CutOff(kHalfWay);
  options_.resume = Resume::kNo;
  const auto stats = Convert(PosixFileSystem());
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->resumed_blocks, 0U);
  EXPECT_TRUE(ReadFile(path_) == expected_);
}

TEST_F(ResumeTest, NothingToResumeIsNoError) {
  const ConvertStats stats = ExpectResumes();
  EXPECT_EQ(stats.resumed_blocks, 0U);
  EXPECT_EQ(stats.resume_unused, "");
}

TEST_F(ResumeTest, OtherOptionsObjectsOrRefsBeginAnew) {
  const auto expect_anew = [&](const std::string& reason) {
    options_.resume = Resume::kYes;
    options_.overwrite = Overwrite::kYes;
    const auto stats = Convert(PosixFileSystem());
    ASSERT_TRUE(stats) << stats.error().message;
    EXPECT_EQ(stats->resumed_blocks, 0U);
    EXPECT_EQ(stats->resume_unused, reason);
    const std::string resumed = ReadFile(path_);
    options_.resume = Resume::kNo;
    ASSERT_TRUE(Convert(PosixFileSystem()));
    EXPECT_TRUE(ReadFile(path_) == resumed);
    std::filesystem::remove(path_);
  };
  const std::string others =
      "it was started with different options or from a different repository "
      "state";
  CutOff(kHalfWay);
  options_.level = 3;
  expect_anew(others);
  CutOff(kHalfWay);
  options_.block_size = 8192;
  expect_anew(others);
  CutOff(kHalfWay);
  source_.AddBlob("new");
  expect_anew(others);
  CutOff(kHalfWay);
  source_.AddRef({"refs/heads/z", source_.refs.Resolve("HEAD"), {}, ""});
  expect_anew(others);
  WriteFile(Temporary(), "something else");
  expect_anew("it is not the beginning of a .zpack file");
}

TEST_F(ResumeTest, DamagedTemporaryNeverGivesAnotherFile) {
  CutOff(kNearTheEnd);
  const std::string left = ReadFile(Temporary());
  ASSERT_GT(left.size(), 2000U);
  for (size_t offset = 0; offset < left.size(); offset += 397) {
    SCOPED_TRACE("offset " + std::to_string(offset));
    std::string damaged = left;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 4);
    WriteFile(Temporary(), damaged);
    ExpectResumes();
  }
  for (size_t size = 0; size < left.size(); size += 997) {
    WriteFile(Temporary(), left.substr(0, size));
    ExpectResumes();
  }
  // What follows is cut off.
  WriteFile(Temporary(), left + std::string(2 * expected_.size(), 'x'));
  EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
}

TEST_F(ResumeTest, FromAnOlderFile) {
  const std::string base = dir_ / "base.zpack";
  WriteFile(base, expected_);
  options_.base = base;
  // The new objects come after all blocks of the older file.
  for (int i = 0; i < 30; ++i) {
    source_.AddBlob(std::to_string(i) + std::string(3000, 'a'));
    source_.AddTree({{"100644", std::to_string(i), source_.AddBlob("b")}});
  }
  ASSERT_TRUE(Convert(PosixFileSystem()));
  expected_ = ReadFile(path_);
  std::filesystem::remove(path_);
  const int calls = Calls();
  for (int call = 0; call < calls - 1; call += 3) {
    SCOPED_TRACE("call " + std::to_string(call));
    CutOff(call);
    ExpectResumes();
  }
}

TEST_F(ResumeTest, InterruptionKeepsWhatWasWritten) {
  // While blocks are written, and when all were.
  for (const char* const phase : {"Compressing objects", "Verifying objects"}) {
    SCOPED_TRACE(phase);
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

TEST_F(ResumeTest, InterruptionBeforeTheFirstBlockLeavesNothing) {
  StopAt stop("Counting objects", 1);
  options_.run.progress = &stop;
  options_.run.stop = stop.token();
  EXPECT_FALSE(Convert(PosixFileSystem()));
  EXPECT_TRUE(ListDirectory(dir_ / "out").empty());
}

TEST_F(ResumeTest, InterruptionBeforeAnythingIsResumedKeepsTheTemporary) {
  CutOff(kNearTheEnd);
  const std::string left = ReadFile(Temporary());
  StopAt stop("Counting objects", 1);
  options_.run.progress = &stop;
  options_.run.stop = stop.token();
  options_.resume = Resume::kYes;
  EXPECT_FALSE(Convert(PosixFileSystem()));
  EXPECT_TRUE(ReadFile(Temporary()) == left);
  options_.run = {};
  options_.run.threads = 4;
  EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
}

TEST_F(ResumeTest, FailureOfTheSourceKeepsTheTemporary) {
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

TEST_F(ResumeTest, FailureOfTheFileSystemKeepsTheTemporary) {
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

TEST_F(ResumeTest, FailureAfterTheRenameIsAnError) {
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

TEST_F(ResumeTest, FailureBeforeTheModeIsSetKeepsTheTemporary) {
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

TEST_F(ResumeTest, SourceThatFailsHalfWayKeepsWhatWasWritten) {
  options_.resume = Resume::kNo;
  ASSERT_TRUE(ConvertFailing(1000000, ErrorCode::kSourceCorrupt));
  std::filesystem::remove(path_);
  EXPECT_FALSE(ConvertFailing(source_calls_ - 2, ErrorCode::kSourceCorrupt));
  EXPECT_GT(ExpectResumes().resumed_blocks, 10U);
}

}  // namespace
}  // namespace zpack::testing
