// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/lineage_grouper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "inventory/object_enumerator.h"
#include "inventory/version_turns.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/paths.h"
#include "support/repo_builder.h"

namespace zpack {
namespace {

using testing::Edited;
using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::MemorySource;
using testing::Random;
using testing::RandomBytes;
using testing::RandomText;
using testing::ToBytes;

constexpr uint64_t kAnySize = UINT64_MAX;

// A history of files in one directory; each commit says what all of them hold.
class LineageGrouperTest : public ::testing::Test {
 protected:
  using Files = std::map<std::string, Bytes>;

  ObjectId Blob(ByteView content) { return source_.AddBlob(AsText(content)); }

  // A commit of `files`; the last one is what HEAD points at.
  void Commit(const Files& files) {
    std::vector<MemorySource::Entry> entries;
    for (const auto& [name, content] : files) {
      entries.push_back({"100644", name, Blob(content)});
    }
    parents_ = {source_.AddCommit(source_.AddTree(entries), parents_, ++time_,
                                  "commit\n")};
  }

  void Enumerate() {
    source_.refs.head_symref = "refs/heads/main";
    source_.refs.refs = {{"refs/heads/main", parents_[0], {}, ""}};
    auto list = EnumerateObjects(*source_.Open(), source_.refs, ObjectSet::kAll,
                                 RunOptions{});
    ASSERT_THAT(list, IsOk());
    list_ = *std::move(list);
  }

  Status Group(uint64_t max_size = kAnySize, unsigned threads = 1) {
    RunOptions run;
    run.threads = threads;
    auto lineages = GroupLineages(*source_.Open(), list_, max_size, run);
    if (!lineages) return std::unexpected(lineages.error());
    lineages_ = *std::move(lineages);
    ZPACK_ASSIGN_OR_RETURN(changed_visits_,
                           GatherTurns(*source_.Open(), list_,
                                       lineages_.takes_turns, max_size, run));
    return {};
  }

  PathNumber Path(const std::string& name) {
    return testing::FindPath(list_.path_table, name);
  }

  PathPosition Position(const std::string& name) {
    return lineages_.positions[Path(name)];
  }
  bool IsIncompressible(const std::string& name) {
    return lineages_.incompressible[Path(name)];
  }
  // The blobs of a path in the order of the visits in whose places they are.
  std::vector<ObjectId> VersionsInPlace(const std::string& name) {
    std::map<VisitNumber, ObjectId> versions;
    for (const auto& [rank, visit] : changed_visits_) {
      if (list_.paths[rank] == Path(name)) versions[visit] = list_.ids[rank];
    }
    std::vector<ObjectId> ids;
    for (const auto& [visit, id] : versions) ids.push_back(id);
    return ids;
  }
  bool AreNeighbours(const std::string& a, const std::string& b) {
    const PathPosition x = Position(a);
    const PathPosition y = Position(b);
    return x + 1 == y || y + 1 == x;
  }

  Bytes Text(size_t size = 20000) { return RandomText(random_, size); }
  Bytes Noise(size_t size = 20000) {
    return ToBytes(RandomBytes(++noise_, size));
  }
  Bytes Edit(const Bytes& content) { return Edited(random_, content, 2); }

  // Files whose names and extensions lie between all others.
  Files Others() {
    Files files;
    for (char c = 'a'; c <= 'z'; ++c) {
      files[std::string("m") + c + ".m" + c] = Text(2000);
    }
    return files;
  }

  MemorySource source_;
  ObjectList list_;
  Lineages lineages_;
  ChangedVisits changed_visits_;
  Random random_{1};

