// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs of limited size, and bitmaps over them.

#include <nlohmann/json.hpp>

#include "support/matchers.h"
#include "support/repack_fixture.h"
#include "zpack/repack.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uintmax_t kMebibyte = uintmax_t{1} << 20;

class RepackSizeTest : public RepackFixture {
 protected:
  // Sizes of the packs of the repository.
  std::vector<uintmax_t> Sizes() const {
    std::vector<uintmax_t> sizes;
    for (const std::string& name : Packs()) {
      sizes.push_back(
          std::filesystem::file_size(pack_directory() + '/' + name + ".pack"));
    }
    return sizes;
  }
  size_t ObjectsInPacks() const {
    size_t count = 0;
    for (const std::string& name : Packs()) {
      const ProcessResult shown = repo_.TryGit(
          {"show-index"}, ReadFile(pack_directory() + '/' + name + ".idx"));
      count += static_cast<size_t>(std::ranges::count(shown.out, '\n'));
    }
    return count;
  }
  void ExpectSound(const RepositoryState& before) const {
    EXPECT_EQ(ReadState(repo_.path()), before);
    EXPECT_TRUE(repo_.TryGit({"fsck", "--full", "--strict"}).ok());
    EXPECT_EQ(ObjectsInPacks(), before.objects.size());
  }
  // Blobs of 400 kB that nothing makes smaller.
  void LargeBlobs(int count) {
    for (int i = 0; i < count; ++i) {
      repo_.SetRef(
          "refs/tags/b" + std::to_string(i),
          repo_.WriteBlob(RandomBytes(static_cast<uint64_t>(i), 400000)));
    }
  }
};

TEST_F(RepackSizeTest, NoPackIsLarger) {
  repo_.History(5);
  LargeBlobs(6);
  const RepositoryState before = ReadState(repo_.path());
  const ProcessResult result =
      RunZpack({"repack", "-d", "--json", "--max-pack-size=1m", repo_.path()});
  ASSERT_TRUE(result.ok()) << result.err;
  EXPECT_THAT(Packs(), SizeIs(3));
  for (const uintmax_t size : Sizes()) EXPECT_LE(size, kMebibyte);
  ExpectSound(before);
  std::vector<std::string> names = nlohmann::json::parse(result.out)["packs"];
  std::ranges::sort(names);
  EXPECT_EQ(names, Packs());
  EXPECT_THAT(FilesWith(pack_directory(), ""),
              ::testing::Not(::testing::Contains(HasSubstr("tmp_"))));
  // The next one needs no second look at what is there.
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(Packs(), SizeIs(1));
  ExpectSound(before);
}

// So small that most chains of deltas are cut.
class RepackSmallPacksTest : public RepackSizeTest,
                             public ::testing::WithParamInterface<PackReuse> {
 protected:
  // Repacks into packs of at most `limit` bytes.
  Result<RepackStats> RepackInto(uint64_t limit) const {
    RepackOptions options;
    options.redundant = Redundant::kRemove;
    options.reuse = GetParam();
    options.max_pack_size = limit;
    return zpack::Repack(repo_.path(), options);
  }
};

TEST_P(RepackSmallPacksTest, DeltasStayInOnePack) {
  repo_.History(30);
  repo_.PackAll();
  const RepositoryState before = ReadState(repo_.path());
  const auto stats = RepackInto(2000);
  ASSERT_THAT(stats, IsOk());
  EXPECT_GT(stats->names.size(), 3U);
  EXPECT_THAT(Packs(), SizeIs(stats->names.size()));
  for (const uintmax_t size : Sizes()) EXPECT_LE(size, 2000U);
  ExpectSound(before);
}

// Three files of which each version keeps most of the one before: versions of
// one share a pack with what they are deltas against, or find another base. So
// a cut costs one whole object, and Git's pack is not limited here.
TEST_P(RepackSmallPacksTest, ACutCostsNoMoreThanOneWholeObject) {
  constexpr uint64_t kBase = 6000;
  constexpr uint64_t kChange = 600;
  for (uint64_t version = 0; version < 12; ++version) {
    CommitFields fields;
    std::string entries;
    for (uint64_t file = 0; file < 3; ++file) {
      entries += TreeEntryBytes(
          "100644", std::string(1, static_cast<char>('a' + file)),
          repo_.WriteBlob(RandomBytes(file, kBase) +
                          RandomBytes(100 + 3 * version + file, kChange)));
    }
    fields.tree = repo_.WriteTree(entries);
    repo_.SetRef("refs/heads/v" + std::to_string(version),
                 repo_.WriteCommit(fields));
  }
  const RepositoryState before = ReadState(repo_.path());
  repo_.Git({"repack", "-adfq"});
  const uintmax_t stock = Sizes().at(0);
  ASSERT_THAT(RepackInto(15000), IsOk());
  uintmax_t total = 0;
  for (const uintmax_t size : Sizes()) {
    EXPECT_LE(size, 15000U);
    total += size;
  }
  EXPECT_GT(Packs().size(), 2U);
  EXPECT_LE(total, stock + (Packs().size() - 1) * (kBase + kChange));
  ExpectSound(before);
}

