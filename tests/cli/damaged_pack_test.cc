// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'convert --keep-going' of packs whose header or last bytes are damaged, so
// that Git reads nothing of them, and of packs whose index names other objects.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/keep_going_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;

// Named for KeepGoingTest, whose tests run with SHA-256, too.
class KeepGoingTestOfPacks : public KeepGoingFixture {
 protected:
  KeepGoingTestOfPacks() {
    PackLoose();
    for (const char* const content : {"in another pack\n", "so is this\n"}) {
      all_.push_back(repo_.WriteBlob(content));
    }
    first_ = Packs().front();
    PackLoose();
    std::ranges::sort(all_);
    contents_ = Contents(repo_);
  }

  static size_t Width() { return IdDigits() / 2; }
  std::string InPacks(const std::string& name) const {
    return repo_.git_dir() + "/objects/pack/" + name;
  }
  // Paths without extension.
  std::vector<std::string> Packs() const {
    std::vector<std::string> packs;
    for (const std::string& name : ListDirectory(InPacks(""))) {
      if (name.ends_with(".pack")) {
        packs.push_back(InPacks(name.substr(0, name.size() - 5)));
      }
    }
    return packs;
  }
  // Packs the loose objects, and leaves the other packs as they are.
  void PackLoose() const {
    std::string loose;
    for (const std::string& id : all_) {
      if (Exists(repo_.LooseObjectPath(id))) loose += id + '\n';
    }
    repo_.Git({"pack-objects", "-q", InPacks("pack")}, loose);
    repo_.Git({"prune-packed"});
  }
  static std::string Contents(const RepoBuilder& repository) {
    return repository.Git({"cat-file", "--batch-all-objects", "--batch"});
  }
  // The object that is last in a pack.
  std::string LastOf(const std::string& pack) const {
    uint64_t last = 0;
    std::string id;
    for (const std::string& row : SplitLines(
             RunGit({"show-index"}, repo_.path(), ReadFile(pack + ".idx"))
                 .out)) {
      const size_t space = row.find(' ');
      const uint64_t offset = std::stoull(row.substr(0, space));
      if (offset < last) continue;
      last = offset;
      id = row.substr(space + 1, IdDigits());
    }
    return id;
  }
  // Expects a refusal without the option, and with it, a file that has all
  // objects but these.
  void ExpectLosesOnly(const std::vector<std::string>& lost) const {
    const ProcessResult refused =
        RunZpack({"convert", "-q", "-f", repo_.path(), file_});
    EXPECT_EQ(refused.exit_code, 128);
    ExpectKeepsAllBut(lost);
  }
  void ExpectKeepsAllBut(const std::vector<std::string>& lost) const {
    const ProcessResult kept = KeepGoing();
    ASSERT_EQ(kept.exit_code, lost.empty() ? 0 : 1) << kept.err;
    EXPECT_EQ(Losses(file_), lost);
    EXPECT_TRUE(RunZpack({"verify", "-q", "--level=connectivity", file_}).ok());
    const std::string restored = dir_ / "restored";
    std::filesystem::remove_all(restored);
    ASSERT_TRUE(RunZpack({"restore", "-q", file_, restored}).ok());
    const RepoBuilder back = RepoBuilder::Existing(restored);
    std::vector<std::string> expected;
    std::ranges::set_difference(all_, lost, std::back_inserter(expected));
    EXPECT_EQ(SplitLines(back.Git({"cat-file", "--batch-all-objects",
                                   "--batch-check=%(objectname)"})),
              expected);
    EXPECT_EQ(Contents(back) == contents_, lost.empty());
  }
  // Writes the file anew with other bytes, and calls `expect`.
  static void WithEdited(const std::string& path,
                         const std::function<void(std::string&)>& edit,
                         const std::function<void()>& expect) {
    const std::string whole = ReadFile(path);
    std::string bytes = whole;
    edit(bytes);
    WriteFile(path, bytes);
    expect();
    WriteFile(path, whole);
  }
  static void Flip(std::string& bytes, size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  }
  // Gives two objects that are neighbours in an index the entries of each
  // other. The checksums of the entries are right.
  static void SwapIds(std::string& index, size_t first) {
    const auto one = index.begin() + 8 + 256 * 4 +
                     static_cast<std::ptrdiff_t>(first * Width());
    const auto other = one + static_cast<std::ptrdiff_t>(Width());
    std::swap_ranges(one, other, other);
  }
  // The number of objects in a pack.
  size_t CountIn(const std::string& pack) const {
    return SplitLines(
               RunGit({"show-index"}, repo_.path(), ReadFile(pack + ".idx"))
                   .out)
        .size();
  }
  // Expects that nothing is lost whichever neighbours in the index of a pack
  // are swapped, and that 'verify' takes the file for the repository.
  void ExpectSwapsCostNothing(const std::string& pack) const {
    for (size_t first = 0; first + 1 < CountIn(pack); ++first) {
      SCOPED_TRACE(first);
      WithEdited(
          pack + ".idx", [&](std::string& index) { SwapIds(index, first); },
          [&] {
            ExpectKeepsAllBut({});
            for (const char* const option : {"--quiet", "--read-source"}) {
              const ProcessResult verified = RunZpack(
                  {"verify", option, "--against", repo_.path(), file_});
              EXPECT_EQ(verified.exit_code, 0) << option << verified.err;
            }
          });
    }
  }

