// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files in which something is missing or is not what it should be; what is as
// it should be is compared with Git in tests/cli/rev_list_test.cc.

#include "history/revision_walk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "history/commit_ancestry.h"
#include "history/object_graph.h"
#include "inventory/object_enumerator.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"
#include "writer/archive_writer.h"
#include "writer/encoding_options.h"

namespace zpack {
namespace {

using testing::HasCode;
using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;
using testing::MemorySource;
using testing::TempDir;

constexpr const char* kEmptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

class RevisionWalkTest : public ::testing::Test {
 protected:
  RevisionWalkTest() { source_.refs.head_symref = "refs/heads/main"; }

  ObjectId Commit(const ObjectId& tree, const std::vector<ObjectId>& parents) {
    const ObjectId id = source_.AddCommit(tree, parents, ++time_, "message\n");
    source_.refs.refs = {{"refs/heads/main", id, {}, ""}};
    return id;
  }

  // The file, which conversion would refuse to make.
  Bytes Written() {
    const std::string path = directory_ / fmt::format("{}.zpack", files_++);
    const auto source = source_.Open();
    const auto list =
        EnumerateObjects(*source, {}, ObjectSet::kAll, RunOptions{});
    EXPECT_THAT(list, IsOk());
    auto created = PosixFileSystem().Create(path);
    EXPECT_THAT(created, IsOk());
    EncodingOptions options;
    options.level = 1;
    options.block_size = 4096;
    const FileIds ids = list->ids.unranked();
    const auto plan =
        PlanArchive(*source, {ids, *list, source_.refs}, options, RunOptions{});
    EXPECT_THAT(plan, IsOk());
    EXPECT_THAT(WriteArchive(*plan, {}, nullptr, RunOptions{}, **created),
                IsOk());
    const std::string bytes = testing::ReadFile(path);
    return {bytes.begin(), bytes.end()};
  }

  // Walks everything; the last part of what was visited is in `visited_`.
  Status Walk(Bytes file, const WalkOptions& options) {
    const auto archive = ArchiveFile::Open(
        std::make_unique<testing::MemoryFile>(std::move(file)), ReadOptions{});
    EXPECT_THAT(archive, IsOk());
    visited_.clear();
    return WalkRevisions(
        **archive, options, [&](const WalkedObject& object) -> Status {
          visited_.push_back(
              fmt::format("{} {}", object.id.ToHex(), object.name));
          return {};
        });
  }
  Status Walk() {
    return Walk(Written(), {WalkRefs::kAll, {}, WalkObjects::kAll});
  }
  Status WalkCommits() {
    return Walk(Written(), {WalkRefs::kAll, {}, WalkObjects::kCommits});
  }

  static std::string Missing(const ObjectId& id, std::string_view type,
                             const ObjectId& by) {
    return fmt::format("object {} is missing, needed by {} {}", id.ToHex(),
                       type, by.ToHex());
  }
  static std::string IsNo(const ObjectId& id, std::string_view type,
                          std::string_view wanted) {
    return fmt::format("object {} is a {}, not a {}", id.ToHex(), type, wanted);
  }

