// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2_options.h"

#include <git2.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace zpack
