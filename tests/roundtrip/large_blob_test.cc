// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One blob of 300 MB that does not compress, loose and packed: no step holds it
// twice. Versions of a text of 20 MB: they are stored as deltas. Only in an
// optimised build; sanitizers multiply time and memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBlobSize = 300'000'000;
// Less than the blob takes.
constexpr uint64_t kLimit = 2 * kBlobSize / 3;

class LargeBlobTest : public ::testing::Test {
 protected:
  LargeBlobTest() : repo_(dir_ / "repo") {
    const std::string file = dir_ / "large";
    {
      std::ofstream out(file, std::ios::binary);
      constexpr size_t kPiece = 1'000'000;
      for (uint64_t i = 0; i < kBlobSize / kPiece; ++i) {
        out << RandomBytes(i, kPiece);
      }
    }
    blob_ = repo_.Git({"-c", "core.compression=0", "hash-object", "-w", file});
    fs::remove(file);
    CommitFields fields;
    fields.tree = repo_.WriteTree(TreeEntryBytes("100644", "large", blob_));
    repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  }

  void ExpectWithin(const std::string& what, const ProcessResult& result) {
    ASSERT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    std::cout << what << ": " << result.peak_rss_bytes / 1000000 << " MB, "
              << result.seconds << " s" << std::endl;
    EXPECT_LT(result.peak_rss_bytes, kLimit) << what;
  }

  void ExpectComesBackInBoundedMemory(const std::string& how) {
    const std::string file = dir_ / "x.zpack";
    const std::string restored = dir_ / "restored";
    ExpectWithin("convert " + how,
                 RunZpack({"convert", "--threads", "2", "--level", "1",
                           repo_.path(), file}));
    ExpectWithin("verify " + how, RunZpack({"verify", "--threads", "2", file}));
    ExpectWithin("restore " + how,
                 RunZpack({"restore", "--threads", "2", file, restored}));
    EXPECT_EQ(RunGit({"rev-parse", "main:large"}, restored).out, blob_ + '\n');
    EXPECT_TRUE(
        RunGit({"-c", "core.bigFileThreshold=1m", "fsck", "--full", "--strict"},
               restored)
            .ok());
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string blob_;
};

TEST_F(LargeBlobTest, LooseBlobIsStreamed) {
  ASSERT_TRUE(Exists(repo_.LooseObjectPath(blob_)));
  ExpectComesBackInBoundedMemory("loose");
}

TEST_F(LargeBlobTest, PackedBlobIsStreamed) {
  repo_.Git({"-c", "core.compression=0", "-c", "core.bigFileThreshold=1m",
             "repack", "-q", "-a", "-d"});
  ASSERT_FALSE(Exists(repo_.LooseObjectPath(blob_)));
  ExpectComesBackInBoundedMemory("packed");
}

class LargeVersionsTest : public ::testing::Test {
 protected:
  LargeVersionsTest() : repo_(dir_ / "repo") {
    const std::string random = RawToHex(RandomBytes(1, 8'000'000));
    for (size_t at = 0; at < random.size(); at += 40) {
      text_.append(random, at, 40).append(" lorem ipsum\n");
    }
    Commit(0);
  }

  void Commit(uint64_t version) {
    // In the middle of a line.
    text_.replace(1000 + version * 530'000, 20, RawToHex(RandomBytes(2, 10)));
    CommitFields fields;
    fields.tree =
        repo_.WriteTree(TreeEntryBytes("100644", "t", repo_.WriteBlob(text_)));
    fields.parents = parents_;
    parents_ = {repo_.WriteCommit(fields)};
    repo_.SetRef("refs/heads/main", parents_.front());
  }

  uint64_t Convert(const std::string& name,
                   const std::vector<std::string>& options) {
    std::vector<std::string> words = {"convert", "-q",        "--profile",
                                      "fast",    "--threads", "2"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {repo_.path(), dir_ / name});
    const ProcessResult result = RunZpack(words);
    EXPECT_TRUE(result.ok()) << ::testing::PrintToString(result);
    EXPECT_LT(result.peak_rss_bytes, kMemory);
    return fs::file_size(dir_ / name);
  }

  void ExpectRestored(const std::string& name) {
    const std::string file = dir_ / name;
    const ProcessResult verified =
        RunZpack({"verify", "-q", "--against", repo_.path(), file});
    EXPECT_TRUE(verified.ok()) << ::testing::PrintToString(verified);
    EXPECT_LT(verified.peak_rss_bytes, kMemory);
    const std::string restored = dir_ / (name + ".git");
    EXPECT_TRUE(RunZpack({"restore", "-q", file, restored}).ok());
    EXPECT_EQ(RunGit({"rev-list", "--objects", "--all"}, restored).out,
              RunGit({"rev-list", "--objects", "--all"}, repo_.path()).out);
    EXPECT_TRUE(RunGit({"fsck", "--full"}, restored).ok());
  }

  static constexpr uint64_t kMemory = 400'000'000;
  // What a version may add.
  static constexpr uint64_t kLittle = 4'000;

  TempDir dir_;
  RepoBuilder repo_;
  std::string text_;
  std::vector<std::string> parents_;
};

TEST_F(LargeVersionsTest, AreDeltas) {
  const uint64_t one = Convert("one.zpack", {});
  EXPECT_GT(one, 7'500'000U);
  for (uint64_t i = 1; i < 5; ++i) Commit(i);
  EXPECT_LT(Convert("five.zpack", {}), one + 4 * kLittle);
  ExpectRestored("five.zpack");
}

TEST_F(LargeVersionsTest, AreDeltasOfThoseInAnOlderFile) {
  const uint64_t one = Convert("one.zpack", {});
  Commit(1);
  EXPECT_LT(Convert("two.zpack", {"--base", dir_ / "one.zpack"}),
            one + kLittle);
  ExpectRestored("two.zpack");
  EXPECT_LT(Convert("new.zpack", {"--onto", dir_ / "one.zpack"}), kLittle);
  ExpectRestored("new.zpack");
}

// With less memory, such versions are smaller.
TEST_F(LargeVersionsTest, TakeNoMoreMemoryThanThereIs) {
  for (uint64_t i = 1; i < 5; ++i) Commit(i);
  const std::string file = dir_ / "x.zpack";
  const ProcessResult result =
      RunZpack({"convert", "-q", "--profile", "fast", "--memory", "128m",
                repo_.path(), file});
  ASSERT_TRUE(result.ok()) << ::testing::PrintToString(result);
  EXPECT_LT(result.peak_rss_bytes, uint64_t{160} << 20);
  ExpectRestored("x.zpack");
}

}  // namespace
}  // namespace zpack::testing
