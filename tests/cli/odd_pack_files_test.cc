// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Directories, links that lead nowhere and pipes with the names of files of
// packs, against Git 2.39 and 2.55.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "support/obstacle.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

// What 'git repack -a -d' makes of it.
enum class ByGit : uint8_t {
  kSame,   // as many packs
  kFewer,  // 'git repack' removes more than we do
  kWaits,  // for the other end of the pipe
  kFails   // and so do we
};

struct OddFile {
  std::string pack;  // "own", "other", "new", or a name without extension
  std::string extension;
  Obstacle kind;
  size_t packs;  // regular ones, after our 'repack -a -d'; 0: we refuse
  ByGit git;
};

constexpr Obstacle kIsDirectory = Obstacle::kDirectory;
constexpr Obstacle kIsDangling = Obstacle::kDangling;
constexpr Obstacle kIsPipe = Obstacle::kPipe;

class OddPackFilesTest : public RepackFixture {
 protected:
  OddPackFilesTest() {
    repo_.History(3);
    repo_.Git({"repack", "-q", "-a", "-d"});
    own_ = Packs().front();
    repo_.History(4);
    repo_.Git({"repack", "-q", "-d"});
    // All of its objects are in another pack, too.
    for (const char* const extension : {".idx", ".pack"}) {
      fs::copy_file(pack_directory() + '/' + own_ + extension,
                    pack_directory() + '/' + other_ + extension);
    }
    objects_ = repo_.Git({"rev-list", "--objects", "--all"});
  }

  std::string PathIn(const std::string& repository, const OddFile& odd) const {
    const std::string name = odd.pack == "own"     ? own_
                             : odd.pack == "other" ? other_
                             : odd.pack == "new"   ? new_
                                                   : odd.pack;
    return repository + "/objects/pack/" + name + odd.extension;
  }
  std::string CopyWith(const std::string& name, const OddFile& odd) const {
    std::string copy = Copy(name);
    PutObstacle(odd.kind, PathIn(copy, odd));
    return copy;
  }
  static ProcessResult Run(const std::vector<std::string>& arguments) {
    ProcessOptions options;
    options.kill_after = std::chrono::seconds(60);
    return RunZpack(arguments, options);
  }
  static size_t RegularPacks(const std::string& repository) {
    const std::string packs = repository + "/objects/pack";
    return static_cast<size_t>(std::ranges::count_if(
        FilesWith(packs, ".pack"), [&](const std::string& name) {
          return fs::is_regular_file(packs + '/' + name + ".pack") &&
                 fs::is_regular_file(packs + '/' + name + ".idx");
        }));
  }
  // Git reads all that is reachable, without what is no file.
  void ExpectWhole(const std::string& repository) const {
    for (const auto& entry :
         fs::directory_iterator(repository + "/objects/pack")) {
      if (!entry.is_regular_file()) fs::remove_all(entry.path());
    }
    EXPECT_TRUE(RunGit({"fsck"}, repository).ok());
    EXPECT_EQ(RunGit({"rev-list", "--objects", "--all"}, repository).out,
              objects_ + '\n');
  }

