// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/repository_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;
using ::testing::Not;

class RepositoryFormatTest : public ::testing::Test {
 protected:
  Result<RepositoryFormat> Read(const std::string& text) const {
    testing::WriteFile(dir_ / "config", text);
    return ReadRepositoryFormat({.name = dir_.path(),
                                 .git_directory = dir_.path(),
                                 .common_directory = dir_.path(),
                                 .work_tree = ""});
  }
  Result<RepositoryFormat> ReadExtension(const std::string& name,
                                         const std::string& value,
                                         int version = 1) const {
    return Read(
        "[core]\n\trepositoryformatversion = " + std::to_string(version) +
        "\n[extensions]\n\t" + name + " = " + value + '\n');
  }

  testing::TempDir dir_;
};

// The extensions of Git 2.55, with a value of each. What is refused is named.
// tests/git/repositories_test.py fails when a Git has more.
const std::map<std::string, std::string> kExtensions = {
    {"noop", "x"},
    {"preciousobjects", "true"},
    {"partialclone", "origin"},
    {"worktreeconfig", "true"},
    {"noop-v1", "x"},
    {"objectformat", "sha256"},
    {"compatobjectformat", "sha256"},
    {"refstorage", "reftable"},
    {"relativeworktrees", "true"},
    {"submodulepathconfig", "true"}};

TEST_F(RepositoryFormatTest, EveryExtensionIsReadOrNamed) {
  for (const auto& [name, value] : kExtensions) {
    const auto format = ReadExtension(name, value);
    if (name == "compatobjectformat") {
      EXPECT_THAT(format,
                  IsError(ErrorCode::kUnsupported,
                          HasSubstr("unsupported repository extension")));
      EXPECT_THAT(format.error().message, HasSubstr(name));
    } else {
      EXPECT_THAT(format, IsOk()) << name;
    }
  }
  EXPECT_THAT(ReadExtension("new", "x"),
              IsError(ErrorCode::kUnsupported,
                      HasSubstr("unknown repository extension")));
}

TEST_F(RepositoryFormatTest, FilesWithIdsOfAnotherHashAreNamed) {
  const auto error = [this] {
    return ReadExtension("compatObjectFormat", "sha256").error().message;
  };
  EXPECT_THAT(error(), Not(HasSubstr("ids of the other hash")));
  EXPECT_THAT(error(), HasSubstr("git clone --mirror"));
  testing::WriteFile(dir_ / "objects/loose-object-idx", "");
  EXPECT_THAT(error(), HasSubstr("objects/loose-object-idx'"));
  testing::WriteFile(dir_ / "objects/object-map/map-b.map", "");
  testing::WriteFile(dir_ / "objects/object-map/map-a.map", "");
  testing::WriteFile(dir_ / "objects/object-map/a.tmp", "");
  EXPECT_THAT(error(), HasSubstr("objects/object-map/map-a.map'"));
}

TEST_F(RepositoryFormatTest, ExtensionsOfVersion1NeedIt) {
  EXPECT_THAT(ReadExtension("submodulePathConfig", "true", 0),
              IsError(ErrorCode::kUnsupported, HasSubstr("v1-only")));
  EXPECT_THAT(ReadExtension("noop", "x", 0), IsOk());
  EXPECT_THAT(ReadExtension("unknown", "x", 0), IsOk());
  EXPECT_THAT(ReadExtension("noop", "x", 2),
              IsError(ErrorCode::kUnsupported, HasSubstr("found 2")));
}

TEST_F(RepositoryFormatTest, RefsInTheRepositoryMayBeAUri) {
  for (const std::string& path : {dir_.path(), std::string(".")}) {
    const auto files = ReadExtension("refStorage", "files://" + path);
    ASSERT_THAT(files, IsOk());
    EXPECT_EQ(files->ref_storage, RefStorage::kFiles);
    const auto tables = ReadExtension("refStorage", "reftable://" + path);
    ASSERT_THAT(tables, IsOk());
    EXPECT_EQ(tables->ref_storage, RefStorage::kReftable);
  }
}

TEST_F(RepositoryFormatTest, RefsElsewhereAreRefusedAndNamed) {
  for (const char* const value : {"files:///elsewhere", "reftable://../refs"}) {
    const auto format = ReadExtension("refStorage", value);
    EXPECT_THAT(format, IsError(ErrorCode::kUnsupported,
                                HasSubstr("in another directory")))
        << value;
  }
  EXPECT_THAT(ReadExtension("refStorage", "sql://x"),
              IsError(ErrorCode::kUnsupported, HasSubstr("sql://x")));
}

// Git dies for every bad value, not only for the last one.
TEST_F(RepositoryFormatTest, BadValuesAreRefused) {
  for (const char* const text :
       {"[extensions]\n\tpreciousObjects = x\n\tpreciousObjects = true\n",
        "[core]\n\tbare = x\n", "[core]\n\trepositoryformatversion = x\n",
        "[core]\n\trepositoryformatversion = 2147483648\n",
        "[core]\n\tworktree\n", "[extensions]\n\tpartialClone\n",
        "[extensions]\n\tobjectFormat\n"}) {
    EXPECT_FALSE(Read(text)) << text;
  }
}

TEST_F(RepositoryFormatTest, WithoutAVersionOnlyPreciousObjectsCount) {
  const auto format = Read(
      "[extensions]\n\tpreciousObjects\n\tobjectFormat = sha256\n\tx = y\n");
  ASSERT_THAT(format, IsOk());
  EXPECT_TRUE(format->precious_objects);
  EXPECT_EQ(format->object_format, ObjectFormat::kSha1);
}

}  // namespace
}  // namespace zpack