// The same for six directories that change in each commit: trees that are
// ordered by commit would be cut off from their bases by each new pack.
TEST_P(RepackSmallPacksTest, TreesShareAPackWithTheirBases) {
  constexpr uint64_t kDirectories = 6;
  constexpr size_t kEntries = 100;
  std::vector<std::vector<std::string>> ids(kDirectories);
  for (uint64_t directory = 0; directory < kDirectories; ++directory) {
    for (uint64_t i = 0; i < kEntries; ++i) {
      ids[directory].push_back(RawToHex(RandomBytes(1000 * directory + i, 20)));
    }
  }
  std::vector<std::string> parents;
  for (size_t version = 0; version < 12; ++version) {
    std::string root;
    for (uint64_t directory = 0; directory < kDirectories; ++directory) {
      ids[directory][version] =
          RawToHex(RandomBytes(100'000 + 100 * version + directory, 20));
      std::string entries;
      for (size_t i = 0; i < kEntries; ++i) {
        entries += TreeEntryBytes("160000", std::to_string(100 + i),
                                  ids[directory][i]);
      }
      root += TreeEntryBytes("40000",
                             std::string(1, static_cast<char>('a' + directory)),
                             repo_.WriteTree(entries));
    }
    CommitFields fields;
    fields.tree = repo_.WriteTree(root);
    fields.parents = parents;
    parents = {repo_.WriteCommit(fields)};
  }
  repo_.SetRef("refs/heads/main", parents.front());
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_THAT(RepackInto(0), IsOk());
  const uintmax_t whole = Sizes().at(0);
  ASSERT_THAT(RepackInto(8000), IsOk());
  uintmax_t total = 0;
  for (const uintmax_t size : Sizes()) total += size;
  EXPECT_GT(Packs().size(), 1U);
  EXPECT_LE(total, whole + (Packs().size() - 1) * kEntries * 25);
  ExpectSound(before);
}

// Versions of one file in many packs: each pack begins with a whole one, and no
// pack needs what an earlier one holds.
TEST_P(RepackSmallPacksTest, FamilyInManyPacksBeginsAgainInEach) {
  for (uint64_t version = 0; version < 24; ++version) {
    const std::string blob =
        repo_.WriteBlob(RandomBytes(0, 2000) + RandomBytes(1 + version, 600));
    CommitFields fields;
    fields.tree = repo_.WriteTree(TreeEntryBytes("100644", "file", blob));
    repo_.SetRef("refs/heads/v" + std::to_string(version),
                 repo_.WriteCommit(fields));
  }
  repo_.PackAll();
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_THAT(RepackInto(5000), IsOk());
  EXPECT_GT(Packs().size(), 5U);
  ExpectSound(before);
}

INSTANTIATE_TEST_SUITE_P(All, RepackSmallPacksTest,
                         ::testing::Values(PackReuse::kDeltas,
                                           PackReuse::kObjects,
                                           PackReuse::kNothing));

TEST_F(RepackSizeTest, ObjectThatIsLargerHasAPackOfItsOwn) {
  LargeBlobs(1);
  repo_.SetRef("refs/tags/large", repo_.WriteBlob(RandomBytes(9, 1500000)));
  LargeBlobs(2);
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_TRUE(Repack({"-d", "--max-pack-size=1m"}).ok());
  EXPECT_THAT(Packs(), SizeIs(::testing::Ge(2)));
  ExpectSound(before);
}

// With so little memory, these are larger than a window.
TEST_F(RepackSizeTest, BlobsLargerThanAWindowAreDeltas) {
  const std::string text = RandomBytes(1, 100000);
  for (const char* const name : {"a", "b", "c", "d"}) {
    repo_.SetRef(std::string("refs/tags/") + name,
                 repo_.WriteBlob(text + name));
  }
  const RepositoryState before = ReadState(repo_.path());
  repo_.Git({"repack", "-adfq"});
  const uintmax_t stock = Sizes().at(0);
  ASSERT_TRUE(Repack({"-d", "-F", "--memory=1m"}).ok());
  EXPECT_LE(Sizes().at(0), stock + stock / 33);
  ExpectSound(before);
  // As Git does it.
  repo_.Git({"config", "core.bigFileThreshold", "50000"});
  repo_.Git({"repack", "-adfq"});
  const uintmax_t whole = Sizes().at(0);
  EXPECT_GT(whole, 4 * text.size());
  ASSERT_TRUE(Repack({"-d", "-F", "--memory=1m"}).ok());
  EXPECT_GT(Sizes().at(0), 4 * text.size());
}

TEST_F(RepackSizeTest, PackThatIsSmallerStays) {
  repo_.History(30);
  const std::string old = ExpectOnePack({"-F", "--level=12"});
  const uintmax_t size = Sizes().at(0);
  const RepositoryState before = ReadState(repo_.path());
  const ProcessResult result =
      RunZpack({"repack", "-d", "-F", "--level=1", "--window=1", repo_.path()});
  ASSERT_TRUE(result.ok()) << result.err;
  EXPECT_THAT(Packs(), ::testing::ElementsAre(old));
  EXPECT_THAT(result.err, HasSubstr("stays"));
  ExpectSound(before);
  // Unless it is not what was asked for.
  ASSERT_TRUE(Repack({"-d", "-F", "--window=0"}).ok());
  EXPECT_GT(Sizes().at(0), size);
  ExpectSound(before);
}

TEST_F(RepackSizeTest, APackThatIsNotSmallerIsAHintAtForce) {
  repo_.History(30);
  ExpectOnePack({"-F", "--level=12"});
  const auto repack = [&](const std::string& option) {
    const std::string blob = repo_.WriteBlob("a blob for " + option);
    repo_.SetRef("refs/tags/" + blob, blob);
    const ProcessResult result = RunZpack({"repack", option, repo_.path()});
    EXPECT_TRUE(result.ok()) << result.err;
    return result.err;
  };
  EXPECT_THAT(repack("-d"), HasSubstr("hint: the new pack is not smaller; -F "
                                      "searches all deltas"));
  EXPECT_THAT(repack("-dF"), ::testing::Not(HasSubstr("hint: ")));
  EXPECT_THAT(repack("-dq"), IsEmpty());
}

TEST_F(RepackSizeTest, PackThatIsSmallerButAboveTheLimitGoes) {
  LargeBlobs(6);
  ExpectOnePack({"-F"});
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_TRUE(Repack({"-d", "-F", "--max-pack-size=1m"}).ok());
  EXPECT_THAT(Packs(), SizeIs(3));
  for (const uintmax_t size : Sizes()) EXPECT_LE(size, kMebibyte);
  ExpectSound(before);
}

TEST_F(RepackSizeTest, CruftPacksAreLimitedToo) {
  repo_.History(2);
  for (uint64_t i = 0; i < 4; ++i) repo_.WriteBlob(RandomBytes(i, 400000));
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_TRUE(Repack({"-d", "--cruft", "--max-pack-size=1m"}).ok());
  EXPECT_THAT(FilesWith(pack_directory(), ".mtimes"), SizeIs(2));
  ExpectSound(before);
}

TEST_F(RepackSizeTest, ConfigurationLimitsAndTheOptionGoesFirst) {
  LargeBlobs(6);
  repo_.Git({"config", "pack.packSizeLimit", "1m"});
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(Packs(), SizeIs(3));
  ASSERT_TRUE(Repack({"-d", "--max-pack-size=0"}).ok());
  EXPECT_THAT(Packs(), SizeIs(1));
  const ProcessResult small = Repack({"-d", "--max-pack-size=1k"});
  EXPECT_TRUE(small.ok());
  EXPECT_THAT(small.err,
              HasSubstr("warning: minimum pack size limit is 1 MiB"));
  EXPECT_THAT(Packs(), SizeIs(3));
}

TEST_F(RepackSizeTest, GitReadsTheBitmap) {
  repo_.History(30);
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_TRUE(Repack({"-d", "-b"}).ok());
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), SizeIs(1));
  const ProcessResult counted =
      repo_.TryGit({"rev-list", "--test-bitmap", "HEAD"});
  EXPECT_TRUE(counted.ok()) << counted.err;
  EXPECT_TRUE(repo_.TryGit({"multi-pack-index", "verify"}).ok());
  ExpectSound(before);
  // Again, over a multi-pack-index that lists the pack that goes.
  ASSERT_TRUE(Repack({"-d", "-F", "-b"}).ok());
  EXPECT_TRUE(repo_.TryGit({"multi-pack-index", "verify"}).ok());
  ExpectSound(before);
}

TEST_F(RepackSizeTest, NoBitmapOfNothing) {
  EXPECT_TRUE(Repack({"-d", "-b"}).ok());
  EXPECT_THAT(Packs(), IsEmpty());
}

}  // namespace
}  // namespace zpack::testing
