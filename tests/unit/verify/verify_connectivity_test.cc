// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "inventory/object_enumerator.h"
#include "reader/block_decoder.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/temp_dir.h"
#include "verify/verify_archive.h"
#include "writer/archive_writer.h"
#include "writer/encoding_options.h"

namespace zpack {
namespace {

using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::MemorySource;
using testing::TempDir;
using ::testing::UnorderedElementsAre;

// What names missing objects in trees, all of which are in blocks of trees.
class VerifyConnectivityTest : public ::testing::Test {
 protected:
  using Entries = std::vector<MemorySource::Entry>;

  VerifyConnectivityTest() { source_.refs.head_symref = "refs/heads/main"; }

  ObjectId Blob(std::string_view text) { return source_.AddBlob(text); }
  // The next commit of the branch that is checked.
  void Commit(const ObjectId& tree) {
    parents_ = {source_.AddCommit(tree, parents_, ++time_, "message\n")};
    source_.refs.refs = {{"refs/heads/main", parents_[0], {}, ""}};
  }

  // What is missing, as messages.
  std::vector<std::string> Missing() {
    VerifyReport report;
    EXPECT_THAT(Check(RunOptions{}, report), IsOk());
    std::vector<std::string> messages;
    for (const Error& damage : report.damages) {
      EXPECT_EQ(damage.code, ErrorCode::kCorrupt);
      EXPECT_THAT(damage.message, ::testing::HasSubstr(damage.object.ToHex()));
      messages.push_back(damage.message);
    }
    return messages;
  }

  // Writes the source as a file and checks that.
  Status Check(const RunOptions& run, VerifyReport& report) {
    // Conversion refuses what is incomplete, if refs need it.
    const std::string path =
        directory_ / fmt::format("{}.zpack", files_written_++);
    const auto source = source_.Open();
    const auto list =
        EnumerateObjects(*source, {}, ObjectSet::kAll, RunOptions{});
    EXPECT_THAT(list, IsOk());
    auto created = PosixFileSystem().Create(path);
    EXPECT_THAT(created, IsOk());
    EncodingOptions options;
    options.level = 1;
    options.block_size = block_size_;
    const FileIds ids = list->ids.unranked();
    const auto plan =
        PlanArchive(*source, {ids, *list, source_.refs}, options, RunOptions{});
    EXPECT_THAT(plan, IsOk());
    EXPECT_THAT(WriteArchive(*plan, {}, nullptr, RunOptions{}, **created),
                IsOk());
    auto file = PosixFileSystem().OpenForRead(path);
    EXPECT_THAT(file, IsOk());
    const auto archive = ArchiveFile::Open(*std::move(file), ReadOptions{});
    EXPECT_THAT(archive, IsOk());
    ExpectBlocksOfTrees(**archive);
    return VerifyConnectivity(**archive, run, report);
  }
  static std::string Needs(const ObjectId& tree, const ObjectId& missing) {
    return fmt::format("object {} is missing, needed by tree {}",
                       missing.ToHex(), tree.ToHex());
  }

  static void ExpectBlocksOfTrees(const ArchiveFile& archive) {
    BlockDecoder decoder;
    size_t blocks = 0;
    for (size_t i = 0; i < archive.blocks().block_count(); ++i) {
      const auto block = decoder.DecodeObjects(archive.blocks(), i);
      ASSERT_THAT(block, IsOk());
      if (block->header.type != ObjectType::kTree) continue;
      EXPECT_EQ(block->header.kind, format::BlockKind::kTrees);
      ++blocks;
    }
    EXPECT_GT(blocks, 0U);
  }

  TempDir directory_;
  MemorySource source_;
  std::vector<ObjectId> parents_;
  uint64_t time_ = 1000;
  uint64_t block_size_ = 2'000'000;
  int files_written_ = 0;
};

TEST_F(VerifyConnectivityTest, FindsNothingWhereNothingIsMissing) {
  const ObjectId tree = source_.AddTree(
      {{"100644", "a", Blob("a")},
       {"40000", "d", source_.AddTree({{"100644", "b", Blob("b")}})}});
  Commit(tree);
  EXPECT_THAT(Missing(), IsEmpty());
}

// Requests a stop once so many objects were dealt with, and counts on.
class Stopper final : public ProgressSink {
 public:
  explicit Stopper(uint64_t last) : last_(last) {}

  void Begin(Phase, uint64_t, uint64_t) override {}
  void Advance(uint64_t objects, uint64_t) override {
    count_ += objects;
    if (count_ >= last_) stop_.request_stop();
  }
  void End() override {}

  std::stop_token token() const { return stop_.get_token(); }
  uint64_t count() const { return count_; }

