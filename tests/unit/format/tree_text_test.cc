// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/tree_text.h"

#include <gtest/gtest.h>

#include <string>

#include "format/tree_columns.h"

namespace zpack::format {
namespace {

std::string Entry(const std::string& mode, const std::string& name,
                  size_t id_width = 20) {
  return mode + ' ' + name + '\0' + std::string(id_width, 'i');
}

TEST(TreeText, TakesEntryAfterEntry) {
  const std::string content =
      Entry("100644", "a b") + Entry("40000", "") + Entry("160000", "m");
  ByteView rest = AsBytes(content);
  TreeTextEntry entry;
  ASSERT_EQ(TakeTreeEntry(rest, ObjectFormat::kSha1, entry), TreeFlaw::kNone);
  EXPECT_EQ(kTreeModes[entry.mode], "100644");
  EXPECT_EQ(entry.name, "a b");
  EXPECT_EQ(AsText(entry.id), std::string(20, 'i'));
  ASSERT_EQ(TakeTreeEntry(rest, ObjectFormat::kSha1, entry), TreeFlaw::kNone);
  EXPECT_EQ(kTreeModes[entry.mode], "40000");
  EXPECT_EQ(entry.name, "");
  ASSERT_EQ(TakeTreeEntry(rest, ObjectFormat::kSha1, entry), TreeFlaw::kNone);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(FindTreeFlaw(AsBytes(content), ObjectFormat::kSha1),
            TreeFlaw::kNone);
  EXPECT_EQ(FindTreeFlaw({}, ObjectFormat::kSha1), TreeFlaw::kNone);
}

TEST(TreeText, SaysWhatIsOddAboutATree) {
  const std::string good = Entry("100644", "a");
  const auto flaw = [&](const std::string& content) {
    return FindTreeFlaw(AsBytes(content), ObjectFormat::kSha1);
  };
  EXPECT_EQ(flaw(good + Entry("100664", "b")), TreeFlaw::kMode);
  EXPECT_EQ(flaw(good + Entry("040000", "b")), TreeFlaw::kMode);
  EXPECT_EQ(flaw(Entry("", "b") + good), TreeFlaw::kMode);
  EXPECT_EQ(flaw(good + "100644 b"), TreeFlaw::kEntry);
  EXPECT_EQ(flaw(good + "x"), TreeFlaw::kEntry);
  EXPECT_EQ(flaw(good.substr(0, good.size() - 1)), TreeFlaw::kEntry);
  EXPECT_EQ(flaw(Entry("100644", "a", 32)), TreeFlaw::kEntry);
  const std::string wide = Entry("100644", "a", 32);
  EXPECT_EQ(FindTreeFlaw(AsBytes(wide), ObjectFormat::kSha256),
            TreeFlaw::kNone);
  EXPECT_EQ(FlawName(TreeFlaw::kMode), "unusual mode");
  EXPECT_EQ(FlawName(TreeFlaw::kEntry), "malformed entry");
}

}  // namespace
}  // namespace zpack::format
