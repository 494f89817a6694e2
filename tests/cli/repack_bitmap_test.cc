// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// When 'repack' lets Git write a bitmap: where 'git repack -a' writes one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class RepackBitmapTest : public RepackFixture {
 protected:
  RepackBitmapTest() {
    repo_.Git({"config", "--unset", "repack.writeBitmaps"});
    repo_.History(3);
  }

  static bool HasBitmap(const std::string& objects) {
    return !FilesWith(objects + "/pack", ".bitmap").empty();
  }

  // What the repository looks like from `git_dir` below it, or itself.
  struct Case {
    std::vector<std::string> configuration;  // 'git -c <this>'
    std::vector<std::string> options = {"-d"};
    std::string from = "";
  };

  static std::vector<std::string> Configured(const Case& one,
                                             std::vector<std::string> words) {
    std::vector<std::string> all;
    for (const std::string& value : one.configuration) {
      all.insert(all.end(), {"-c", value});
    }
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), one.options.begin(), one.options.end());
    return all;
  }

  // Ours, and Git on a copy, write a bitmap or not.
  void ExpectAsGit(const Case& one, bool bitmap) const {
    SCOPED_TRACE(::testing::PrintToString(one.configuration) +
                 ::testing::PrintToString(one.options) + one.from);
    const std::string copies[] = {dir_ / "ours", dir_ / "git"};
    for (const std::string& copy : copies) {
      fs::remove_all(copy);
      fs::copy(repo_.path(), copy, fs::copy_options::recursive);
    }
    const auto ours = RunZpackOver(one, copies[0] + one.from);
    EXPECT_EQ(ours.exit_code, 0) << ours.err;
    EXPECT_EQ(ours.err, "");
    const auto git =
        RunGit(Configured(one, {"repack", "-q", "-a"}), copies[1] + one.from);
    EXPECT_EQ(git.exit_code, 0) << git.err;
    const std::string objects =
        fs::path(repo_.git_dir()).lexically_relative(repo_.path()).string() +
        "/objects";
    EXPECT_EQ(HasBitmap(copies[1] + '/' + objects), bitmap);
    EXPECT_EQ(HasBitmap(copies[0] + '/' + objects), bitmap);
  }

  // Writes a bitmap, and returns what Git wrote to the trace that the variable
  // of the environment names.
  std::string TraceOfGit(const std::string& variable) const {
    const std::string trace = dir_ / "trace";
    ProcessOptions options;
    options.environment = {variable + '=' + trace};
    EXPECT_EQ(
        RunZpack({"repack", "-q", "-d", "-b", repo_.path()}, options).exit_code,
        0);
    return ReadFile(trace);
  }

  // The environment in which these commands are Git.
  ProcessOptions WithGit(const std::string& commands) const {
    const std::string programs = dir_ / "programs";
    fs::create_directories(programs);
    WriteFile(programs + "/git", "#!/bin/sh\n" + commands);
    fs::permissions(programs + "/git", fs::perms::owner_all);
    ProcessOptions options;
    options.environment = {"PATH=" + programs + ":/usr/bin:/bin"};
    return options;
  }

  static ProcessResult RunZpackOver(const Case& one, const std::string& path) {
    ProcessOptions options;
    std::string count = std::to_string(one.configuration.size());
    options.environment = {"GIT_CONFIG_COUNT=" + count};
    for (size_t i = 0; i < one.configuration.size(); ++i) {
      const std::string& text = one.configuration[i];
      const size_t end = text.find('=');
      const std::string number = std::to_string(i);
      options.environment.push_back("GIT_CONFIG_KEY_" + number + '=' +
                                    text.substr(0, end));
      options.environment.push_back("GIT_CONFIG_VALUE_" + number + '=' +
                                    text.substr(end + 1));
    }
    std::vector<std::string> words = {"repack", "-q"};
    words.insert(words.end(), one.options.begin(), one.options.end());
    words.push_back(path);
    return RunZpack(words, options);
  }
};

TEST_F(RepackBitmapTest, BareRepositoriesGetOneAsFromGit) {
  ExpectAsGit({{}}, true);
  ExpectAsGit({{}, {}}, true);
  ExpectAsGit({{}, {"-d", "-k"}}, true);
  ExpectAsGit({{}, {"-d", "--cruft"}}, true);
  ExpectAsGit({{}, {"-d", "--no-write-bitmap-index"}}, false);
  repo_.Git({"config", "--unset", "core.bare"});
  ExpectAsGit({{}}, true);
  repo_.Git({"config", "core.bare", "false"});
  ExpectAsGit({{}}, false);
  ExpectAsGit({{}, {"-d", "-b"}}, true);
}

