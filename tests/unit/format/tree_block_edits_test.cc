// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Edits of trees that cannot be made: of what is not there, or with names and
// children that nobody has seen.

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "support/matchers.h"
#include "support/tree_draft.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::kDraftTrees;
using testing::kMaxNumber;

using TreeBlockEdits = testing::TreeDraftFixture;

TEST_F(TreeBlockEdits, RefusesABaseThatIsVerbatim) {
  draft_.bases[3] = 1;
  draft_.sizes[3] = ZigZag(54);
  ExpectCorrupt("base");
}

TEST_F(TreeBlockEdits, RefusesAnyOtherNumberOfEdits) {
  for (size_t i = 0; i < kDraftTrees; ++i) {
    for (const uint64_t count :
         {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{6},
          uint64_t{7}, uint64_t{8}, uint64_t{9}, uint64_t{1} << 32,
          (uint64_t{1} << 32) + 2, kMaxNumber / 2, kMaxNumber - 1,
          kMaxNumber}) {
      draft_ = {};
      if (count == draft_.edit_counts[i]) continue;
      // The first tree of a block shares a lineage in which nothing was seen.
      if (i == 0 && count == draft_.edit_counts[i] + 1) continue;
      draft_.edit_counts[i] = count;
      EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << i << ' ' << count;
    }
  }
}

TEST_F(TreeBlockEdits, RefusesRunsOutsideTheBase) {
  for (const uint64_t run : {uint64_t{2}, uint64_t{3}, uint64_t{1} << 32,
                             (uint64_t{1} << 32) + 1, kMaxNumber}) {
    draft_ = {};
    draft_.edit_runs[2] = run;
    ExpectCorrupt("edit");
    draft_ = {};
    draft_.edit_runs[0] = run;
    ExpectCorrupt("edit");
  }
  // A run to the very end, and then an entry.
  draft_ = {};
  draft_.edit_runs[2] = 2;
  draft_.edit_kinds[2] = 2;
  EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt));
}

TEST_F(TreeBlockEdits, RefusesEditsOfWhatIsNotThere) {
  for (const uint8_t kind : {uint8_t{0}, uint8_t{1}}) {
    for (const size_t at : {size_t{0}, size_t{3}, size_t{6}, size_t{7}}) {
      draft_ = {};
      draft_.edit_kinds[at] = kind;
      EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << at;
    }
    draft_ = {};
    draft_.edit_runs[2] = 2;
    draft_.edit_kinds[2] = kind;
    ExpectCorrupt("edit");
  }
}

TEST_F(TreeBlockEdits, RefusesUnknownKindsOfEdits) {
  for (size_t i = 0; i < draft_.edit_kinds.size(); ++i) {
    for (const uint8_t kind : {uint8_t{3}, uint8_t{0x80}, uint8_t{0xff}}) {
      draft_ = {};
      draft_.edit_kinds[i] = kind;
      ExpectCorrupt("edit");
    }
  }
}

TEST_F(TreeBlockEdits, RefusesNamesThatWereNotSeen) {
  for (const uint64_t age : {uint64_t{4}, uint64_t{1} << 32, kMaxNumber}) {
    draft_.names[3] = age;
    ExpectCorrupt("added entry");
  }
  draft_ = {};
  draft_.names[0] = 1;
  ExpectCorrupt("added entry");
}

TEST_F(TreeBlockEdits, RefusesUnknownModes) {
  for (size_t i = 0; i < draft_.modes.size(); ++i) {
    for (const uint8_t mode :
         {uint8_t{5}, uint8_t{8}, uint8_t{10}, uint8_t{0xff}}) {
      draft_ = {};
      draft_.modes[i] = mode;
      ExpectCorrupt("added entry");
    }
  }
}

TEST_F(TreeBlockEdits, RefusesChildrenThatWereNotSeen) {
  for (const uint64_t code : {uint64_t{4}, uint64_t{66}, uint64_t{1} << 32,
                              (uint64_t{1} << 32) + 2, kMaxNumber}) {
    draft_ = {};
    draft_.children[4] = code;
    ExpectCorrupt("child");
  }
  // What another lineage saw is not known.
  draft_ = {};
  draft_.children[6] = 2;
  draft_.child_differences.pop_back();
  ExpectCorrupt("child");
  draft_ = {};
  draft_.edit_counts[4] = 3;
  ExpectCorrupt("child");
}

TEST_F(TreeBlockEdits, RefusesChildrenThatAreNoObjects) {
  for (const int64_t difference :
       {int64_t{7}, int64_t{-1}, int64_t{1} << 32, (int64_t{1} << 32) + 1,
        std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    draft_ = {};
    draft_.child_differences[2] = ZigZag(difference);
    ExpectCorrupt("child");
  }
  draft_ = {};
  draft_.outside_ids.resize(20);
  ExpectCorrupt("child");
  draft_.outside_ids.clear();
  ExpectCorrupt("child");
}

}  // namespace
}  // namespace zpack