  void ExpectConverted(const OddFile& odd) const {
    const std::string copy = CopyWith("copy", odd);
    const std::string file = dir_ / "x.zpack";
    const ProcessResult result = Run({"convert", "-f", copy, file});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_TRUE(RunZpack({"verify", "-q", file}).ok());
    const std::string restored = dir_ / "restored";
    fs::remove_all(restored);
    ASSERT_TRUE(RunZpack({"restore", "-q", file, restored}).ok());
    ExpectWhole(restored);
    if (odd.extension == ".pack" && odd.pack == "other") {
      EXPECT_THAT(result.err, HasSubstr("warning: not included: '" +
                                        PathIn(copy, odd) + "' is "));
    }
    EXPECT_EQ(Run({"report", copy}).exit_code, 0);
  }
  void ExpectRefused(const OddFile& odd, const std::string& command) const {
    const std::string copy = CopyWith("copy", odd);
    const std::string path = PathIn(copy, odd);
    std::vector<std::string> arguments = {command, "-q"};
    if (command == "repack") arguments.insert(arguments.end(), {"-a", "-d"});
    arguments.push_back(copy);
    if (command == "convert") arguments.push_back(dir_ / "refused.zpack");
    const ProcessResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, AllOf(HasSubstr("fatal: "), HasSubstr(path)));
  }
  void ExpectRepacked(const OddFile& odd) const {
    const std::string ours = CopyWith("ours", odd);
    const ProcessResult result = Run({"repack", "-q", "-a", "-d", ours});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(RegularPacks(ours), odd.packs);
    ExpectWhole(ours);
  }
  void ExpectOfGit(const OddFile& odd) const {
    if (odd.git == ByGit::kWaits) return;
    const std::string theirs = CopyWith("theirs", odd);
    const ProcessResult by_git = RunGit({"repack", "-q", "-a", "-d"}, theirs);
    EXPECT_EQ(by_git.ok(), odd.git != ByGit::kFails)
        << ::testing::PrintToString(by_git);
    if (odd.git == ByGit::kSame) {
      EXPECT_EQ(RegularPacks(theirs), odd.packs);
    } else if (odd.git == ByGit::kFewer) {
      EXPECT_LE(RegularPacks(theirs), odd.packs);
    }
  }

  std::string own_;
  std::string other_ = "pack-" + FakeId('7');
  std::string new_ = "pack-" + FakeId('8');
  std::string objects_;
};

std::string NameOf(const OddFile& odd) {
  return fmt::format("{}{} {}", odd.pack, odd.extension,
                     static_cast<int>(odd.kind));
}

// Neither Git nor we look at files without a pack.
TEST_F(OddPackFilesTest, WithoutAPackTheyCountForNothing) {
  for (const char* const extension :
       {".idx", ".pack", ".rev", ".keep", ".mtimes", ".bitmap", ".promisor"}) {
    for (const Obstacle kind : {kIsDirectory, kIsDangling, kIsPipe}) {
      const OddFile odd = {"new", extension, kind, 1, ByGit::kSame};
      SCOPED_TRACE(NameOf(odd));
      ExpectConverted(odd);
      ExpectRepacked(odd);
      ExpectOfGit(odd);
    }
  }
}

TEST_F(OddPackFilesTest, BesideAPackTheyDoWhatGitMakesOfThem) {
  const std::vector<OddFile> table = {
      {"own", ".rev", kIsDirectory, 1, ByGit::kSame},
      {"own", ".rev", kIsDangling, 1, ByGit::kSame},
      {"own", ".rev", kIsPipe, 1, ByGit::kWaits},
      {"own", ".bitmap", kIsDirectory, 1, ByGit::kSame},
      {"own", ".bitmap", kIsDangling, 1, ByGit::kSame},
      {"own", ".bitmap", kIsPipe, 1, ByGit::kSame},
      // To Git 2.39, a name is enough. To Git 2.55, the link is nothing.
      {"own", ".keep", kIsDirectory, 2, ByGit::kSame},
      {"own", ".keep", kIsDangling, 2, ByGit::kFewer},
      {"own", ".keep", kIsPipe, 2, ByGit::kSame},
      // A cruft pack stays with us.
      {"own", ".mtimes", kIsDirectory, 2, ByGit::kFewer},
      {"own", ".mtimes", kIsDangling, 1, ByGit::kSame},
      {"own", ".mtimes", kIsPipe, 2, ByGit::kFewer},
      {"own", ".promisor", kIsDirectory, 2, ByGit::kSame},
      {"own", ".promisor", kIsDangling, 1, ByGit::kSame},
      {"own", ".promisor", kIsPipe, 2, ByGit::kSame},
      // What is no regular file is no pack.
      {"other", ".pack", kIsDirectory, 1, ByGit::kSame},
      {"other", ".pack", kIsDangling, 1, ByGit::kSame},
      {"other", ".pack", kIsPipe, 1, ByGit::kSame},
      {"multi-pack-index", "", kIsDangling, 1, ByGit::kSame}};
  for (const OddFile& odd : table) {
    SCOPED_TRACE(NameOf(odd));
    ExpectConverted(odd);
    ExpectRepacked(odd);
    ExpectOfGit(odd);
  }
}

