// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_edits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/tree_blocks.h"

namespace zpack {
namespace {

using testing::Below;
using testing::NumberedIds;
using testing::Random;
using testing::RandomId;
using testing::RandomIds;
using testing::TextEntry;
using testing::TreeBytes;
using testing::TreeMaker;

using format::StreamKind;
using format::TreeEditKind;

class TreeEditsTest : public ::testing::Test {
 protected:
  ParsedTree Parsed(const std::vector<TextEntry>& entries,
                    const ParsedTree& like = {}) {
    ParsedTree tree;
    tree.content = TreeBytes(entries);
    EXPECT_TRUE(parser_.Parse(like, tree));
    return tree;
  }

  // What the edits make of `base`.
  static std::vector<format::TreeItem> Apply(
      const std::vector<format::TreeItem>& base,
      const std::vector<format::TreeEdit>& edits) {
    std::vector<format::TreeItem> items;
    size_t from = 0;
    for (const format::TreeEdit& edit : edits) {
      for (uint32_t i = 0; i < edit.run; ++i) items.push_back(base.at(from++));
      if (edit.kind == TreeEditKind::kChange) {
        EXPECT_EQ(base.at(from).name, edit.item.name);
        EXPECT_EQ(base.at(from).mode, edit.item.mode);
      }
      if (edit.kind != TreeEditKind::kAdd) ++from;
      if (edit.kind != TreeEditKind::kRemove) items.push_back(edit.item);
    }
    while (from < base.size()) items.push_back(base[from++]);
    return items;
  }

  static bool Same(const std::vector<format::TreeItem>& a,
                   const std::vector<format::TreeItem>& b) {
    return std::ranges::equal(
        a, b, [](const format::TreeItem& x, const format::TreeItem& y) {
          return x.name == y.name && x.child == y.child && x.mode == y.mode;
        });
  }

  Random random_{1};
  NumberedIds ids_ = RandomIds(random_, 300);
  TreeParser parser_{ids_};
};

TEST_F(TreeEditsTest, FindsEditsThatMakeOneTreeOfAnother) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    TreeMaker maker(random, ids_, TreeMaker::Style::kProper);
    std::vector<TextEntry> entries;
    for (size_t i = Below(random, 40); i > 0; --i) maker.Edit(entries);
    const ParsedTree base = Parsed(entries);
    for (size_t i = Below(random, 10); i > 0; --i) maker.Edit(entries);
    // Edits need not be found in trees that are out of order, only right.
    if (seed % 4 == 0) std::ranges::reverse(entries);
    const ParsedTree tree = Parsed(entries, base);
    std::vector<format::TreeEdit> edits;
    ASSERT_TRUE(
        FindTreeEdits(parser_.names(), base.items, tree.items, 10000, edits));
    EXPECT_TRUE(Same(Apply(base.items, edits), tree.items));
    const size_t needed = edits.size();
    EXPECT_TRUE(
        FindTreeEdits(parser_.names(), base.items, tree.items, needed, edits));
    if (needed != 0) {
      EXPECT_FALSE(FindTreeEdits(parser_.names(), base.items, tree.items,
                                 needed - 1, edits));
    }
  }
}

TEST_F(TreeEditsTest, FindsTheFewestEditsOfSortedTrees) {
  std::vector<TextEntry> entries;
  for (const char* const name : {"a", "b", "c", "d", "e"}) {
    entries.push_back({"100644", name, ids_[7]});
  }
  const ParsedTree base = Parsed(entries);
  const auto edits_to = [&](const std::vector<TextEntry>& other) {
    std::vector<format::TreeEdit> edits;
    const ParsedTree tree = Parsed(other, base);
    EXPECT_TRUE(
        FindTreeEdits(parser_.names(), base.items, tree.items, 100, edits));
    return edits.size();
  };
  EXPECT_EQ(edits_to(entries), 0U);
  auto changed = entries;
  changed[2].id = ids_[8];
  EXPECT_EQ(edits_to(changed), 1U);
  auto other_mode = entries;
  other_mode[4].mode = "120000";
  EXPECT_EQ(edits_to(other_mode), 2U);
  auto removed = entries;
  removed.erase(removed.begin() + 1);
  EXPECT_EQ(edits_to(removed), 1U);
  auto added = entries;
  added.insert(added.begin() + 1, {"40000", "a.b", ids_[9]});
  EXPECT_EQ(edits_to(added), 1U);
  auto renamed = entries;
  renamed[4].name = "f";
  EXPECT_EQ(edits_to(renamed), 2U);
  EXPECT_EQ(edits_to({}), 5U);
}

TEST_F(TreeEditsTest, WritesTheStreamsOfTheSpecification) {
  const ObjectId outside = RandomId(random_, ObjectFormat::kSha1);
  const ParsedTree first =
      Parsed({{"100644", "a", ids_[0]}, {"40000", "b", ids_[3]}});
  const ParsedTree second = Parsed({{"100644", "a", ids_[0]},
                                    {"40000", "b", ids_[4]},
                                    {"160000", "c", outside}},
                                   first);
  format::TreeBlockBuilder builder(parser_.names(), parser_.numbers());
  std::vector<format::TreeEdit> edits;
  builder.AddWhole(first.content.size(), true, first.items);
  ASSERT_TRUE(
      FindTreeEdits(parser_.names(), first.items, second.items, 9, edits));
  builder.AddEdits(second.content.size(), 0, edits);
  builder.AddVerbatim(AsBytes("xyz"));
  builder.AddWhole(first.content.size(), false, first.items);
  EXPECT_EQ(builder.layout().count(), 4U);

  const format::BlockStreams& streams = builder.streams();
  EXPECT_EQ(streams[StreamKind::kSizes], (Bytes{57, 58, 3, 57}));
  EXPECT_EQ(streams[StreamKind::kBases], (Bytes{0, 1, 0, 0}));
  EXPECT_EQ(AsText(streams[StreamKind::kLiterals]), "xyz");
  EXPECT_EQ(streams[StreamKind::kEditCounts], (Bytes{5, 2, 0, 6}));
  EXPECT_EQ(streams[StreamKind::kEditRuns], (Bytes{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(streams[StreamKind::kEditKinds], (Bytes{2, 2, 0, 2, 2, 2}));
  EXPECT_EQ(streams[StreamKind::kNames], (Bytes{0, 0, 0, 3, 2}));
  EXPECT_EQ(streams[StreamKind::kModes], (Bytes{0, 2, 4, 0, 2}));
  EXPECT_EQ(streams[StreamKind::kChildren], (Bytes{0, 1, 0, 1, 2, 3}));
  Bytes differences;
  ByteWriter(differences).Varint(ZigZag(2));
  ByteWriter(differences).Varint(ZigZag(300 - 4));
  EXPECT_EQ(streams[StreamKind::kChildDifferences], differences);
  EXPECT_EQ(AsText(streams[StreamKind::kNameTexts]),
            std::string_view("a\0b\0c\0", 6));
  EXPECT_EQ(AsText(streams[StreamKind::kOutsideIds]), AsText(outside.bytes()));

  builder.Clear();
  EXPECT_EQ(builder.streams().raw_size(), 0U);
  EXPECT_EQ(builder.layout().count(), 0U);
}

}  // namespace
}  // namespace zpack