 private:
  uint64_t last_;
  uint64_t count_ = 0;
  std::stop_source stop_;
};

TEST_F(VerifyConnectivityTest, StopsInsideABlockOfTrees) {
  constexpr uint64_t kCommits = 40;
  const ObjectId missing = Blob("missing");
  for (uint64_t i = 0; i < kCommits; ++i) {
    Commit(source_.AddTree(
        {{"100644", "a", Blob(std::to_string(i))}, {"100644", "b", missing}}));
  }
  source_.Remove(missing);
  // All commits and trees are known by then, and some blobs.
  Stopper stopper(2 * kCommits + 3);
  RunOptions run;
  run.progress = &stopper;
  run.stop = stopper.token();
  VerifyReport report;
  EXPECT_THAT(Check(run, report), HasCode(ErrorCode::kInterrupted));
  // The blobs of the tree that was read then.
  EXPECT_LE(stopper.count(), 2 * kCommits + 3 + 1);
}

TEST_F(VerifyConnectivityTest, FindsMissingChildrenOfAnyVersion) {
  // Each of which is stored as an edit of the one before or after it.
  const ObjectId missing = Blob("missing");
  const ObjectId also_missing = Blob("missing too");
  Entries entries;
  for (int i = 0; i < 20; ++i) {
    entries.push_back(
        {"100644", fmt::format("f{}", 10 + i), Blob(std::to_string(i))});
  }
  std::vector<ObjectId> trees;
  for (size_t i = 0; i < 10; ++i) {
    entries[i].id = i == 4   ? missing
                    : i == 7 ? also_missing
                             : Blob(fmt::format("new {}", i));
    trees.push_back(source_.AddTree(entries));
    entries[i].id = Blob(fmt::format("later {}", i));
    Commit(trees.back());
  }
  source_.Remove(missing);
  source_.Remove(also_missing);
  EXPECT_THAT(Missing(), UnorderedElementsAre(Needs(trees[4], missing),
                                              Needs(trees[7], also_missing)));
}

TEST_F(VerifyConnectivityTest, FindsWhatIsMissingDeepDown) {
  // Directories in one block, before and behind those they are in.
  for (const uint64_t block_size : {4096, 2'000'000}) {
    SCOPED_TRACE(block_size);
    block_size_ = block_size;
    source_ = {};
    source_.refs.head_symref = "refs/heads/main";
    parents_ = {};
    const ObjectId missing = Blob("missing");
    const ObjectId bottom = source_.AddTree({{"100644", "x", missing}});
    ObjectId tree = bottom;
    for (int i = 0; i < 300; ++i) {
      tree = source_.AddTree(
          {{"40000", i % 2 == 0 ? "d" : fmt::format("d{}", i * 7 % 5), tree},
           {"100644", "x", Blob(std::to_string(i))}});
    }
    Commit(tree);
    source_.Remove(missing);
    EXPECT_THAT(Missing(), UnorderedElementsAre(Needs(bottom, missing)));
  }
}

TEST_F(VerifyConnectivityTest, FindsAMissingDirectoryAndTheRootItself) {
  const ObjectId directory = source_.AddTree({{"100644", "a", Blob("a")}});
  const ObjectId root = source_.AddTree({{"40000", "d", directory}});
  Commit(root);
  const ObjectId other = source_.AddTree({{"100644", "other", Blob("other")}});
  Commit(other);
  source_.Remove(directory);
  source_.Remove(other);
  EXPECT_THAT(Missing(),
              UnorderedElementsAre(
                  Needs(root, directory),
                  fmt::format("object {} is missing, needed by commit {}",
                              other.ToHex(), parents_[0].ToHex())));
}

TEST_F(VerifyConnectivityTest, ReportsAMissingObjectOnce) {
  const ObjectId missing = Blob("missing");
  for (const char* const name : {"a", "b", "c"}) {
    Commit(source_.AddTree({{"100644", name, missing}}));
  }
  source_.Remove(missing);
  EXPECT_THAT(Missing(), ::testing::SizeIs(1));
}

TEST_F(VerifyConnectivityTest, NeedsNeitherSubmodulesNorTheEmptyTree) {
  const ObjectId commit = Blob("stands for a commit of another repository");
  const ObjectId empty = source_.AddTree({});
  Commit(source_.AddTree({{"40000", "empty", empty},
                          {"160000", "module", commit},
                          {"100644", "there", Blob("there")}}));
  source_.Remove(commit);
  source_.Remove(empty);
  EXPECT_THAT(Missing(), IsEmpty());
}

TEST_F(VerifyConnectivityTest, NeedsNothingOfUnreachableTrees) {
  const ObjectId missing = Blob("missing");
  Commit(source_.AddTree({{"100644", "a", Blob("a")}}));
  source_.AddTree({{"100644", "a", missing}});
  source_.Remove(missing);
  EXPECT_THAT(Missing(), IsEmpty());
}

TEST_F(VerifyConnectivityTest, FollowsTreesThatAreVerbatim) {
  const ObjectId missing = Blob("missing");
  const ObjectId odd =
      source_.AddTree({{"100644", "a", Blob("a")}, {"100664", "b", missing}});
  Commit(source_.AddTree({{"40000", "d", odd}}));
  source_.Remove(missing);
  EXPECT_THAT(Missing(), UnorderedElementsAre(Needs(odd, missing)));
}

TEST_F(VerifyConnectivityTest, FollowsNothingOfAnotherTypeThanItsMode) {
  // As a file, the directory need only be there.
  const ObjectId missing = Blob("missing");
  const ObjectId directory = source_.AddTree({{"100644", "a", missing}});
  Commit(source_.AddTree({{"100644", "file", directory}}));
  source_.Remove(missing);
  EXPECT_THAT(Missing(), IsEmpty());
  // And again as what it is.
  Commit(source_.AddTree({{"40000", "d", directory}}));
  EXPECT_THAT(Missing(), UnorderedElementsAre(Needs(directory, missing)));
}

}  // namespace
}  // namespace zpack