// A pack is there, and nobody knows what is in it. 'git fsck' fails, or waits
// for the pipe; 'git repack' fails if it misses an object.
TEST_F(OddPackFilesTest, IndexOfAPackThatIsThereIsNeeded) {
  for (const Obstacle kind : {kIsDirectory, kIsDangling, kIsPipe}) {
    const OddFile odd = {"other", ".idx", kind, 0, ByGit::kWaits};
    SCOPED_TRACE(NameOf(odd));
    for (const char* const command : {"convert", "repack", "report"}) {
      ExpectRefused(odd, command);
    }
  }
}

// As if there were no pack, in Git as well.
TEST_F(OddPackFilesTest, PackWhoseObjectsAreMissingIsNamed) {
  for (const Obstacle kind : {kIsDirectory, kIsDangling, kIsPipe}) {
    const OddFile odd = {"own", ".pack", kind, 0, ByGit::kFails};
    SCOPED_TRACE(NameOf(odd));
    fs::remove(pack_directory() + '/' + other_ + ".idx");
    ExpectRefused(odd, "convert");
    ExpectRefused(odd, "repack");
    ExpectOfGit(odd);
  }
}

// 'convert' does not need it. 'repack' could not take it away with the packs.
TEST_F(OddPackFilesTest, MultiPackIndexThatIsNoneStopsRepack) {
  for (const OddFile& odd :
       {OddFile{"multi-pack-index", "", kIsDirectory, 0, ByGit::kFails},
        OddFile{"multi-pack-index", "", kIsPipe, 0, ByGit::kWaits}}) {
    SCOPED_TRACE(NameOf(odd));
    ExpectConverted(odd);
    ExpectRefused(odd, "repack");
    ExpectOfGit(odd);
  }
}

// Git would wait for the pipe.
TEST_F(OddPackFilesTest, GitWritesNoBitmapBesideAPipe) {
  const OddFile odd = {"new", ".rev", kIsPipe, 1, ByGit::kSame};
  const std::string copy = CopyWith("copy", odd);
  ProcessResult result = Run({"repack", "-q", "-a", "-d", "-b", copy});
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_EQ(result.err, "fatal: cannot write a bitmap: not a regular file: '" +
                            PathIn(copy, odd) + "'\n");
  repo_.Git({"-C", copy, "config", "--unset", "repack.writeBitmaps"});
  result = Run({"repack", "-a", "-d", copy});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err,
              HasSubstr("warning: cannot write a bitmap: not a regular file"));
}

// Git does not open them, or fails at once and goes on.
TEST_F(OddPackFilesTest, GitWritesABitmapBesideWhatItDoesNotWaitFor) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"repack", "-q", "-a", "-d"},
        {"repack", "-q", "-a", "-d", "-b"}}) {
    const std::string copy =
        CopyWith("copy", {"foo", ".pack", kIsDirectory, 1, ByGit::kSame});
    repo_.Git({"-C", copy, "config", "--unset", "repack.writeBitmaps"});
    fs::create_symlink("/nowhere", copy + "/objects/info/commit-graphs");
    std::vector<std::string> command = options;
    command.push_back(copy);
    const ProcessResult result = Run(command);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(FilesWith(copy + "/objects/pack", ".bitmap").size(), 1)
        << ::testing::PrintToString(result);
  }
}

}  // namespace
}  // namespace zpack::testing