  TempDir directory_;
  MemorySource source_;
  uint64_t time_ = 1000;
  int files_ = 0;
  std::vector<std::string> visited_;
};

TEST_F(RevisionWalkTest, EveryMissingObjectIsNamedWithWhatNeedsIt) {
  const ObjectId blob = source_.AddBlob("blob");
  const ObjectId inner = source_.AddTree({{"100644", "b", blob}});
  const ObjectId root = source_.AddTree({{"40000", "d", inner}});
  const ObjectId first = Commit(root, {});
  const ObjectId other = Commit(root, {first});
  const ObjectId second = Commit(inner, {other, first});
  ASSERT_THAT(Walk(), IsOk());
  const MemorySource whole = source_;

  source_.Remove(blob);
  EXPECT_THAT(Walk(),
              IsError(ErrorCode::kNotFound, Missing(blob, "tree", inner)));
  // What was found before: the commits, and the tree of the last one.
  EXPECT_EQ(visited_.size(), 4U);
  source_ = whole;
  source_.Remove(inner);
  EXPECT_THAT(Walk(),
              IsError(ErrorCode::kNotFound, Missing(inner, "commit", second)));
  source_ = whole;
  source_.Remove(root);
  EXPECT_THAT(Walk(),
              IsError(ErrorCode::kNotFound, Missing(root, "commit", other)));
  // Only commits do not need it.
  EXPECT_THAT(WalkCommits(), IsOk());
  EXPECT_EQ(visited_.size(), 3U);
  source_ = whole;
  source_.Remove(first);
  EXPECT_THAT(WalkCommits(),
              IsError(ErrorCode::kNotFound, Missing(first, "commit", second)));
  source_.refs.shallow = {other, second};
  std::ranges::sort(source_.refs.shallow);
  EXPECT_THAT(WalkCommits(), IsOk());
  EXPECT_EQ(visited_.size(), 1U);
  source_ = whole;
  source_.Remove(second);
  EXPECT_THAT(WalkCommits(),
              IsError(ErrorCode::kNotFound,
                      fmt::format("object {} is missing, needed by "
                                  "refs/heads/main",
                                  second.ToHex())));
}

TEST_F(RevisionWalkTest, AMissingTargetOfATagIsNamed) {
  const ObjectId blob = source_.AddBlob("blob");
  const ObjectId tag = source_.AddTag(blob, ObjectType::kBlob, "v1");
  source_.refs.refs = {{"refs/tags/v1", tag, {}, ""}};
  EXPECT_THAT(Walk(), IsOk());
  EXPECT_EQ(visited_, (std::vector<std::string>{tag.ToHex() + " v1",
                                                blob.ToHex() + " "}));
  source_.Remove(blob);
  EXPECT_THAT(Walk(), IsError(ErrorCode::kNotFound, Missing(blob, "tag", tag)));
}

TEST_F(RevisionWalkTest, TagsThatSeveralRefsLeadToAreWalkedOnce) {
  const ObjectId blob = source_.AddBlob("blob");
  const ObjectId inner = source_.AddTag(blob, ObjectType::kBlob, "v1");
  const ObjectId outer = source_.AddTag(inner, ObjectType::kTag, "v2");
  source_.refs.refs = {{"refs/tags/a", outer, {}, ""},
                       {"refs/tags/b", inner, {}, ""},
                       {"refs/tags/c", outer, {}, ""}};
  EXPECT_THAT(Walk(), IsOk());
  EXPECT_EQ(visited_, (std::vector<std::string>{outer.ToHex() + " v2",
                                                inner.ToHex() + " v1",
                                                blob.ToHex() + " "}));
}

TEST_F(RevisionWalkTest, TheEmptyTreeNeedNotBeStored) {
  const ObjectId empty = *ObjectId::FromHex(kEmptyTree);
  Commit(source_.AddTree({{"40000", "a", empty}, {"40000", "b", empty}}), {});
  source_.refs.refs.push_back({"refs/odd/empty", empty, {}, ""});
  ASSERT_THAT(Walk(), IsOk());
  // First by the ref, whose place is before the root trees.
  EXPECT_EQ(std::ranges::count(visited_, empty.ToHex() + " "), 1);
  EXPECT_EQ(visited_.size(), 3U);
  // No commit.
  source_.refs.refs.clear();
  Commit(source_.AddTree({}), {empty});
  source_.Remove(empty);
  EXPECT_THAT(WalkCommits(),
              IsError(ErrorCode::kCorrupt, IsNo(empty, "tree", "commit")));
}

// Those who have an array for the objects of the file need not know it.
TEST_F(RevisionWalkTest, TheEmptyTreeIsNoParent) {
  const ObjectId empty = *ObjectId::FromHex(kEmptyTree);
  const ObjectId commit =
      Commit(source_.AddTree({{"100644", "a", source_.AddBlob("b")}}), {empty});
  const auto archive = ArchiveFile::Open(
      std::make_unique<testing::MemoryFile>(Written()), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  ObjectGraph graph(**archive);
  const auto number = graph.Find(commit, "the test");
  ASSERT_THAT(number, IsOk());
  EXPECT_THAT(graph.ReadParents(*number),
              IsError(ErrorCode::kCorrupt, IsNo(empty, "tree", "commit")));
  EXPECT_THAT(FindMergeBases(**archive, empty, commit),
              IsError(ErrorCode::kCorrupt, IsNo(empty, "tree", "commit")));
}

TEST_F(RevisionWalkTest, ObjectsOfOtherTypesAreErrors) {
  const ObjectId blob = source_.AddBlob("blob");
  const ObjectId good = source_.AddTree({{"100644", "a", blob}});
  const ObjectId commit = Commit(good, {});
  const MemorySource whole = source_;
  const auto expect = [&](const std::string& message) {
    EXPECT_THAT(Walk(), IsError(ErrorCode::kCorrupt, message));
    source_ = whole;
  };
  Commit(source_.AddTree({{"40000", "a", blob}}), {});
  expect(IsNo(blob, "blob", "tree"));
  Commit(source_.AddTree({{"100644", "a", blob}, {"40000", "b", blob}}), {});
  expect(IsNo(blob, "blob", "tree"));
  Commit(source_.AddTree({{"100644", "a", commit}}), {commit});
  expect(IsNo(commit, "commit", "blob"));
  Commit(blob, {});
  expect(IsNo(blob, "blob", "tree"));
  Commit(good, {good});
  expect(IsNo(good, "tree", "commit"));
  source_.refs.refs = {
      {"refs/tags/v1", source_.AddTag(blob, ObjectType::kTree, "v1"), {}, ""}};
  expect(IsNo(blob, "tree", "blob"));
}

TEST_F(RevisionWalkTest, WhatCannotBeReadIsAnError) {
  const ObjectId no_commit = source_.Add(ObjectType::kCommit, "nothing\n");
  const MemorySource whole = source_;
  const auto expect = [&](const ObjectId& id, std::string_view message) {
    source_.refs.refs = {{"refs/heads/main", id, {}, ""}};
    EXPECT_THAT(Walk(), IsError(ErrorCode::kCorrupt,
                                fmt::format("{} {}", message, id.ToHex())));
    source_ = whole;
  };
  source_.refs.refs = {{"refs/heads/main", no_commit, {}, ""}};
  EXPECT_THAT(WalkCommits(),
              IsError(ErrorCode::kCorrupt,
                      fmt::format("commit {} has no tree", no_commit.ToHex())));
  const ObjectId blob = source_.AddBlob("blob");
  expect(source_.Add(ObjectType::kTree, "100644 cut short"),
         "bad entry in tree");
  expect(source_.AddTree({{"100644", "", blob}}), "bad entry in tree");
  expect(source_.AddTree({{"10x644", "a", blob}}), "bad entry in tree");
  const std::string header = "object " + blob.ToHex() + "\ntype ";
  expect(source_.Add(ObjectType::kTag, "type blob\n"), "bad header of tag");
  expect(source_.Add(ObjectType::kTag, header + "blob\n"), "bad header of tag");
  expect(source_.Add(ObjectType::kTag, header + "blub\ntag x\n"),
         "bad header of tag");
}

TEST_F(RevisionWalkTest, AnyDepthIsWalked) {
  ObjectId tree = source_.AddTree({});
  for (int depth = 1; depth < 5000; ++depth) {
    tree = source_.AddTree({{"40000", "d", tree}});
  }
  Commit(tree, {});
  EXPECT_THAT(Walk(), IsOk());
  EXPECT_EQ(visited_.size(), 5001U);
}

TEST_F(RevisionWalkTest, PathsEndSomewhere) {
  ObjectId tree = source_.AddTree({});
  for (int depth = 0; depth < 4; ++depth) {
    tree = source_.AddTree({{"40000", std::string(60000, 'd'), tree}});
  }
  Commit(tree, {});
  EXPECT_THAT(Walk(), IsOk());
  Commit(source_.AddTree({{"40000", std::string(60000, 'd'), tree}}), {});
  EXPECT_THAT(Walk(), IsError(ErrorCode::kLimitExceeded,
                              HasSubstr("is longer than 262144 bytes")));
}

TEST_F(RevisionWalkTest, TreesThatNameEachOtherAreWalkedOnce) {
  // Under ids that are not theirs.
  const ObjectId one(Bytes(20, 1));
  const ObjectId two(Bytes(20, 2));
  const MemorySource::Entry up{"40000", "up", one};
  source_.AddAs(two, ObjectType::kTree,
                source_.objects().at(source_.AddTree({up})).content);
  source_.AddAs(one, ObjectType::kTree,
                source_.objects()
                    .at(source_.AddTree({{"40000", "down", two}, up}))
                    .content);
  Commit(one, {});
  ASSERT_THAT(Walk(), IsOk());
  EXPECT_EQ(visited_.size(), 3U);
  EXPECT_EQ(visited_.back(), two.ToHex() + " down");
}

TEST_F(RevisionWalkTest, VersionsThatCanOnlyBeRebuiltGiveAllTheirObjects) {
  // A walk that begins with the last of many versions, in both directions.
  std::vector<MemorySource::Entry> entries;
  for (int i = 0; i < 50; ++i) {
    entries.push_back({"100644", fmt::format("f{:02}", i),
                       source_.AddBlob(std::to_string(i))});
  }
  std::vector<ObjectId> commits;
  for (size_t i = 0; i < 100; ++i) {
    entries[i % 50].id = source_.AddBlob(fmt::format("version {}", i));
    commits.push_back(Commit(source_.AddTree(entries), {}));
  }
  const Bytes file = Written();
  for (const ObjectId& commit :
       {commits.front(), commits[50], commits.back()}) {
    ASSERT_THAT(Walk(file, {WalkRefs::kNone, {commit}, WalkObjects::kAll}),
                IsOk());
    EXPECT_EQ(visited_.size(), 52U);
    EXPECT_THAT(visited_.back(), HasSubstr(" f49"));
  }
}

TEST_F(RevisionWalkTest, EndsWithTheFirstVisitThatFailsOrHasEnough) {
  Commit(source_.AddTree({{"100644", "a", source_.AddBlob("b")}}), {});
  const auto archive = ArchiveFile::Open(
      std::make_unique<testing::MemoryFile>(Written()), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  for (size_t last = 1; last <= 3; ++last) {
    size_t visited = 0;
    const Status status = WalkRevisions(
        **archive, {WalkRefs::kAll, {}, WalkObjects::kAll},
        [&](const WalkedObject&) -> Status {
          if (++visited < last) return {};
          return std::unexpected(Error{ErrorCode::kMismatch, "seen"});
        });
    EXPECT_THAT(status, IsError(ErrorCode::kMismatch, "seen"));
    EXPECT_EQ(visited, last);
    visited = 0;
    EXPECT_THAT(WalkRevisions(
                    **archive, {WalkRefs::kAll, {}, WalkObjects::kAll},
                    [&](const WalkedObject&) -> Result<Visit> {
                      return ++visited < last ? Visit::kContinue : Visit::kStop;
                    }),
                IsOk());
    EXPECT_EQ(visited, last);
  }
}

TEST_F(RevisionWalkTest, WhatWasWantedIsThereIfLaterObjectsAreMissing) {
  const ObjectId blob = source_.AddBlob("blob");
  Commit(source_.AddTree({{"100644", "a", blob}}), {});
  source_.Remove(blob);
  const auto archive = ArchiveFile::Open(
      std::make_unique<testing::MemoryFile>(Written()), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  const WalkOptions everything{WalkRefs::kAll, {}, WalkObjects::kAll};
  for (size_t last = 1; last <= 2; ++last) {
    size_t visited = 0;
    EXPECT_THAT(WalkRevisions(**archive, everything,
                              [&](const WalkedObject&) -> Result<Visit> {
                                return ++visited < last ? Visit::kContinue
                                                        : Visit::kStop;
                              }),
                IsOk());
    EXPECT_EQ(visited, last);
  }
}

TEST_F(RevisionWalkTest, NothingIsVisitedOnceAStopIsRequested) {
  ObjectId last;
  for (int i = 0; i < 30; ++i) {
    last = Commit(source_.AddTree({{"100644", fmt::format("{}", i),
                                    source_.AddBlob(fmt::format("{}", i))}}),
                  last.empty() ? std::vector<ObjectId>{} : std::vector{last});
  }
  const auto archive = ArchiveFile::Open(
      std::make_unique<testing::MemoryFile>(Written()), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  for (const size_t before : {1, 20, 89}) {
    std::stop_source stop;
    WalkOptions options{WalkRefs::kAll, {}, WalkObjects::kAll};
    options.stop = stop.get_token();
    size_t visited = 0;
    EXPECT_THAT(WalkRevisions(**archive, options,
                              [&](const WalkedObject&) -> Status {
                                if (++visited == before) stop.request_stop();
                                return {};
                              }),
                HasCode(ErrorCode::kInterrupted));
    EXPECT_LE(visited, before + 1);
  }
}

TEST_F(RevisionWalkTest, ADamagedBlockIsNamed) {
  source_ = testing::SampleHistory(20);
  const Bytes good = Written();
  const WalkOptions options{WalkRefs::kAll, {}, WalkObjects::kAll};
  ASSERT_THAT(Walk(good, options), IsOk());
  const auto archive = ArchiveFile::Open(
      std::make_unique<testing::MemoryFile>(good), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  size_t found = 0;
  for (size_t block = 0; block < (*archive)->blocks().block_count(); ++block) {
    Bytes bad = good;
    bad[(*archive)->blocks().block_offset(block) + 40] ^= 1;
    const Status status = Walk(std::move(bad), options);
    if (status) continue;  // nothing needs the content of blobs
    ++found;
    EXPECT_THAT(status,
                IsError(ErrorCode::kCorrupt,
                        HasSubstr(fmt::format(
                            "in block {} at offset {} of", block,
                            (*archive)->blocks().block_offset(block)))));
  }
  EXPECT_GE(found, 3U);
}

}  // namespace
}  // namespace zpack
