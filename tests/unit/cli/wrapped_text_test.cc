// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/wrapped_text.h"

#include <gtest/gtest.h>

namespace zpack::cli {
namespace {

TEST(WrapText, BreaksAtSpaces) {
  EXPECT_EQ(WrapText("aa bb cc", {5, 0, 0}), "aa bb\ncc");
  EXPECT_EQ(WrapText("aa bb cc", {5, 1, 2}), " aa\n  bb\n  cc");
  EXPECT_EQ(WrapText("aaaaaaaa b", {5, 0, 0}), "aaaaaaaa\nb");
  EXPECT_EQ(WrapText("", {5, 2, 2}), "");
}

TEST(WrapText, JoinsLinesButNotParagraphs) {
  EXPECT_EQ(WrapText("aa\nbb\n\ncc\n* dd\n", {20, 0, 0}),
            "aa bb\n\ncc\n* dd\n");
}

TEST(WrapText, CountsColumns) {
  EXPECT_EQ(WrapText("\xe4\xb8\xad \xe4\xb8\xad \xe4\xb8\xad", {5, 0, 0}),
            "\xe4\xb8\xad \xe4\xb8\xad\n\xe4\xb8\xad");
  EXPECT_EQ(WrapText("\xff \xff\xff \xff", {4, 0, 0}), "\xff \xff\xff\n\xff");
}

TEST(WrapText, IndentsWithoutAWidth) {
  EXPECT_EQ(WrapText("a\nb\n\nc", {0, 1, 2}), " a\n  b\n  \n  c");
}

}  // namespace
}  // namespace zpack::cli
