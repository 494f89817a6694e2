// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Edits on the way between two trees say the same as comparing the trees.

#include "history/entry_differences.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/matchers.h"
#include "support/no_limit.h"
#include "support/tree_blocks.h"

namespace zpack {
namespace {

using testing::NumberedIds;
using testing::Random;
using testing::TreeMaker;

// Name, mode and child.
using EntrySet = std::multiset<std::tuple<uint32_t, uint8_t, uint32_t>>;

EntrySet EntriesOf(const format::TreeBlock& trees, uint32_t index) {
  EntrySet entries;
  for (const format::TreeBlock::Entry& entry : trees.RebuildEntries(index)) {
    entries.insert({entry.name, entry.mode, entry.child.value()});
  }
  return entries;
}

// Makes `entries` those of the tree after, if they are those of the tree
// before.
void Change(const EntryDifferences& differences, EntrySet& entries) {
  for (const auto& [name, before, after] : differences.found()) {
    if (!before.exists) continue;
    const auto at = entries.find({name, before.mode, before.child.value()});
    ASSERT_NE(at, entries.end());
    entries.erase(at);
  }
  for (const auto& [name, before, after] : differences.found()) {
    if (after.exists) {
      entries.insert({name, after.mode, after.child.value()});
    }
  }
}

// Names of each tree in Git's order, none of which occurs twice.
bool HasOrderedNames(const format::TreeBlock& trees, uint32_t index) {
  std::string last;
  for (const format::TreeBlock::Entry& entry : trees.RebuildEntries(index)) {
    std::string name(trees.name(entry));
    name += entry.mode == format::kDirectoryMode ? '/' : '\0';
    if (name <= last) return false;
    last = name;
  }
  return true;
}

TEST(EntryDifferences, LeadFromEachTreeToEachOther) {
  size_t ways = 0;
  size_t steps = 0;
  size_t refused = 0;
  size_t ordered = 0;
  size_t damaged = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const NumberedIds ids = testing::RandomIds(random, 200);
    const auto style =
        seed % 2 == 0 ? TreeMaker::Style::kOdd : TreeMaker::Style::kProper;
    auto built =
        testing::BuiltTrees(ids, testing::RandomTrees(random, ids, 60, style));
    const auto block = format::TreeBlock::Parse(
        std::move(built.streams), built.header.object_count, ids.ids.size(),
        ids.ids.format(), testing::kNoLimit);
    ASSERT_THAT(block, testing::IsOk());
    for (uint32_t index = 0; index < block->count(); ++index) {
      if (block->IsVerbatim(index)) continue;
      // May be false if the base is in no order.
      EXPECT_LE(block->IsOrdered(index), HasOrderedNames(*block, index));
      if (style == TreeMaker::Style::kProper) {
        (block->IsOrdered(index) ? ordered : damaged) += 1;
      }
    }
    EntryDifferences differences;
    for (uint32_t a = 0; a < block->count(); ++a) {
      for (uint32_t b = 0; b < block->count(); ++b) {
        if (!block->IsOrdered(a) || !block->IsOrdered(b) ||
            block->IsVerbatim(a) || block->IsVerbatim(b)) {
          EXPECT_FALSE(differences.Find(*block, a, b) && a != b);
          continue;
        }
        if (!differences.Find(*block, a, b)) {
          ++refused;
          continue;
        }
        EntrySet entries = EntriesOf(*block, a);
        Change(differences, entries);
        EXPECT_EQ(entries, EntriesOf(*block, b)) << a << ' ' << b;
        (differences.is_step() ? steps : ways) += 1;
      }
    }
  }
  EXPECT_GT(ways, 10000U);
  EXPECT_GT(steps, 1000U);
  EXPECT_GT(refused, 1000U);
  // Damage can make a tree of a tree.
  EXPECT_GT(ordered, 20 * damaged);
}

}  // namespace
}  // namespace zpack