 private:
  std::vector<ObjectId> parents_;
  uint64_t time_ = 0;
  uint64_t noise_ = 0;
};

// Too little in common for one group, but text that would be stored twice.
TEST_F(LineageGrouperTest, PutsFilesWithCommonTextSideBySide) {
  Files files = Others();
  const Bytes common = Text(1500);
  for (const char* const name : {"aaa.aaa", "zzz.zzz"}) {
    files[name] = Text(8500);
    files[name].insert(files[name].end(), common.begin(), common.end());
  }
  Commit(files);
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_NE(lineages_.groups[Path("aaa.aaa")],
            lineages_.groups[Path("zzz.zzz")]);
  EXPECT_TRUE(AreNeighbours("aaa.aaa", "zzz.zzz"));
}

// The text of a file that was divided is that of an old version.
TEST_F(LineageGrouperTest, OldVersionsHaveCommonTextToo) {
  Files files = Others();
  const Bytes common = Text(3000);
  const Bytes first = Text(7000);
  files["aaa.aaa"] = first;
  files["aaa.aaa"].insert(files["aaa.aaa"].end(), common.begin(), common.end());
  for (int i = 0; i < 3; ++i) {
    Commit(files);
    files["aaa.aaa"] = Edit(files["aaa.aaa"]);
  }
  files["aaa.aaa"] = first;
  files["zzz.zzz"] = Text(7000);
  files["zzz.zzz"].insert(files["zzz.zzz"].end(), common.begin(), common.end());
  Commit(files);
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_TRUE(AreNeighbours("aaa.aaa", "zzz.zzz"));
}

TEST_F(LineageGrouperTest, PutsARenamedFileBesideItsOldPath) {
  Files files = Others();
  const Bytes content = Text();
  files["aaa.aaa"] = content;
  Commit(files);
  files.erase("aaa.aaa");
  files["zzz.zzz"] = Edit(content);
  Commit(files);
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_TRUE(AreNeighbours("aaa.aaa", "zzz.zzz"));
}

TEST_F(LineageGrouperTest, RecognisesARenameByTheOldestVersionToo) {
  // The new path has moved on since.
  Files files = Others();
  const Bytes content = Text();
  files["aaa.aaa"] = content;
  Commit(files);
  files.erase("aaa.aaa");
  files["zzz.zzz"] = Edit(content);
  Commit(files);
  files["zzz.zzz"] = Text();
  Commit(files);
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_TRUE(AreNeighbours("aaa.aaa", "zzz.zzz"));
}

TEST_F(LineageGrouperTest, LeavesUnlikeFilesInTheOrderOfTheirNames) {
  Files files = Others();
  for (auto& [name, content] : files) content = Noise(2000);
  for (const char* const name : {"aaa.aaa", "zzz.zzz", "aaa.zzz", "zzz.aaa"}) {
    files[name] = Noise();
  }
  Commit(files);
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_TRUE(AreNeighbours("aaa.aaa", "zzz.aaa")) << "extensions come first";
  EXPECT_TRUE(AreNeighbours("aaa.zzz", "zzz.zzz"));
  EXPECT_LT(Position("aaa.aaa"), Position("zzz.aaa"));
  EXPECT_LT(Position("zzz.aaa"), Position("ma.ma"));
  EXPECT_LT(Position("mz.mz"), Position("aaa.zzz"));
}

TEST_F(LineageGrouperTest, GivesEveryPathOnePosition) {
  Files files = Others();
  const Bytes content = Text();
  for (const char* const name : {"a.x", "b.y", "c.z", "d.a", "e.b"}) {
    files[name] = Edit(content);
  }
  Commit(files);
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  std::vector<PathPosition> positions = lineages_.positions.raw();
  ASSERT_EQ(positions.size(), list_.path_table.size());
  EXPECT_EQ(lineages_.incompressible.size(), positions.size());
  std::ranges::sort(positions);
  for (uint32_t i = 0; i < positions.size(); ++i) {
    EXPECT_EQ(positions[i], PathPosition(i));
  }
  // All five stand together.
  std::vector<PathPosition> alike;
  for (const char* const name : {"a.x", "b.y", "c.z", "d.a", "e.b"}) {
    alike.push_back(Position(name));
  }
  EXPECT_EQ(std::ranges::max(alike) - std::ranges::min(alike), 4U);
  // They are one group, every other path is one of its own.
  for (const PathNumber path : lineages_.groups.indexes()) {
    const PathPosition position = lineages_.positions[path];
    const bool is_alike = std::ranges::find(alike, position) != alike.end();
    EXPECT_EQ(lineages_.groups[path],
              is_alike ? std::ranges::min(alike) : position);
  }
}

TEST_F(LineageGrouperTest, FlagsIncompressibleFilesThatNothingResembles) {
  Commit({{"image", Noise()}, {"other", Noise()}, {"text", Text()}});
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_TRUE(IsIncompressible("image"));
  EXPECT_TRUE(IsIncompressible("other"));
  EXPECT_FALSE(IsIncompressible("text"));
  EXPECT_FALSE(IsIncompressible("")) << "the root has no blobs";
}

TEST_F(LineageGrouperTest,
       DoesNotFlagIncompressibleFilesThatResembleEachOther) {
  const Bytes archive = Noise();
  Commit({{"a", archive}, {"b", Edit(archive)}, {"c", Noise()}});
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_FALSE(IsIncompressible("a"));
  EXPECT_FALSE(IsIncompressible("b"));
  EXPECT_TRUE(IsIncompressible("c"));
}

TEST_F(LineageGrouperTest, DoesNotFlagIncompressibleFilesWithVersionsAlike) {
  const Bytes archive = Noise();
  Commit({{"edited", archive}, {"replaced", Noise()}});
  Commit({{"edited", Edit(archive)}, {"replaced", Noise()}});
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_FALSE(IsIncompressible("edited"));
  EXPECT_TRUE(IsIncompressible("replaced"));
}

// Of the first version nothing is left in the end.
TEST_F(LineageGrouperTest, DoesNotFlagIncompressibleFilesThatChangeStepByStep) {
  constexpr size_t kPart = 4000;
  Bytes content = Noise(5 * kPart);
  for (size_t i = 0; i < 6; ++i) {
    std::ranges::copy(Noise(kPart),
                      content.begin() + static_cast<ptrdiff_t>(i % 5 * kPart));
    Commit({{"edited", content}, {"replaced", Noise()}});
  }
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_FALSE(IsIncompressible("edited"));
  EXPECT_TRUE(IsIncompressible("replaced"));
}

// As when two branches with another one each are merged again and again.
TEST_F(LineageGrouperTest, DoesNotFlagIncompressibleFilesThatTakeTurns) {
  std::vector<Bytes> turns = {Noise(), Noise(), Noise()};
  for (size_t i = 0; i < 9; ++i) {
    Bytes& content = turns[i % 3];
    content = Edit(content);
    Commit({{"edited", content}, {"replaced", Noise()}});
  }
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_FALSE(IsIncompressible("edited"));
  EXPECT_TRUE(IsIncompressible("replaced"));
}

// The versions, newest first as walks meet them, in the order of their places.
TEST_F(LineageGrouperTest, LargeVersionsThatTakeTurnsAreGatheredByFamily) {
  constexpr size_t kVersionSize = 300'000;
  for (const bool compressible : {false, true}) {
    std::vector<Bytes> turns;
    for (int i = 0; i < 2; ++i) {
      turns.push_back(compressible ? Text(kVersionSize) : Noise(kVersionSize));
    }
    std::vector<ObjectId> ids;
    const std::string name = compressible ? "text" : "noise";
    for (size_t i = 0; i < 8; ++i) {
      Bytes& content = turns[i % 2];
      content = Edit(content);
      Commit({{name, content}});
      ids.push_back(Blob(content));
    }
    Enumerate();
    ASSERT_THAT(Group(), IsOk());
    EXPECT_THAT(VersionsInPlace(name),
                ElementsAre(ids[7], ids[5], ids[3], ids[1], ids[6], ids[4],
                            ids[2], ids[0]));
  }
}

TEST_F(LineageGrouperTest, OtherVersionsStayInTheOrderOfTheirVisits) {
  Bytes small = Noise(20'000);
  Bytes other = Noise(20'000);
  Bytes large = Noise(300'000);
  for (size_t i = 0; i < 8; ++i) {
    small = Edit(small);
    std::swap(small, other);
    large = Edit(large);
    Commit({{"large", large}, {"new", Noise(300'000)}, {"small", small}});
  }
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_THAT(changed_visits_, IsEmpty());
}

TEST_F(LineageGrouperTest, FlagsOnlyWhatWasAndIsIncompressible) {
  Commit({{"became", Text()}, {"was", Noise()}});
  Commit({{"became", Noise()}, {"was", Text()}});
  Enumerate();
  ASSERT_THAT(Group(), IsOk());
  EXPECT_FALSE(IsIncompressible("became"));
  EXPECT_FALSE(IsIncompressible("was"));
}

TEST_F(LineageGrouperTest, LeavesOutWhatIsTooLarge) {
  const Bytes small = Noise(20000);
  const Bytes large = Noise(20001);
  Commit({{"large", large}, {"small", small}});
  Enumerate();
  source_.Remove(Blob(large));
  ASSERT_THAT(Group(20000), IsOk()) << "nobody reads it";
  EXPECT_FALSE(IsIncompressible("large"));
  EXPECT_TRUE(IsIncompressible("small"));
}

TEST_F(LineageGrouperTest, LeavesOutWhatIsNotReached) {
  Commit({{"file", Text()}});
  const ObjectId stray = Blob(Noise());
  Enumerate();
  source_.Remove(stray);
  ASSERT_THAT(Group(), IsOk()) << "nobody reads it";
  EXPECT_FALSE(IsIncompressible(""));
}

TEST_F(LineageGrouperTest, ReadsTheNewestTheOldestAndTheMiddleVersionOnly) {
  std::vector<Bytes> versions;
  for (int i = 0; i < 5; ++i) {
    versions.push_back(Text());
    Commit({{"file", versions.back()}});
  }
  Enumerate();
  for (const size_t i : {1, 3}) source_.Remove(Blob(versions[i]));
  ASSERT_THAT(Group(), IsOk());
  for (const size_t read : {0, 2, 4}) {
    source_.Remove(Blob(versions[read]));
    EXPECT_THAT(Group(), HasCode(ErrorCode::kNotFound)) << read;
    Blob(versions[read]);
  }
}

TEST_F(LineageGrouperTest, DoesNotDependOnTheNumberOfThreads) {
  Files files = Others();
  for (int i = 0; i < 60; ++i) {
    const Bytes content = i % 3 == 0 ? Noise(3000) : Text(3000);
    files["a" + std::to_string(i) + ".a"] = content;
    files["b" + std::to_string(i) + ".z"] = i % 2 == 0 ? Edit(content) : Text();
  }
  Commit(files);
  Enumerate();
  ASSERT_THAT(Group(kAnySize, 1), IsOk());
  const Lineages alone = lineages_;
  ASSERT_THAT(Group(kAnySize, 4), IsOk());
  EXPECT_EQ(lineages_.positions, alone.positions);
  EXPECT_EQ(lineages_.groups, alone.groups);
  EXPECT_EQ(lineages_.incompressible, alone.incompressible);
}

}  // namespace
}  // namespace zpack
