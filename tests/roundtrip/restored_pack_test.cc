// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The pack that restore writes: deltified, within what Git writes itself, and
// read by Git and libgit2 alike, whatever kind of block an object came from.

#include <git2.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

struct Pack {
  std::string path;  // without extension
  std::string bytes;
};

Pack OnlyPack(const std::string& repository) {
  const std::string directory = repository + "/objects/pack/";
  for (const std::string& name : ListDirectory(directory)) {
    if (!name.ends_with(".pack")) continue;
    return {directory + name.substr(0, name.size() - 5),
            ReadFile(directory + name)};
  }
  return {};
}

// What git says of chains of deltas in a pack.
struct Chains {
  unsigned deltas = 0;
  unsigned longest = 0;
};

Chains ChainsOf(const Pack& pack) {
  const ProcessResult result =
      RunGit({"verify-pack", "-v",
              "--object-format=" + std::string(ObjectFormatName(TestFormat())),
              pack.path + ".idx"},
             "/");
  EXPECT_TRUE(result.ok()) << result.err;
  Chains chains;
  for (const std::string& line : SplitLines(result.out)) {
    unsigned length = 0;
    unsigned count = 0;
    if (sscanf(line.c_str(), "chain length = %u: %u", &length, &count) != 2) {
      continue;
    }
    chains.deltas += count;
    chains.longest = std::max(chains.longest, length);
  }
  return chains;
}

class RestoredPackTest : public ::testing::Test {
 protected:
  RestoredPackTest() : repo_(dir_ / "repo") {}

  // Versions of a text and of the tree that holds it, `count` of them, each
  // with a commit.
  void Versions(int count) const {
    std::vector<std::string> lines(200);
    for (size_t i = 0; i < lines.size(); ++i) {
      lines[i] = RawToHex(RandomBytes(i, 16)) + '\n';
    }
    std::string others;
    for (int i = 100; i < 130; ++i) {
      others +=
          TreeEntryBytes("100644", "other" + std::to_string(i), kEmptyBlob);
    }
    repo_.WriteBlob("");
    std::string tip;
    for (int i = 0; i < count; ++i) {
      const auto seed = static_cast<uint64_t>(1000 + i);
      lines[(seed * 7) % lines.size()] = RawToHex(RandomBytes(seed, 16)) + '\n';
      std::string text;
      for (const std::string& line : lines) text += line;
      CommitFields fields;
      fields.tree = repo_.WriteTree(
          TreeEntryBytes("100644", "file", repo_.WriteBlob(text)) + others);
      if (!tip.empty()) fields.parents = {tip};
      fields.time += seed;
      tip = repo_.WriteCommit(fields);
    }
    repo_.SetRef("refs/heads/main", tip);
  }

  // Restores it in `name` and checks the result with git.
  std::string Restore(const std::string& name,
                      const std::vector<std::string>& convert = {}) {
    std::vector<std::string> arguments = {"convert", "-q", "--force"};
    arguments.insert(arguments.end(), convert.begin(), convert.end());
    arguments.insert(arguments.end(), {repo_.path(), dir_ / "x.zpack"});
    EXPECT_EQ(RunZpack(arguments).exit_code, 0);
    return RestoreFile(name, "2");
  }

  std::string RestoreFile(const std::string& name, const std::string& threads) {
    const std::string restored = dir_ / name;
    const ProcessResult result = RunZpack(
        {"restore", "-q", "--threads", threads, dir_ / "x.zpack", restored});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(ReadState(restored), ReadState(repo_.path()));
    return restored;
  }

  TempDir dir_;
  RepoBuilder repo_;
};

TEST_F(RestoredPackTest, IsDeltifiedWithChainsAsGitWritesThem) {
  Versions(180);
  const std::string restored = Restore("back");
  const Chains chains = ChainsOf(OnlyPack(restored));
  // Nearly all texts and trees.
  EXPECT_GT(chains.deltas, 330U);
  EXPECT_LE(chains.longest, 50U);
  const ProcessResult fsck = RunGit({"fsck", "--full", "--strict"}, restored);
  EXPECT_TRUE(fsck.ok()) << fsck.err;
}

