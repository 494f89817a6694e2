// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/alternate_database.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/posix_file_system.h"
#include "git/libgit2_options.h"
#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

class AlternateDatabaseTest : public ::testing::Test {
 protected:
  AlternateDatabaseTest() {
    lender_.History(2);
    lender_.PackAll();
    testing::WriteFile(repo_.path() + "/objects/info/alternates",
                       lender_.path() + "/objects\n");
  }

  // Whether repo_ may borrow from lender_.
  bool Lends() const {
    const auto opened = AlternateDatabase::Open(
        testing::TestFormat(), PosixFileSystem(), repo_.path(),
        fs::canonical(repo_.path() + "/objects").string());
    EXPECT_THAT(opened, testing::IsOk());
    return opened && *opened != nullptr;
  }

  Libgit2Options options_;
  testing::TempDir dir_;
  testing::RepoBuilder repo_ = testing::RepoBuilder(dir_ / "repo");
  testing::RepoBuilder lender_ = testing::RepoBuilder(dir_ / "lender");
};

TEST_F(AlternateDatabaseTest, LinksThatLeadElsewhereDoNoHarm) {
  fs::create_symlink("nowhere", lender_.path() + "/objects/dangling");
  fs::create_symlink(dir_.path(), lender_.path() + "/objects/pack/elsewhere");
  EXPECT_TRUE(Lends());
}

TEST_F(AlternateDatabaseTest, LinksToOwnObjectsAreNotReliedOn) {
  fs::create_symlink(repo_.path() + "/objects/pack",
                     lender_.path() + "/objects/pack/link");
  EXPECT_FALSE(Lends());
}

TEST_F(AlternateDatabaseTest, OwnPacksThatAreTheirsAreNotReliedOn) {
  const std::string own = repo_.path() + "/objects/pack";
  fs::remove_all(own);
  fs::create_directory_symlink(lender_.path() + "/objects/pack", own);
  EXPECT_FALSE(Lends());
}

TEST_F(AlternateDatabaseTest, OneWithoutADirectoryOfPacksLends) {
  const std::string packs = lender_.path() + "/objects/pack";
  fs::remove_all(packs);
  EXPECT_TRUE(Lends());
  testing::WriteFile(packs, "what cannot be examined");
  EXPECT_FALSE(Lends());
}

TEST_F(AlternateDatabaseTest, LinksThatCannotBeFollowedAreNotReliedOn) {
  fs::create_symlink("loop", lender_.path() + "/objects/pack/loop");
  EXPECT_FALSE(Lends());
}

}  // namespace
}  // namespace zpack
