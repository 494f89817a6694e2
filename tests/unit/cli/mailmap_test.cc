// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/mailmap.h"

#include <gtest/gtest.h>

#include <string>

namespace zpack::cli {
namespace {

std::string Mapped(const Mailmap& map, std::string_view name,
                   std::string_view mail) {
  const bool mapped = map.Map(name, mail);
  return std::string(mapped ? "" : "not ") + std::string(name) + " <" +
         std::string(mail) + ">";
}

TEST(Mailmap, HasTheFormsOfGit) {
  const Mailmap map(
      "# c <c@x> <d@x>\n"
      "Proper Name <proper@x>\n"
      "<new@x> <old@x>\n"
      "Both <both@x> <other@x>\n"
      "  Named  <named@x>  Old Name <shared@x> \n"
      "Any <shared@x>\n"
      "Nobody <n@x> <>\n"
      "no mail\n"
      "Broken <\n"
      "Empty <> <e@x>\n");
  EXPECT_EQ(Mapped(map, "x", "PROPER@x"), "Proper Name <PROPER@x>");
  EXPECT_EQ(Mapped(map, "x", "old@x"), "x <new@x>");
  EXPECT_EQ(Mapped(map, "x", "other@x"), "Both <both@x>");
  EXPECT_EQ(Mapped(map, "OLD NAME", "shared@X"), "Named <named@x>");
  EXPECT_EQ(Mapped(map, "x", "shared@x"), "Any <shared@x>");
  EXPECT_EQ(Mapped(map, "x", ""), "Nobody <n@x>");
  EXPECT_EQ(Mapped(map, "x", "d@x"), "not x <d@x>");
  EXPECT_EQ(Mapped(map, "x", "e@x"), "not x <e@x>");
  EXPECT_EQ(Mapped(map, "x", "proper@x>"), "not x <proper@x>>");
}

TEST(Mailmap, LaterLinesWin) {
  const Mailmap map("A <a@x>\nB <b@x> <a@x>\nC <a@x>\n");
  EXPECT_EQ(Mapped(map, "x", "a@x"), "C <b@x>");
  EXPECT_EQ(
      Mapped(Mailmap(std::string_view("A <a@x>\n\0B <a@x>\n", 17)), "x", "a@x"),
      "A <a@x>");
  EXPECT_TRUE(Mailmap("").empty());
}

TEST(Mailmap, ReplacesHeaders) {
  const Mailmap map("New <new@x> <old@x>\n");
  EXPECT_EQ(map.MapHeaders("tree 0\nauthor O <old@x> 1 +0\nauthor\n"
                           "committer <old@x>\n\nauthor O <old@x>\n"),
            "tree 0\nauthor New <new@x> 1 +0\nauthor\n"
            "committer New <new@x>\n\nauthor O <old@x>\n");
  EXPECT_EQ(map.MapHeaders("author O <old@x> 1"), "author New <new@x> 1");
}

}  // namespace
}  // namespace zpack::cli
