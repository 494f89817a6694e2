// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2_options.h"

#include <git2.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace zpack {
namespace {

size_t Window() {
  size_t size = 0;
  git_libgit2_opts(GIT_OPT_GET_MWINDOW_SIZE, &size);
  return size;
}

int ChecksOwner() {
  int enabled = -1;
  git_libgit2_opts(GIT_OPT_GET_OWNER_VALIDATION, &enabled);
  return enabled;
}

std::vector<std::string> Extensions() {
  git_strarray names{};
  git_libgit2_opts(GIT_OPT_GET_EXTENSIONS, &names);
  std::vector<std::string> out(names.strings, names.strings + names.count);
  git_strarray_dispose(&names);
  return out;
}

class Libgit2OptionsTest : public ::testing::Test {
 protected:
  // As a program that uses libgit2 itself.
  Libgit2OptionsTest() {
    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, size_t{3} << 20);
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 1);
  }
  ~Libgit2OptionsTest() override { git_libgit2_shutdown(); }
};

TEST_F(Libgit2OptionsTest, AreThoseOfTheProgramAgainAfterTheLastUser) {
  const std::vector<std::string> extensions = Extensions();
  std::optional<Libgit2Options> first(std::in_place);
  std::optional<Libgit2Options> second(std::in_place);
  EXPECT_EQ(ChecksOwner(), 0);
  EXPECT_NE(Window(), size_t{3} << 20);
  EXPECT_THAT(Extensions(), ::testing::Contains("partialclone"));
  first.reset();
  EXPECT_EQ(ChecksOwner(), 0);
  second.reset();
  EXPECT_EQ(ChecksOwner(), 1);
  EXPECT_EQ(Window(), size_t{3} << 20);
  EXPECT_THAT(Extensions(),
              ::testing::Not(::testing::Contains("partialclone")));
  EXPECT_THAT(Extensions(), ::testing::IsSupersetOf(extensions));
}

// Whether libgit2 reads an object whose content does not have its id.
bool ReadsFalseContent() {
  const testing::TempDir dir;
  const std::string path = dir / "repo";
  git_repository* repository = nullptr;
  EXPECT_EQ(git_repository_init(&repository, path.c_str(), 1), 0);
  git_odb* objects = nullptr;
  EXPECT_EQ(git_repository_odb(&objects, repository), 0);
  git_oid id{};
  git_oid other{};
  EXPECT_EQ(git_odb_write(&id, objects, "a", 1, GIT_OBJECT_BLOB), 0);
  EXPECT_EQ(git_odb_hash(&other, "b", 1, GIT_OBJECT_BLOB), 0);
  const auto file = [&](const git_oid& name) {
    const std::string hex = git_oid_tostr_s(&name);
    return path + "/objects/" + hex.substr(0, 2) + '/' + hex.substr(2);
  };
  std::filesystem::create_directories(
      std::filesystem::path(file(other)).parent_path());
  std::filesystem::rename(file(id), file(other));
  git_odb_object* object = nullptr;
  const bool reads = git_odb_read(&object, objects, &other) == 0;
  git_odb_object_free(object);
  git_odb_free(objects);
  git_repository_free(repository);
  return reads;
}

TEST_F(Libgit2OptionsTest, LeaveTheHashCheckOnAfterTheLastUser) {
  std::optional<Libgit2Options> user(std::in_place);
  EXPECT_TRUE(ReadsFalseContent()) << "we check it ourselves";
  user.reset();
  EXPECT_FALSE(ReadsFalseContent());
}

}  // namespace
}  // namespace zpack
