// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/refs.h"

#include <gtest/gtest.h>

#include "object/ref_name.h"

namespace zpack {
namespace {

TEST(IsValidRefName, AcceptsWhatGitAccepts) {
  for (const char* name :
       {"refs/heads/main", "refs/x", "refs/heads/a.b", "refs/heads/a./b",
        "refs/tags/v1.0-rc1", "refs/heads/\xff\xfe", "refs/heads/@",
        "refs/heads/a{b", "refs/notes/commits"}) {
    EXPECT_TRUE(IsValidRefName(name)) << name;
  }
}

TEST(IsValidRefName, RefusesWhatGitRefuses) {
  for (const char* name : {"",
                           "refs",
                           "refs/",
                           "heads/main",
                           "refs//x",
                           "refs/heads/",
                           "refs/heads/..",
                           "refs/../x",
                           "refs/heads/a..b",
                           "refs/heads/.a",
                           "refs/heads/a.",
                           "refs/heads/a.lock",
                           "refs/a.lock/b",
                           "refs/heads/a b",
                           "refs/heads/a~",
                           "refs/heads/a^",
                           "refs/heads/a:",
                           "refs/heads/a?",
                           "refs/heads/a*",
                           "refs/heads/a[",
                           "refs/heads/a\\",
                           "refs/heads/a@{b",
                           "refs/heads/a\x7f",
                           "refs/heads/a\n",
                           "/refs/heads/a"}) {
    EXPECT_FALSE(IsValidRefName(name)) << name;
  }
  EXPECT_FALSE(IsValidRefName({"refs/heads/a\0b", 14}));
}

TEST(RefsSnapshot, ResolvesThroughSymbolicRefs) {
  const ObjectId id = *ObjectId::FromHex(std::string(40, '1'));
  RefsSnapshot refs;
  refs.head_symref = "refs/heads/a";
  refs.refs = {{"refs/heads/a", {}, {}, "refs/heads/b"},
               {"refs/heads/b", id, {}, ""}};
  EXPECT_EQ(refs.Resolve("HEAD"), id);
  EXPECT_TRUE(refs.Resolve("refs/heads/c").empty());
}

TEST(RefsSnapshot, GivesUpOnALoopOfSymbolicRefs) {
  RefsSnapshot refs;
  refs.refs = {{"refs/heads/a", {}, {}, "refs/heads/b"},
               {"refs/heads/b", {}, {}, "refs/heads/a"}};
  EXPECT_TRUE(refs.Resolve("refs/heads/a").empty());
}

TEST(RefsSnapshot, ResolvesADetachedHead) {
  RefsSnapshot refs;
  refs.head_target = *ObjectId::FromHex(std::string(40, '2'));
  EXPECT_EQ(refs.Resolve("HEAD"), refs.head_target);
}

}  // namespace
}  // namespace zpack
