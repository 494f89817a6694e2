// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of Git LFS: their names prove their content, and no restore loses
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/repository_files_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

using LfsObjectsTest = RepositoryFilesFixture;

TEST_F(LfsObjectsTest, CorruptObjectIsAnErrorOfTheSource) {
  const std::string name = WriteLfs("content");
  WriteFile(InGitDir(name), "other");
  const ProcessResult converted = Convert();
  EXPECT_EQ(converted.exit_code, 128);
  EXPECT_THAT(converted.err,
              AllOf(HasSubstr(name), HasSubstr("is corrupt: its content")));
  EXPECT_TRUE(Convert({"--without", "lfs"}).ok());
}

TEST_F(LfsObjectsTest, CorruptObjectIsLeftOutOnRequest) {
  const std::string sound = WriteLfs("sound");
  const std::string name = WriteLfs("content");
  WriteFile(InGitDir(name), "other");
  EXPECT_THAT(Convert().err, HasSubstr("--keep-going' leaves it out"));
  for (const char* const option : {"--keep-going", "--resume"}) {
    const ProcessResult converted = Convert({"--keep-going", option});
    EXPECT_EQ(converted.exit_code, 1);
    EXPECT_THAT(converted.err,
                AllOf(HasSubstr("warning: skipped: '" + name + "' of '"),
                      HasSubstr("is corrupt: its content"),
                      Not(HasSubstr("hint: run it again"))));
  }
  EXPECT_THAT(ListFiles(), AllOf(HasSubstr(sound), Not(HasSubstr(name))));
  EXPECT_FALSE(fs::exists(dir_ / ".x.zpack.zpack-tmp"));
  EXPECT_TRUE(RunZpack({"verify", "-q", file_}).ok());
  WriteLfs("content");
  EXPECT_EQ(Convert({"--keep-going"}).exit_code, 0);
  EXPECT_THAT(ListFiles(), HasSubstr(name));
}

// An object of Git LFS may be the only copy, unless it comes back.
TEST_F(LfsObjectsTest, AreReplacedOnlyIfTheyComeBack) {
  const std::string first = WriteLfs("first");
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore().ok());
  WriteFile(restored_ + "/lfs/tmp/part", "half an object");
  WriteFile(restored_ + "/lfs/cache/locks/verifiable", "[]");
  ASSERT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored(first), "first");
  const auto expect_refusal = [&](const std::vector<std::string>& options,
                                  const std::string& name) {
    const ProcessResult refused = Restore(options);
    EXPECT_EQ(refused.exit_code, 128) << name;
    EXPECT_THAT(refused.err,
                HasSubstr("holds '" + name + "', which would be lost"));
    EXPECT_EQ(InRestored(first), "first");
  };
  expect_refusal({"--without", "lfs"}, first);
  expect_refusal({"--keep-going"}, first);
  WriteFile(restored_ + "/lfs/notes", "mine\n");
  expect_refusal({}, "lfs/notes");
  fs::remove(restored_ + "/lfs/notes");
  const std::string second = WriteLfs("second");
  fs::create_directories(fs::path(restored_ + '/' + second).parent_path());
  fs::copy(InGitDir(second), restored_ + '/' + second);
  expect_refusal({}, second);
  fs::remove(restored_ + '/' + second);
  fs::create_symlink(InGitDir(second), restored_ + '/' + second);
  expect_refusal({}, second);
  ASSERT_TRUE(Convert().ok());
  fs::remove(restored_ + '/' + second);
  EXPECT_TRUE(Restore().ok());
  EXPECT_EQ(InRestored(second), "second");
}

