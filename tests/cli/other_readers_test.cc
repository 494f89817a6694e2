// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A .zpack file starts like a Git pack of a version that does not exist: what
// reads packs must say no to it, and not crash.

#include <git2.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

class OtherReadersTest : public ::testing::Test {
 protected:
  OtherReadersTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(10);
    repo_.PackAll();
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  // Ended by itself, with an error that names the version.
  void ExpectRefused(const ProcessResult& result) {
    EXPECT_GT(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(result.signal, 0);
    EXPECT_LT(result.exit_code, 129) << "a crash, as a shell reports it";
    EXPECT_NE(result.err, "");
  }

  // The .zpack file under the name of the repository's pack.
  std::string ReplacePack() {
    for (const auto& entry :
         fs::directory_iterator(repo_.path() + "/objects/pack")) {
      if (entry.path().extension() != ".pack") continue;
      WriteFile(entry.path().string(), ReadFile(file_));
      return entry.path().string();
    }
    return "";
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(OtherReadersTest, FileStartsLikeAPack) {
  EXPECT_EQ(ReadFile(file_).substr(0, 4), "PACK");
}

TEST_F(OtherReadersTest, IndexPackRefuses) {
  const ProcessResult by_name =
      RunGit({"index-pack", "-o", dir_ / "x.idx", file_}, repo_.path());
  ExpectRefused(by_name);
  EXPECT_THAT(by_name.err, HasSubstr("version"));
  const ProcessResult from_input =
      RunGit({"index-pack", "--stdin"}, repo_.path(), ReadFile(file_));
  ExpectRefused(from_input);
  EXPECT_FALSE(Exists(dir_ / "x.idx"));
}

TEST_F(OtherReadersTest, UnpackObjectsRefuses) {
  const RepoBuilder empty(dir_ / "empty");
  ExpectRefused(RunGit({"unpack-objects"}, empty.path(), ReadFile(file_)));
  EXPECT_EQ(empty.Git({"count-objects"}), "0 objects, 0 kilobytes");
}

TEST_F(OtherReadersTest, VerifyPackRefuses) {
  ExpectRefused(RunGit({"verify-pack", ReplacePack()}, repo_.path()));
}

TEST_F(OtherReadersTest, RepositoryWithItAsAPackIsBrokenNotWrong) {
  ReplacePack();
  ExpectRefused(RunGit({"fsck", "--full"}, repo_.path()));
  ExpectRefused(RunGit({"cat-file", "-p", "main"}, repo_.path()));
}

TEST_F(OtherReadersTest, Libgit2IndexerRefuses) {
  git_libgit2_init();
  const std::string bytes = ReadFile(file_);
  git_indexer* indexer = nullptr;
  ASSERT_EQ(git_indexer_new(&indexer, dir_.path().c_str(), 0, nullptr, nullptr),
            0);
  git_indexer_progress progress{};
  int code = 0;
  // In pieces, as they come from a network.
  for (size_t at = 0; at < bytes.size() && code == 0; at += 100) {
    code =
        git_indexer_append(indexer, bytes.data() + at,
                           std::min<size_t>(100, bytes.size() - at), &progress);
  }
  if (code == 0) code = git_indexer_commit(indexer, &progress);
  EXPECT_LT(code, 0);
  ASSERT_NE(git_error_last(), nullptr);
  EXPECT_THAT(git_error_last()->message, HasSubstr("version"));
  git_indexer_free(indexer);
  git_libgit2_shutdown();
}

TEST_F(OtherReadersTest, DulwichRefuses) {
  const std::string python = "/usr/bin/python3";
  if (!RunProcess({"sh", "-c", python + " -c 'import dulwich.pack'"}).ok()) {
    GTEST_SKIP() << "dulwich is missing: apt-get install python3-dulwich";
  }
  ExpectRefused(
      RunProcess({python, "-c",
                  "import sys; from dulwich.pack import PackData\n"
                  "for entry in PackData(sys.argv[1]).iter_unpacked(): pass",
                  file_}));
  ExpectRefused(
      RunProcess({python, "-c",
                  "import sys; from dulwich.pack import PackStreamReader\n"
                  "f = open(sys.argv[1], 'rb')\n"
                  "for entry in PackStreamReader(f.read).read_objects(): pass",
                  file_}));
}

}  // namespace
}  // namespace zpack::testing
