// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/repacker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/posix_file_system.h"
#include "support/matchers.h"
#include "support/memory_pack_store.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::MemoryPackStore;
using testing::MemorySource;
using ::testing::Not;
using ::testing::SizeIs;

// A name that is long enough for a hash.
std::string PackName(char c) { return "pack-" + std::string(40, c); }

class RepackerTest : public ::testing::Test {
 protected:
  RepackerTest() : source_(testing::SampleHistory(10)) {
    for (const auto& [id, object] : source_.objects()) reachable_.push_back(id);
    stray_ = source_.AddBlob("stray\n");
    stray_tree_ = source_.AddTree({{"100644", "stray", stray_}});
    store_.emplace(source_, dir_.path());
    options_.redundant = Redundant::kRemove;
    options_.run.threads = 2;
    settings_.common_directory = "memory";
    settings_.object_directory = "memory/objects";
    settings_.window = 10;
    settings_.depth = 50;
    settings_.big_file_threshold = 512 << 20;
  }

  // Puts what refs reach into pack 'a', and all else into pack 'b'.
  void PackAll() {
    store_->Pack(PackName('a'), reachable_);
    store_->Pack(PackName('b'), {stray_, stray_tree_});
  }
  Result<RepackStats> Repack() {
    return RunRepack({PosixFileSystem(), *store_, settings_, options_});
  }
  std::set<ObjectId> Left() const {
    std::set<ObjectId> ids;
    for (const auto& [id, object] : source_.objects()) ids.insert(id);
    return ids;
  }
  std::set<ObjectId> Reachable() const {
    return {reachable_.begin(), reachable_.end()};
  }

  testing::TempDir dir_;
  MemorySource source_;
  std::vector<ObjectId> reachable_;
  ObjectId stray_, stray_tree_;
  std::optional<MemoryPackStore> store_;
  RepackSettings settings_;
  RepackOptions options_;
};

TEST_F(RepackerTest, OnePackTakesThePlaceOfAll) {
  PackAll();
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_THAT(stats->names, SizeIs(1));
  EXPECT_EQ(store_->PackNames(), stats->names);
  EXPECT_EQ(stats->removed_packs, 2U);
  EXPECT_EQ(stats->objects, reachable_.size());
  EXPECT_EQ(Left(), Reachable());
}

TEST_F(RepackerTest, LooseObjectsGoOnlyWhenTheyArePacked) {
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->removed_loose, reachable_.size());
  EXPECT_THAT(store_->loose, SizeIs(2));  // what is unreachable
  EXPECT_EQ(Left().size(), reachable_.size() + 2);
}

TEST_F(RepackerTest, WithoutRemovalOnlyAPackIsAdded) {
  PackAll();
  options_.redundant = Redundant::kLeave;
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_THAT(store_->PackNames(), SizeIs(3));
  EXPECT_EQ(stats->removed_packs, 0U);
}

TEST_F(RepackerTest, UnreachableObjectsOfPacksBecomeLoose) {
  PackAll();
  options_.unreachable = Unreachable::kLoosen;
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->loosened_objects, 2U);
  EXPECT_THAT(store_->loose, SizeIs(2));
  EXPECT_EQ(store_->PackNames(), stats->names);
}

TEST_F(RepackerTest,
       UnreachableObjectsThatAreOldExpireUnlessAYoungOneNeedsThem) {
  PackAll();
  options_.unreachable = Unreachable::kLoosen;
  options_.expiration = 100;
  store_->Find(PackName('b'))->modified = 100;
  store_->loose[stray_tree_] = 101;
  ASSERT_THAT(Repack(), IsOk());
  EXPECT_THAT(Left(), Contains(stray_));
  store_->loose[stray_tree_] = 100;
  store_->loose[stray_] = 100;
  // Loose objects are for 'git prune'; those of packs go.
  store_->Pack(PackName('c'), {stray_, stray_tree_}).modified = 100;
  ASSERT_THAT(Repack(), IsOk());
  EXPECT_EQ(Left(), Reachable());
}

TEST_F(RepackerTest, UnreachableObjectsGoIntoACruftPack) {
  PackAll();
  options_.unreachable = Unreachable::kCruft;
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  ASSERT_THAT(stats->cruft_names, SizeIs(1));
  EXPECT_TRUE(store_->Find(stats->cruft_names.front())->cruft);
  EXPECT_EQ(stats->cruft_objects, 2U);
  EXPECT_THAT(store_->loose, IsEmpty());
  EXPECT_EQ(Left().size(), reachable_.size() + 2);
}

TEST_F(RepackerTest, KeptPacksStayAndAreNotPackedAgain) {
  store_->Pack(PackName('a'), {reachable_.begin() + 5, reachable_.end()});
  store_->Pack(PackName('b'), {reachable_.begin(), reachable_.begin() + 5})
      .keep = true;
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->objects, reachable_.size() - 5);
  EXPECT_THAT(store_->PackNames(), Contains(PackName('b')));
  EXPECT_THAT(store_->PackNames(), Not(Contains(PackName('a'))));
}

// A ref gets an object back that was about to go.
TEST_F(RepackerTest, NothingGoesIfADoomedObjectIsNeededMeanwhile) {
  PackAll();
  store_->meanwhile = [&] {
    source_.AddRef({"refs/tags/back", stray_tree_, {}, ""});
  };
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->needed_again, stray_tree_.ToHex());
  EXPECT_EQ(stats->removed_packs, 0U);
  EXPECT_THAT(store_->PackNames(), SizeIs(3));
  EXPECT_EQ(Left().size(), reachable_.size() + 2);
}

// Another repack writes a pack of the same name again.
TEST_F(RepackerTest, APackThatChangedMeanwhileStays) {
  PackAll();
  store_->meanwhile = [&] { store_->Find(PackName('b'))->nanoseconds += 1000; };
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->removed_packs, 1U);
  EXPECT_THAT(store_->PackNames(), Contains(PackName('b')));
  EXPECT_THAT(Left(), Contains(stray_));
}

TEST_F(RepackerTest, AHeldLockEndsTheWorkBeforeItBegins) {
  PackAll();
  store_->lock = MakeError(ErrorCode::kExists, "locked");
  EXPECT_THAT(Repack(), HasCode(ErrorCode::kExists));
  EXPECT_THAT(store_->PackNames(), ElementsAre(PackName('a'), PackName('b')));
  EXPECT_THAT(testing::ListDirectory(dir_.path()), IsEmpty());
}

TEST_F(RepackerTest, WhatAlternatesHaveIsLeftToThemIfAsked) {
  PackAll();
  store_->alternates.emplace(reachable_.begin(), reachable_.begin() + 7);
  options_.borrowed = Borrowed::kLeave;
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_EQ(stats->borrowed_objects, 7U);
  EXPECT_EQ(stats->objects, reachable_.size() - 7);
  EXPECT_EQ(Left(), Reachable());
}

// An object is lost, so nobody knows what it would need.
TEST_F(RepackerTest, PacksWithUnreachableObjectsStayWhileAnObjectIsMissing) {
  const ObjectId lost = source_.AddCommit(stray_tree_, {}, 5, "lost\n");
  source_.Remove(lost);
  source_.other_tips = {lost};
  PackAll();
  const auto stats = Repack();
  ASSERT_THAT(stats, IsOk());
  EXPECT_THAT(stats->lost, SizeIs(1));
  EXPECT_EQ(stats->packs_with_unreachable, 1U);
  EXPECT_THAT(store_->PackNames(), Contains(PackName('b')));
  EXPECT_THAT(Left(), Contains(stray_));
}

}  // namespace
}  // namespace zpack
