// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repositories with more packs than a process may open files, as many pushes
// without 'git gc' leave them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "git/repository_source.h"
#include "support/matchers.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

constexpr int kPacks = 110;

class ManyPacks : public ::testing::Test {
 protected:
  ManyPacks() {
    repo_.Git({"config", "fastimport.unpackLimit", "0"});
    std::string commands;
    for (int i = 0; i < kPacks; ++i) {
      const std::string number = std::to_string(i);
      commands += "commit refs/heads/main\ncommitter A <a@b> " + number +
                  " +0000\ndata 0\nM 100644 inline file\ndata <<E\n" + number +
                  "\nE\n\ncheckpoint\n\n";
    }
    repo_.Git({"fast-import", "--quiet"}, commands);
  }

  // Which may open 24 files, with which Git repacks them.
  static ProcessResult RunLimited(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {
        "sh", "-c", "ulimit -n 24 && exec \"$@\"", "sh", ZpackBinary()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunProcess(command);
  }

  TempDir directory_;
  RepoBuilder repo_{directory_ / "repo.git"};
};

TEST_F(ManyPacks, AreConvertedAndComparedWithFewOpenFiles) {
  const std::string file = directory_ / "a.zpack";
  const ProcessResult converted = RunLimited({"convert", repo_.path(), file});
  EXPECT_TRUE(converted.ok()) << converted.err;
  EXPECT_THAT(converted.err, ::testing::HasSubstr("330 objects"));
  const ProcessResult verified =
      RunLimited({"verify", "--against", repo_.path(), file});
  EXPECT_TRUE(verified.ok()) << verified.err;
}

TEST_F(ManyPacks, AreRepackedIntoOneWithFewOpenFiles) {
  const RepositoryState before = ReadState(repo_.path());
  const ProcessResult repacked = RunLimited(
      {"repack", "-a", "-d", "-q", "--no-write-bitmap-index", repo_.path()});
  EXPECT_TRUE(repacked.ok()) << repacked.err;
  EXPECT_EQ(ReadState(repo_.path()), before);
  EXPECT_LE(ListDirectory(repo_.git_dir() + "/objects/pack").size(), 3U);
}

TEST_F(ManyPacks, AreStillReadOnceTheyAreRepacked) {
  const auto source = OpenRepository(repo_.path(), ReadingOptions{});
  ASSERT_THAT(source, IsOk());
  const auto ids = (*source)->ListObjects();
  ASSERT_THAT(ids, IsOk());
  repo_.Git({"repack", "-adq"});
  for (uint32_t rank = 0; rank < ids->size(); ++rank) {
    Bytes content;
    EXPECT_THAT((*source)->Read((*ids)[rank], content), IsOk());
  }
}

}  // namespace
}  // namespace zpack::testing
