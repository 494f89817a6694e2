// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/object_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "serve/history.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/sample_file.h"

namespace zpack {
namespace {

using ::testing::_;
using ::testing::Contains;
using testing::IsOk;
using ::testing::Not;
using ::testing::Pair;

// A file with two versions, in two commits.
class ObjectSelectorTest : public ::testing::Test {
 protected:
  ObjectSelectorTest() {
    one_ = source_.AddTree({{"100644", "file", old_}});
    const ObjectId two = source_.AddTree({{"100644", "file", new_}});
    had_ = source_.AddCommit(one_, {}, 1000, "one\n");
    wanted_ = source_.AddCommit(two, {had_}, 2000, "two\n");
    source_.refs.head_symref = "refs/heads/main";
    source_.AddRef({"refs/heads/main", wanted_, {}, ""});
    archive_ = *ArchiveFile::OpenWithoutIndex(
        std::make_unique<testing::MemoryFile>(testing::FileOf(source_)), {});
    history_ = *History::Open(*archive_);
  }

  ObjectNumber Number(const ObjectId& id) const { return *history_->Find(id); }

  // For a client that has the first commit.
  Result<Selection> Select(const std::vector<ObjectNumber>& wants) const {
    return SelectObjects(
        {.wants = wants, .haves = {Number(had_)}, .filter = {}, .thin = true},
        *history_, {}, [](uint32_t) { return Status(); });
  }

  testing::MemorySource source_;
  ObjectId old_ = source_.AddBlob("old");
  ObjectId new_ = source_.AddBlob("new");
  ObjectId one_;  // the tree of the first commit
  ObjectId had_;
  ObjectId wanted_;
  std::unique_ptr<ArchiveFile> archive_;
  std::unique_ptr<History> history_;
};

TEST_F(ObjectSelectorTest, TheSameFileOfTheClientIsABase) {
  const Result<Selection> selection = Select({Number(wanted_)});
  ASSERT_THAT(selection, IsOk());
  EXPECT_THAT(selection->choice.outside_bases,
              Contains(Pair(Number(new_), Number(old_))));
}

// Git refuses some packs in which an object is a delta and a base from outside.
TEST_F(ObjectSelectorTest, WhatIsSentIsNoBaseFromOutside) {
  for (const ObjectId& id : {one_, old_}) {
    const Result<Selection> selection = Select({Number(wanted_), Number(id)});
    ASSERT_THAT(selection, IsOk());
    EXPECT_TRUE(selection->choice.chosen[Number(id)]);
    EXPECT_THAT(selection->choice.outside_bases,
                Not(Contains(Pair(_, Number(id)))));
  }
}

}  // namespace
}  // namespace zpack