// Git LFS looks for objects in 'lfs' beside the objects of each alternate.
TEST_F(LfsObjectsTest, OfAnAlternateAreTakenAlong) {
  const std::string name = WriteLfs("of the alternate");
  const std::string clone = dir_ / "clone";
  ASSERT_TRUE(
      RunGit({"clone", "-q", "-s", repo_.path(), clone}, dir_.path()).ok());
  const std::string second = dir_ / "second.git";
  ASSERT_TRUE(RunGit({"clone", "-q", "--bare", "--reference", clone,
                      repo_.path(), second},
                     dir_.path())
                  .ok());
  for (const std::string& repository : {clone, second}) {
    SCOPED_TRACE(repository);
    WriteFile((repository == clone ? clone + "/.git/" : second + '/') +
                  LfsName("its own"),
              "its own");
    ASSERT_TRUE(RunZpack({"convert", "-f", repository, file_}).ok());
    EXPECT_THAT(ListFiles(),
                AllOf(HasSubstr(name), HasSubstr(LfsName("its own"))));
    const ProcessResult verified = VerifyAgainst(repository);
    EXPECT_EQ(verified.exit_code, 0) << verified.err;
    ASSERT_TRUE(Restore().ok());
    EXPECT_EQ(InRestored(name), "of the alternate");
    EXPECT_EQ(InRestored(LfsName("its own")), "its own");
    fs::remove_all(restored_);
  }
  // An object that only the alternate has is missing from an older file.
  const std::string later = WriteLfs("later");
  const ProcessResult differs = VerifyAgainst(clone);
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_THAT(differs.err, HasSubstr("file '" + later + "' is missing"));
}

TEST_F(LfsObjectsTest, OfAStorageInTheGitDirectoryAreTakenAlong) {
  const std::string name = LfsName("stored elsewhere");
  for (const std::string& storage :
       {std::string("large/files"), InGitDir("large/files/")}) {
    WriteFile(InGitDir("large/files/" + name.substr(4)), "stored elsewhere");
    repo_.Git({"config", "lfs.storage", storage});
    ASSERT_TRUE(Convert().ok());
    EXPECT_THAT(ListFiles(), HasSubstr(name));
    EXPECT_EQ(VerifyAgainst(repo_.path()).exit_code, 0);
    ASSERT_TRUE(Restore({"--trust"}).ok());
    EXPECT_EQ(InRestored(name), "stored elsewhere");
    // The setting would lead Git LFS away from the objects.
    EXPECT_THAT(InRestored("config"), Not(HasSubstr("storage")));
  }
}

// Several repositories may share such a storage.
TEST_F(LfsObjectsTest, OfAStorageElsewhereAreNamed) {
  const std::string storage = dir_ / "storage";
  WriteFile(storage + '/' + LfsName("shared").substr(4), "shared");
  const std::string what = "the objects of Git LFS in '" + storage + "'";
  for (const std::string& value : {storage, std::string("../../storage")}) {
    repo_.Git({"config", "lfs.storage", value});
    EXPECT_THAT(Convert().err, HasSubstr("warning: not included: " + what));
    EXPECT_THAT(Json::parse(Convert({"--json"}).out)["not_included"].dump(),
                HasSubstr(what));
    EXPECT_THAT(ListFiles(), Not(HasSubstr("lfs/objects")));
    const ProcessResult verified = VerifyAgainst(repo_.path());
    EXPECT_EQ(verified.exit_code, 0);
    EXPECT_THAT(verified.err, HasSubstr("warning: not in the file: " + what));
    const ProcessResult json =
        RunZpack({"verify", "--json", "--against", repo_.path(), file_});
    EXPECT_THAT(Json::parse(json.out)["not_included"].dump(), HasSubstr(what));
  }
  repo_.Git({"config", "lfs.storage", "."});
  EXPECT_EQ(Convert().exit_code, 0);
}

TEST_F(LfsObjectsTest, FilesOfGitAnnexAreNamed) {
  EXPECT_THAT(Convert().err, Not(HasSubstr("annex")));
  WriteFile(InGitDir("annex/objects/a/b/key/key"), "content");
  EXPECT_THAT(Convert().err,
              HasSubstr("warning: not included: the files of git-annex in "
                        "'annex'"));
  EXPECT_THAT(VerifyAgainst(repo_.path()).err, HasSubstr("git-annex"));
  EXPECT_THAT(Convert({"--with", "annex"}).err, Not(HasSubstr("git-annex")));
}

}  // namespace
}  // namespace zpack::testing
