// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The directories that 'git zpack mount' shows, without FUSE.

#include "archive_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "content_reader.h"
#include "node_table.h"
#include "ref_directories.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "zpack/archive_reader.h"

namespace zpack::mount {
namespace {

using ::testing::ElementsAre;
using testing::FileOf;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::MemorySource;
using ::testing::Pair;

class ArchiveTreeTest : public ::testing::Test {
 protected:
  void Open(std::optional<uint64_t> block_size = {}) {
    if (source_.refs.head_target.empty() && source_.refs.head_symref.empty()) {
      source_.refs.head_symref = "refs/heads/main";
    }
    const std::string path = dir_ / "a.zpack";
    testing::WriteFile(path, AsText(FileOf(source_, block_size)));
    auto reader = ArchiveReader::Open(path, {});
    ASSERT_THAT(reader, IsOk());
    reader_ = *std::move(reader);
    tree_ = std::make_unique<ArchiveTree>(*reader_);
  }

  void AddBranch(const std::string& name, const ObjectId& target) {
    Ref ref;
    ref.name = "refs/heads/" + name;
    ref.target = target;
    source_.AddRef(ref);
  }

  // The place at a path; an error of the test if there is none.
  Place At(const std::vector<std::string>& names) {
    Place place = tree_->Root();
    for (const std::string& name : names) {
      const auto next = tree_->Find(place, name);
      EXPECT_THAT(next, IsOk());
      if (!next || !*next) {
        ADD_FAILURE() << "no " << name;
        return place;
      }
      place = **next;
    }
    return place;
  }

  std::vector<std::string> NamesIn(const Place& place) {
    const auto listing = tree_->List(place);
    EXPECT_THAT(listing, IsOk());
    std::vector<std::string> names;
    if (!listing) return names;
    for (const ListedEntry& entry : (*listing)->entries()) {
      names.emplace_back(entry.name);
    }
    return names;
  }