TEST_F(RepackBitmapTest, LastSettingOfBothNamesCounts) {
  ExpectAsGit({{"repack.writeBitmaps=false"}}, false);
  ExpectAsGit({{"pack.writeBitmaps=false"}}, false);
  ExpectAsGit({{"pack.writeBitmaps=true", "repack.writeBitmaps=false"}}, false);
  ExpectAsGit({{"repack.writeBitmaps=false", "pack.writeBitmaps=true"}}, true);
  ExpectAsGit({{"repack.writeBitmaps=false"}, {"-d", "-b"}}, true);
  repo_.Git({"config", "repack.writeBitmaps", "false"});
  ExpectAsGit({{"pack.writeBitmaps=yes"}}, true);
  repo_.Git({"config", "repack.writeBitmaps", "of course"});
  ExpectRefusal("repack.writebitmaps");
}

TEST_F(RepackBitmapTest, KeptObjectsAndSeveralPacksPreventIt) {
  repo_.PackAll();
  WriteFile(pack_directory() + '/' + Packs().at(0) + ".keep", "");
  repo_.History(5);
  ExpectAsGit({{}}, false);
  ExpectAsGit({{"repack.packKeptObjects=true"}}, true);
  ExpectAsGit({{"repack.writeBitmaps=true"}}, true);
  ExpectAsGit({{}, {"-d", "--keep-pack", Packs().at(0) + ".pack"}}, false);
  repo_.SetRef("refs/tags/a", repo_.WriteBlob(RandomBytes(1, 700'000)));
  repo_.SetRef("refs/tags/b", repo_.WriteBlob(RandomBytes(2, 700'000)));
  ExpectAsGit({{}, {"-d", "--pack-kept-objects", "--max-pack-size=1m"}}, false);
}

TEST_F(RepackBitmapTest, KeptPackOfWhatIsUnreachableDoesNotMatter) {
  const std::string stray = repo_.WriteBlob("stray\n");
  const std::string pack = repo_.Git(
      {"pack-objects", "-q", pack_directory() + "/pack"}, stray + '\n');
  WriteFile(pack_directory() + "/pack-" + pack + ".keep", "");
  ExpectAsGit({{}}, true);
}

TEST_F(RepackBitmapTest, GitReadsItAndNothingPointsToOldPacks) {
  for (int i = 0; i < 2; ++i) {
    repo_.History(4 + i);
    ASSERT_EQ(Repack({"-d"}).exit_code, 0);
    EXPECT_TRUE(repo_.TryGit({"multi-pack-index", "verify"}).ok());
    EXPECT_TRUE(repo_.TryGit({"rev-list", "--test-bitmap", "HEAD"}).ok());
    EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), SizeIs(1));
  }
  repo_.History(7);
  ASSERT_EQ(Repack({"-d", "--no-write-bitmap-index"}).exit_code, 0);
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), IsEmpty());
  EXPECT_THAT(ListDirectory(pack_directory()), SizeIs(3));
}

// Of several packs with an object, the preferred one counts; otherwise the
// oldest, from which Git could not copy to clients.
TEST_F(RepackBitmapTest, AnOlderCruftPackIsNotPreferred) {
  const std::string id = repo_.WriteBlob("unreachable for a while\n");
  ASSERT_EQ(Repack({"-d", "--cruft"}).exit_code, 0);
  const std::string cruft =
      FilesWith(pack_directory(), ".mtimes").at(0) + ".pack";
  fs::last_write_time(pack_directory() + '/' + cruft, {});
  repo_.SetRef("refs/tags/blob", id);
  const std::string trace = TraceOfGit("GIT_TRACE");
  EXPECT_THAT(Packs(), SizeIs(2));
  EXPECT_THAT(trace, HasSubstr("--preferred-pack=pack-"));
  EXPECT_THAT(trace, ::testing::Not(HasSubstr("--preferred-pack=" + cruft)));
  EXPECT_TRUE(repo_.TryGit({"rev-list", "--test-bitmap", "HEAD"}).ok());
}

// After a power cut, Git would find a multi-pack-index without its content.
TEST_F(RepackBitmapTest, GitSyncsWhatItWrites) {
  repo_.Git({"config", "core.fsync", "none"});
  repo_.Git({"config", "core.fsyncMethod", "writeout-only"});
  const std::string trace = TraceOfGit("GIT_TRACE2_EVENT");
  EXPECT_TRUE(HasBitmap(repo_.git_dir() + "/objects"));
  // The multi-pack-index and the bitmap.
  EXPECT_THAT(trace,
              ContainsRegex("hardware-flush\",\"(value\":\"|count\":)[2-9]"));
}

TEST_F(RepackBitmapTest, IndexThatGitDoesNotReadIsNotWritten) {
  repo_.Git({"config", "core.multiPackIndex", "false"});
  ExpectRefusal("core.multiPackIndex is false", {"-d", "-b"});
  ASSERT_EQ(Repack({"-d"}).exit_code, 0);
  EXPECT_THAT(ListDirectory(pack_directory()), SizeIs(3));
}

TEST_F(RepackBitmapTest, WithoutGitOnlyWhoAskedForItFails) {
  ProcessOptions options;
  options.environment = {"PATH=" + dir_.path()};
  const ProcessResult asked =
      RunZpack({"repack", "-q", "-d", "-b", repo_.path()}, options);
  EXPECT_EQ(asked.exit_code, 128);
  EXPECT_THAT(asked.err, HasSubstr("fatal: 'git multi-pack-index"));
  const ProcessResult result =
      RunZpack({"repack", "-q", "-d", repo_.path()}, options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("warning: 'git multi-pack-index"));
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), IsEmpty());
  // Nothing is lost, and the next run makes up for it.
  EXPECT_TRUE(repo_.TryGit({"fsck", "--strict"}).ok());
  ASSERT_EQ(Repack({"-d", "-b"}).exit_code, 0);
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), SizeIs(1));
}