  std::string first_;     // the pack that the refs need
  std::string contents_;  // of all objects
};

TEST_F(KeepGoingTestOfPacks, FlippedBitsOutsideOfTheEntriesCostNothing) {
  const size_t size = ReadFile(first_ + ".pack").size();
  for (const size_t at :
       {size_t{0}, size_t{6}, size_t{11}, size - Width(), size - 1}) {
    SCOPED_TRACE(at);
    WithEdited(
        first_ + ".pack", [&](std::string& bytes) { Flip(bytes, at); },
        [&] { ExpectLosesOnly({}); });
  }
}

TEST_F(KeepGoingTestOfPacks, WhatIsCutOffTheChecksumCostsNothing) {
  for (const size_t cut : {size_t{1}, Width() - 1, Width()}) {
    SCOPED_TRACE(cut);
    WithEdited(
        first_ + ".pack",
        [&](std::string& bytes) { bytes.resize(bytes.size() - cut); },
        [&] { ExpectLosesOnly({}); });
  }
}

TEST_F(KeepGoingTestOfPacks, ACutEntryIsLostAlone) {
  WithEdited(
      first_ + ".pack",
      [&](std::string& bytes) { bytes.resize(bytes.size() - Width() - 8); },
      [&] { ExpectLosesOnly({LastOf(first_)}); });
}

TEST_F(KeepGoingTestOfPacks, WrongChecksumsInAllIndexesCostNothing) {
  for (const std::string& pack : Packs()) {
    std::string index = ReadFile(pack + ".idx");
    Flip(index, index.size() - 2 * Width());
    WriteFile(pack + ".idx", index);
  }
  ExpectLosesOnly({});
}

TEST_F(KeepGoingTestOfPacks, AnotherPackInItsPlaceIsReadByHash) {
  const std::vector<std::string> packs = Packs();
  ASSERT_EQ(packs.size(), 2U);
  const std::string other = packs[packs[0] == first_ ? 1 : 0];
  std::vector<std::string> lost;
  for (const std::string& row :
       SplitLines(RunGit({"show-index"}, repo_.path(), ReadFile(other + ".idx"))
                      .out)) {
    lost.push_back(row.substr(row.find(' ') + 1, IdDigits()));
  }
  std::ranges::sort(lost);
  WriteFile(other + ".pack", ReadFile(first_ + ".pack"));
  ExpectLosesOnly(lost);
}

// What the order of the packs is must not matter.
TEST_F(KeepGoingTestOfPacks, AWrongIndexOfACopyCostsNothing) {
  for (const char name : {'0', 'f'}) {
    SCOPED_TRACE(name);
    const std::string copy = InPacks("pack-" + FakeId(name));
    for (const char* const extension : {".pack", ".idx"}) {
      std::filesystem::copy_file(first_ + extension, copy + extension);
    }
    ExpectSwapsCostNothing(first_);
    ExpectSwapsCostNothing(copy);
    for (const char* const extension : {".pack", ".idx"}) {
      std::filesystem::remove(copy + extension);
    }
  }
}

TEST_F(KeepGoingTestOfPacks, AWrongIndexCostsNothingWhereObjectsAreLooseToo) {
  const RepoBuilder other(dir_ / "other");
  other.Git({"unpack-objects", "-q"}, ReadFile(first_ + ".pack"));
  std::filesystem::copy(other.git_dir() + "/objects",
                        repo_.git_dir() + "/objects",
                        std::filesystem::copy_options::recursive |
                            std::filesystem::copy_options::skip_existing);
  ExpectSwapsCostNothing(first_);
}

TEST_F(KeepGoingTestOfPacks, AWrongIndexOfTheOnlyCopyCostsWhatItIsAbout) {
  std::vector<std::string> ids;
  for (const std::string& row : SplitLines(
           RunGit({"show-index"}, repo_.path(), ReadFile(first_ + ".idx"))
               .out)) {
    ids.push_back(row.substr(row.find(' ') + 1, IdDigits()));
  }
  std::ranges::sort(ids);
  WithEdited(
      first_ + ".idx", [](std::string& index) { SwapIds(index, 0); },
      [&] { ExpectLosesOnly({ids[0], ids[1]}); });
}

TEST_F(KeepGoingTestOfPacks, AnEmptyPackHasNothing) {
  WriteFile(first_ + ".pack", "");
  const ProcessResult kept = KeepGoing();
  EXPECT_EQ(kept.exit_code, 1) << kept.err;
  EXPECT_THAT(kept.err, HasSubstr("object " + commit_ + " is damaged"));
  EXPECT_THAT(Losses(file_), ::testing::Contains(commit_));
}

}  // namespace
}  // namespace zpack::testing