  testing::TempDir dir_;
  MemorySource source_;
  std::unique_ptr<ArchiveReader> reader_;
  std::unique_ptr<ArchiveTree> tree_;
};

TEST_F(ArchiveTreeTest, EntriesHaveTheKindsOfTheirModes) {
  const ObjectId blob = source_.AddBlob("content");
  const ObjectId module(std::vector<uint8_t>(20, 0x12));
  const ObjectId empty = source_.AddTree({});
  const ObjectId tree = source_.AddTree({{"100644", "file", blob},
                                         {"100755", "program", blob},
                                         {"120000", "link", blob},
                                         {"40000", "tree", empty},
                                         {"160000", "module", module}});
  const ObjectId commit = source_.AddCommit(tree, {}, 1234, "message");
  AddBranch("main", commit);
  Open();
  const Place main = At({"branches", "main"});
  EXPECT_EQ(main.origin->commit, commit);
  EXPECT_EQ(main.origin->time, 1234);
  const auto kind_of = [&](const char* name) {
    return At({"branches", "main", name}).kind;
  };
  EXPECT_EQ(kind_of("file"), PlaceKind::kFile);
  EXPECT_EQ(kind_of("program"), PlaceKind::kFile);
  EXPECT_TRUE(At({"branches", "main", "program"}).executable);
  EXPECT_EQ(kind_of("link"), PlaceKind::kLink);
  EXPECT_EQ(kind_of("tree"), PlaceKind::kTree);
  EXPECT_EQ(kind_of("module"), PlaceKind::kSubmodule);
  EXPECT_THAT(tree_->TargetOf(At({"branches", "main", "link"})),
              ::testing::Optional(std::string("content")));
  EXPECT_THAT(NamesIn(At({"branches", "main", "module"})), IsEmpty());
  EXPECT_THAT(ArchiveTree::AttributesOf(At({"branches", "main", "link"})),
              IsEmpty());
  EXPECT_THAT(ArchiveTree::AttributesOf(At({"branches", "main", "file"})),
              ElementsAre(Pair("user.git.id", blob.ToHex()),
                          Pair("user.git.type", "blob"),
                          Pair("user.git.commit", commit.ToHex())));
}

TEST_F(ArchiveTreeTest, HostileNamesAreNotShown) {
  const ObjectId blob = source_.AddBlob("content");
  const std::string longest(255, 'x');
  const ObjectId tree = source_.AddTree({{"100644", "..", blob},
                                         {"100644", ".", blob},
                                         {"40000", ".Git", blob},
                                         {"100644", "a/b", blob},
                                         {"100644", "b", blob},
                                         {"40000", "b", blob},
                                         {"100644", longest, blob},
                                         {"100644", longest + "x", blob}});
  AddBranch("main", source_.AddCommit(tree, {}, 1, "message"));
  Open();
  const Place main = At({"branches", "main"});
  EXPECT_THAT(NamesIn(main), ElementsAre("b", longest));
  EXPECT_EQ(At({"branches", "main", "b"}).kind, PlaceKind::kFile);
  EXPECT_EQ((*tree_->List(main))->hidden(), 6);
  for (const char* const name : {"..", ".", ".Git", ".git", "a", ""}) {
    const auto found = tree_->Find(main, name);
    EXPECT_TRUE(found && !*found) << name;
  }
}

TEST_F(ArchiveTreeTest, ObjectsOfWrongTypesAreErrors) {
  const ObjectId blob = source_.AddBlob("content");
  const ObjectId empty = source_.AddTree({});
  const ObjectId tree = source_.AddTree(
      {{"40000", "directory", blob}, {"100644", "file", empty}});
  AddBranch("main", source_.AddCommit(tree, {}, 1, "message"));
  Open();
  EXPECT_THAT(tree_->List(At({"branches", "main", "directory"})),
              testing::HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(tree_->SizeOf(At({"branches", "main", "file"})),
              testing::HasCode(ErrorCode::kCorrupt));
}

TEST_F(ArchiveTreeTest, TheEmptyTreeNeedNotBeStored) {
  const ObjectId empty = source_.AddTree({});
  source_.Remove(empty);
  AddBranch("main", source_.AddCommit(empty, {}, 1, "message"));
  AddBranch("tree", empty);
  Open();
  for (const char* const name : {"main", "tree"}) {
    const Place place = At({"branches", name});
    EXPECT_EQ(place.kind, PlaceKind::kTree);
    EXPECT_EQ(place.id, empty);
    EXPECT_THAT(NamesIn(place), IsEmpty());
  }
}

TEST_F(ArchiveTreeTest, HeadElsewhereIsACommit) {
  const ObjectId commit =
      source_.AddCommit(source_.AddTree({}), {}, 77, "message");
  AddBranch("main", commit);
  source_.refs.head_target = commit;
  Open();
  EXPECT_THAT(tree_->TargetOf(At({"HEAD"})),
              ::testing::Optional("commits/" + commit.ToHex()));
  EXPECT_EQ(tree_->TimeOf(tree_->Root()), 77);
  EXPECT_EQ(At({"commits", commit.ToHex().substr(0, 7)}).origin->commit,
            commit);
  EXPECT_THAT(NamesIn(At({"commits"})), IsEmpty());
}

TEST_F(ArchiveTreeTest, HeadMayBeATag) {
  const ObjectId commit =
      source_.AddCommit(source_.AddTree({}), {}, 77, "message");
  const ObjectId tag = source_.AddTag(commit, ObjectType::kCommit, "v1");
  for (const std::string name : {"refs/tags/v1", "refs/odd/v1"}) {
    source_.AddRef(
        {.name = name, .target = tag, .peeled = commit, .symref_target = ""});
  }
  const auto expect_head = [&](const std::string& target) {
    Open();
    EXPECT_THAT(tree_->TargetOf(At({"HEAD"})), ::testing::Optional(target));
    EXPECT_EQ(tree_->TimeOf(tree_->Root()), 77);
  };
  source_.refs.head_symref = "refs/tags/v1";
  expect_head("tags/v1");
  EXPECT_EQ(At({"tags", "v1"}).origin->commit, commit);
  source_.refs.head_symref = "refs/odd/v1";
  expect_head("commits/" + commit.ToHex());
  source_.refs.head_symref = "";
  source_.refs.head_target = tag;
  expect_head("commits/" + commit.ToHex());
}

TEST_F(ArchiveTreeTest, AnyBytesOfAnObjectInSegments) {
  const std::string content = testing::RandomBytes(1, 300'000);
  const ObjectId blob = source_.AddBlob(content);
  AddBranch("main",
            source_.AddCommit(source_.AddTree({{"100644", "file", blob}}), {},
                              1, "message"));
  Open(4096);
  ContentReader contents(*reader_);
  const auto read = [&](uint64_t offset, uint64_t size) {
    std::string text;
    const auto bytes = contents.Read(blob, content.size(), {offset, size});
    EXPECT_THAT(bytes, IsOk());
    if (!bytes) return text;
    for (const auto& piece : bytes->pieces) {
      text.append(piece.begin(), piece.end());
    }
    return text;
  };
  for (uint64_t offset = 0; offset < content.size() + 9000; offset += 7777) {
    const uint64_t from = std::min<uint64_t>(offset, content.size());
    EXPECT_EQ(read(offset, 40'000), content.substr(from, 40'000)) << offset;
  }
  const auto part = reader_->ReadPart(blob, 100'000);
  ASSERT_THAT(part, IsOk());
  EXPECT_LE(part->offset, 100'000);
  EXPECT_LT(part->bytes.size(), content.size() / 8);
  EXPECT_THAT(contents.Read(blob, content.size() + 1, {0, content.size() + 1}),
              testing::HasCode(ErrorCode::kCorrupt));
}

TEST(RefDirectoriesTest, ARefBelowARefIsNotShown) {
  RefsSnapshot refs;
  const ObjectId id(std::vector<uint8_t>(20, 1));
  for (const char* const name :
       {"refs/heads/a", "refs/heads/a/b", "refs/heads/c/d", "refs/heads/c/e",
        "refs/heads/x/../y", "refs/notes/n", "refs/tags/t"}) {
    Ref ref;
    ref.name = name;
    ref.target = id;
    refs.refs.push_back(ref);
  }
  const RefDirectories directories(refs);
  EXPECT_EQ(directories.hidden(), 2);
  EXPECT_NE(directories.Find(RefDirectories::kBranches, "a")->ref, nullptr);
  const auto below = directories.Find(RefDirectories::kBranches, "c");
  ASSERT_TRUE(below && below->directory);
  EXPECT_EQ(directories.List(*below->directory).entries().size(), 2);
  EXPECT_FALSE(directories.Find(RefDirectories::kBranches, "x"));
  EXPECT_FALSE(directories.Find(RefDirectories::kTags, "n"));
}

TEST(NodeTableTest, NodesLiveAsLongAsTheKernelOrTheirChildrenNeedThem) {
  NodeTable nodes({});
  Node& directory = nodes.Insert(nodes.root(), "a", {}, 0);
  Node& file = nodes.Insert(directory, "b", {}, 5);
  EXPECT_EQ(&nodes.Insert(directory, "b", {}, 5), &file);
  EXPECT_EQ(nodes.Find(directory, "b"), &file);
  EXPECT_EQ(nodes.Find(directory, "c"), nullptr);
  EXPECT_EQ(PathOf(file), "a/b");
  EXPECT_NE(file.inode, directory.inode);
  EXPECT_EQ(file.inode, NodeTable::InodeOf(directory, "b"));
  nodes.Forget(directory, 1);
  EXPECT_EQ(nodes.size(), 2);
  nodes.Forget(file, 2);
  EXPECT_EQ(nodes.size(), 2);
  nodes.Forget(file, 1);
  EXPECT_EQ(nodes.size(), 0);
}

}  // namespace
}  // namespace zpack::mount