// A killed Git leaves its lock and temporary files.
TEST_F(RepackBitmapTest, LockOfAKilledGitDoesNotStay) {
  repo_.Git({"repack", "-q", "-a"});  // a pack that is removed
  for (const char* const end : {"kill -9 $$\n", "exit 1\n"}) {
    SCOPED_TRACE(end);
    const ProcessOptions options = WithGit(
        "cd " + pack_directory() +
        " && touch multi-pack-index.lock tmp_bitmap_1 tmp_midx_1; " + end);
    WriteFile(pack_directory() + "/tmp_bitmap_0", "of another process");
    const ProcessResult asked =
        RunZpack({"repack", "-q", "-d", "-b", repo_.path()}, options);
    EXPECT_EQ(asked.exit_code, 128);
    EXPECT_THAT(asked.err, HasSubstr("fatal: 'git multi-pack-index"));
    EXPECT_THAT(FilesWith(pack_directory(), ".lock"), IsEmpty());
    const ProcessResult result =
        RunZpack({"repack", "-q", "-d", repo_.path()}, options);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err, HasSubstr("warning: 'git multi-pack-index"));
    EXPECT_THAT(Packs(), SizeIs(1));
    EXPECT_THAT(ListDirectory(pack_directory()),
                UnorderedElementsAre("tmp_bitmap_0", HasSubstr(".pack"),
                                     HasSubstr(".idx"), HasSubstr(".rev")));
    repo_.WriteBlob(end);
  }
}

// Git fails because another process has the lock.
TEST_F(RepackBitmapTest, LockOfAnotherProcessStays) {
  const std::string lock = pack_directory() + "/multi-pack-index.lock";
  // The process has it open for writing until it is told to end.
  const ProcessOptions options =
      WithGit("exec 3> " + lock + "; sleep 1000 >&3 2>&3 & echo $! > " +
              (dir_ / "pid") + "; kill -9 $$\n");
  const ProcessResult result =
      RunZpack({"repack", "-q", "-b", repo_.path()}, options);
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_TRUE(Exists(lock));
  ::kill(std::stoi(ReadFile(dir_ / "pid")), SIGKILL);
}

TEST_F(RepackBitmapTest, DryRunAndOtherPlacesGetNone) {
  const auto before = Snapshot(repo_.path());
  fs::create_directory(dir_ / "out");
  ASSERT_EQ(Repack({"--dry-run"}).exit_code, 0);
  ASSERT_EQ(Repack({"--output", dir_ / "out"}).exit_code, 0);
  EXPECT_TRUE(Snapshot(repo_.path()) == before);
  EXPECT_THAT(ListDirectory(dir_ / "out"), SizeIs(3));
  EXPECT_EQ(Repack({"-b", "--no-write-bitmap-index"}).exit_code, 129);
}

TEST_F(RepackBitmapTest, WorkTreesGetNone) {
  repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "linked"});
  ASSERT_EQ(Repack(dir_ / "linked", {"-d"}).exit_code, 0);
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), IsEmpty());
  const RepoBuilder tree(dir_ / "tree", RepoBuilder::Kind::kWorkTree);
  tree.SimpleCommit("a\n");
  for (const std::string& path : {tree.path(), tree.git_dir()}) {
    ASSERT_EQ(Repack(path, {"-d"}).exit_code, 0);
    EXPECT_FALSE(HasBitmap(tree.git_dir() + "/objects"));
  }
}

}  // namespace
}  // namespace zpack::testing
