// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One blob of 300 MB that does not compress, loose and packed: no step holds it
// twice. Only in an optimised build; sanitizers multiply time and memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>

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

}  // namespace
}  // namespace zpack::testing
