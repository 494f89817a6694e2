// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions that are cut off at every call to the file system, and continued:
// the file is the same as if nothing had happened, whatever the temporary is
// like.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "reader/archive_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/repo_builder.h"
#include "support/resume_fixture.h"

namespace zpack::testing {
namespace {

using Fault = FaultFileSystem::Fault;

using ResumeTest = ResumeFixture;

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

// Files of the repository follow the blocks, in several pieces.
TEST_F(ResumeTest, CutOffAmongFilesTheBytesAreTheSame) {
  const int without_files = Calls();
  source_.files["description"] = "a project\n";
  source_.files["hooks/pre-commit"] = "#!/bin/sh\n";
  const std::string object(5 << 20, 'x');
  source_.files[LfsName(object)] = object;
  ASSERT_TRUE(Convert(PosixFileSystem()));
  expected_ = ReadFile(path_);
  std::filesystem::remove(path_);
  const int calls = Calls();
  ASSERT_GT(calls, without_files + 2);
  uint64_t most = 0;
  for (int call = kNearTheEnd; call < calls - 1; call += 2) {
    SCOPED_TRACE("call " + std::to_string(call));
    CutOff(call);
    most = std::max(most, ExpectResumes().resumed_blocks);
  }
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

TEST_F(ResumeTest, PromisedObjectsArePartOfThePlan) {
  const auto all = source_.objects();
  for (const auto& [id, object] : all) {
    if (object.content.starts_with("int x = 1;")) source_.Remove(id);
  }
  ASSERT_LT(source_.objects().size(), all.size());
  source_.promisor_remotes = {{"origin", "https://example.com/x", ""}};
  options_.promised = AllowPromised::kYes;
  ASSERT_TRUE(Convert(PosixFileSystem()));
  expected_ = ReadFile(path_);
  std::filesystem::remove(path_);
  CutOff(kHalfWay);
  EXPECT_GT(ExpectResumes().resumed_blocks, 0U);

  std::filesystem::remove(path_);
  CutOff(kHalfWay);
  source_.promisor_remotes[0].url = "https://example.com/y";
  options_.resume = Resume::kYes;
  const auto stats = Convert(PosixFileSystem());
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->resumed_blocks, 0U);
  EXPECT_NE(stats->resume_unused, "");
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
  // Without objects in segments, the plan is the same but for the size.
  const auto all = source_.objects();
  for (const auto& [id, object] : all) {
    if (object.content.size() > 100'000) source_.Remove(id);
  }
  CutOff(kHalfWay);
  ++*options_.block_size;
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

// A group is not cut: its stretch is written again.
// Sound blocks where others belong are not continued.
TEST_F(ResumeTest, WhatIsNotInItsPlaceIsWrittenAgain) {
  const auto archive = ArchiveFile::Open(
      std::make_unique<MemoryFile>(Bytes(expected_.begin(), expected_.end())),
      ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  const auto offset = [&](size_t block) {
    return (*archive)->blocks().block_offset(block);
  };
  CutOff(kNearTheEnd);
  const std::string left = ReadFile(Temporary());
  for (const size_t block : {1, 3, 5}) {
    std::string shorter = left;
    shorter.erase(offset(block), offset(block + 1) - offset(block));
    WriteFile(Temporary(), shorter);
    EXPECT_GT(ExpectResumes().resumed_blocks, 0U) << block;
  }
}

TEST_F(ResumeTest, GroupsAreWrittenAgainOrTakenWhole) {
  options_.profile = Profile::kCold;
  for (const bool from_older : {false, true}) {
    SCOPED_TRACE(from_older);
    if (from_older) {
      const std::string base = dir_ / "base.zpack";
      WriteFile(base, expected_);
      options_.base = base;
      for (int i = 0; i < 30; ++i) {
        source_.AddBlob(std::to_string(i) + std::string(3000, 'a'));
      }
    }
    ASSERT_TRUE(Convert(PosixFileSystem()));
    expected_ = ReadFile(path_);
    std::filesystem::remove(path_);
    const int calls = Calls();
    uint64_t most = 0;
    for (int call = 0; call < calls - 1; call += 3) {
      SCOPED_TRACE("call " + std::to_string(call));
      CutOff(call);
      most = std::max(most, ExpectResumes().resumed_blocks);
    }
    EXPECT_GT(most, from_older ? 0U : 5U);
  }
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

}  // namespace
}  // namespace zpack::testing