TEST_F(RestoredPackTest, GitTakesItFromAStream) {
  Versions(60);
  const Pack pack = OnlyPack(Restore("back"));
  const RepoBuilder empty(dir_ / "empty");
  const ProcessResult indexed =
      RunGit({"index-pack", "--strict", "--stdin"}, empty.path(), pack.bytes);
  EXPECT_TRUE(indexed.ok()) << indexed.err;
  // The index is the one that Git makes.
  EXPECT_EQ(ReadFile(OnlyPack(empty.path()).path + ".idx"),
            ReadFile(pack.path + ".idx"));
}

TEST_F(RestoredPackTest, IsNoLargerThanWhatGitRepacks) {
  Versions(180);
  const std::string restored = Restore("back");
  repo_.Git({"-c", "gc.auto=0", "-c", "pack.threads=1", "repack", "-adFq"});
  EXPECT_LE(OnlyPack(restored).bytes.size(),
            OnlyPack(repo_.path()).bytes.size());
}

TEST_F(RestoredPackTest, ConvertsToTheSameFileAgain) {
  Versions(120);
  const std::string restored = Restore("back");
  ASSERT_EQ(
      RunZpack({"convert", "-q", restored, dir_ / "again.zpack"}).exit_code, 0);
  EXPECT_EQ(ReadFile(dir_ / "again.zpack"), ReadFile(dir_ / "x.zpack"));
}

TEST_F(RestoredPackTest, DoesNotDependOnTheNumberOfThreads) {
  Versions(120);
  const std::string two = Restore("two", {"--block-size", "16k"});
  EXPECT_EQ(OnlyPack(two).bytes, OnlyPack(RestoreFile("one", "1")).bytes);
  EXPECT_EQ(OnlyPack(two).bytes, OnlyPack(RestoreFile("five", "5")).bytes);
}

TEST_F(RestoredPackTest, EveryKindOfBlockComesBack) {
  Versions(70);
  std::vector<std::string> blobs = {
      repo_.WriteBlob(RandomBytes(1, 3'000'000)),  // in segments
      repo_.WriteBlob(std::string(3'000'000, 'x')),
      repo_.WriteBlob(RandomBytes(2, 200'000)),  // does not compress
      repo_.WriteBlob(std::string(49, 'x'))};
  std::string tree;
  for (size_t i = 0; i < blobs.size(); ++i) {
    // A mode that no column holds.
    tree += TreeEntryBytes("100600", "blob" + std::to_string(i), blobs[i]);
  }
  CommitFields fields;
  fields.tree = repo_.WriteTree(tree);
  repo_.SetRef("refs/heads/other", repo_.WriteCommit(fields));
  repo_.SetRef("refs/tags/t", repo_.WriteTag(blobs[0], "blob", "t"));
  for (const char* const block_size : {"16k", "2m"}) {
    const std::string name = std::string("back") + block_size;
    const std::string restored = Restore(name, {"--block-size", block_size});
    EXPECT_GT(ChainsOf(OnlyPack(restored)).deltas, 100U);
  }
}

TEST_F(RestoredPackTest, Libgit2ReadsEveryObject) {
  Versions(120);
  const std::string restored = Restore("back");
  git_libgit2_init();
  git_repository* repository = nullptr;
  ASSERT_EQ(git_repository_open(&repository, restored.c_str()), 0);
  git_odb* odb = nullptr;
  ASSERT_EQ(git_repository_odb(&odb, repository), 0);
  struct Seen {
    git_odb* odb;
    size_t count = 0;
  } seen{odb};
  // It hashes each object that it reads.
  const int code = git_odb_foreach(
      odb,
      [](const git_oid* id, void* payload) {
        auto& to = *static_cast<Seen*>(payload);
        git_odb_object* object = nullptr;
        if (git_odb_read(&object, to.odb, id) != 0) return -1;
        git_odb_object_free(object);
        ++to.count;
        return 0;
      },
      &seen);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(seen.count, ReadState(repo_.path()).objects.size());
  git_odb_free(odb);
  git_repository_free(repository);
  git_libgit2_shutdown();
}

}  // namespace
}  // namespace zpack::testing
