// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack' when it cannot, must not, or is stopped: the repository has all its
// objects, and the next run works.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr uint32_t kRepackSeed = 20240229;

class RepackRefusalTest : public RepackFixture {
 protected:
  RepackRefusalTest() {
    repo_.History(5);
    repo_.PackAll();
    repo_.History(8);
    repo_.Git({"prune-packed"});
  }
};

TEST_F(RepackRefusalTest, NotARepository) {
  fs::create_directories(dir_ / "plain");
  for (const std::string& path : {dir_ / "none", dir_ / "plain"}) {
    const ProcessResult result = Repack(path, {"-d"});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, ::testing::StartsWith("fatal: "));
    EXPECT_THAT(result.err, HasSubstr(path));
  }
  EXPECT_THAT(ListDirectory(dir_ / "plain"), IsEmpty());
}

TEST_F(RepackRefusalTest, PreciousObjectsAreNotRemoved) {
  repo_.Git({"config", "core.repositoryFormatVersion", "1"});
  repo_.Git({"config", "extensions.preciousObjects", "true"});
  ExpectRefusal("precious");
  // Another pack does no harm.
  const auto before = Snapshot(repo_.path());
  EXPECT_EQ(Repack({"-n"}).exit_code, 0);
  EXPECT_EQ(Snapshot(repo_.path()).size(), before.size() + 3);
}

TEST_F(RepackRefusalTest, ObjectsThatAHookNamesDoNotExpire) {
  repo_.Git({"config", "gc.recentObjectsHook", "echo"});
  ExpectRefusal("gc.recentObjectsHook",
                {"-d", "-A", "--unpack-unreachable=now"});
  ExpectRefusal("gc.recentObjectsHook",
                {"-d", "--cruft", "--cruft-expiration=now"});
  EXPECT_EQ(Repack({"-d", "-A"}).exit_code, 0);
}

// What the remote does not promise must be there.
TEST_F(RepackRefusalTest, PartialCloneThatLacksObjectsOfItsOwn) {
  repo_.Git({"config", "uploadpack.allowFilter", "true"});
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", "--filter=blob:none", "--no-checkout",
             "file://" + repo_.path(), clone});
  repo_ = RepoBuilder::Existing(clone);
  const std::string blob = repo_.WriteBlob("own\n");
  CommitFields own;
  own.tree = repo_.WriteTree(TreeEntryBytes("100644", "file", blob));
  repo_.SetRef("refs/heads/own", repo_.WriteCommit(own));
  std::filesystem::remove(repo_.LooseObjectPath(blob));
  ExpectRefusal(blob);
  ExpectRefusal(blob, {"-k"});
}

TEST_F(RepackRefusalTest, UnknownObjectFormat) {
  repo_.Git({"config", "core.repositoryFormatVersion", "1"});
  repo_.Git({"config", "extensions.objectFormat", "md5"});
  ExpectRefusal("unsupported object format md5");
}

TEST_F(RepackRefusalTest, MissingObject) {
  const std::string id = repo_.Git({"rev-parse", "main:counter"});
  fs::remove(repo_.LooseObjectPath(id));
  ExpectRefusal(id);
}

TEST_F(RepackRefusalTest, DamagedLooseObject) {
  const std::string id = repo_.Git({"rev-parse", "main:counter"});
  WriteFile(repo_.LooseObjectPath(id), ZlibCompress("blob 2\0x\n"));
  ExpectRefusal("");
  WriteFile(repo_.LooseObjectPath(id),
            ZlibCompress(std::string("blob 2\0x\n", 9)));
  ExpectRefusal(id);
}

TEST_F(RepackRefusalTest, DamagedPack) {
  const std::string path = pack_directory() + '/' + Packs().at(0) + ".pack";
  const std::string bytes = ReadFile(path);
  std::string damaged = bytes;
  for (size_t at = 20; at + 20 < damaged.size(); at += 50) damaged[at] ^= 0x55;
  WriteFile(path, damaged);
  ExpectRefusal("");
  WriteFile(path, bytes.substr(0, bytes.size() / 2));
  ExpectRefusal("");
  WriteFile(path, "");
  ExpectRefusal("");
}

TEST_F(RepackRefusalTest, DamagedPackIndex) {
  const std::string path = pack_directory() + '/' + Packs().at(0) + ".idx";
  const std::string bytes = ReadFile(path);
  for (const size_t size : {bytes.size() / 2, bytes.size() - 8, size_t{0}}) {
    WriteFile(path, bytes.substr(0, size));
    ExpectRefusal("");
  }
}

TEST_F(RepackRefusalTest, DamagedIndex) {
  WriteFile(repo_.git_dir() + "/index", "DIRC");
  ExpectRefusal("index");
}

TEST_F(RepackRefusalTest, BrokenRef) {
  repo_.SetRef("refs/heads/broken", FakeId('1'));
  ExpectRefusal("missing");
  WriteFile(repo_.git_dir() + "/refs/heads/broken", "nonsense");
  ExpectRefusal("");
}

TEST_F(RepackRefusalTest, ReadOnlyPackDirectory) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(pack_directory(),
                  fs::perms::owner_read | fs::perms::owner_exec);
  ExpectRefusal("Permission denied");
}

TEST_F(RepackRefusalTest, UnwritablePackDirectory) {
  // Nobody can write there, not even root.
  ExpectRefusal("/proc/", {"--output", "/proc"});
  fs::remove_all(pack_directory());
  fs::create_symlink("/proc", pack_directory());
  ExpectRefusal("");
}

TEST_F(RepackRefusalTest, LinkInPlaceOfATemporaryIsNotFollowed) {
  WriteFile(dir_ / "precious", "precious");
  for (const char* name : {"tmp_pack_zpack", "tmp_objects_zpack",
                           "tmp_idx_zpack", "tmp_rev_zpack"}) {
    const std::string link = pack_directory() + '/' + name;
    fs::create_symlink(dir_ / "precious", link);
    EXPECT_EQ(Repack({"-d"}).exit_code, 128);
    EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
    fs::remove(link);
  }
  ExpectOnePack();
}

TEST_F(RepackRefusalTest, StaleTemporariesAreTakenOver) {
  for (const char* name : {"tmp_pack_zpack", "tmp_objects_zpack",
                           "tmp_idx_zpack", "tmp_rev_zpack"}) {
    WriteFile(pack_directory() + '/' + name, std::string(100000, 'x'));
  }
  ExpectOnePack();
}

TEST_F(RepackRefusalTest, LeftPackWithoutIndexIsReplaced) {
  const std::string name = ExpectOnePack({"-F"});
  const std::string path = pack_directory() + '/' + name;
  repo_.Git({"repack", "-q", "-a", "-d", "-F"});
  WriteFile(path + ".pack", "what a crash left");
  WriteFile(path + ".rev", "of it");
  EXPECT_EQ(ExpectOnePack({"-F"}), name);
}

class RepackInterruptionTest : public RepackFixture {
 protected:
  RepackInterruptionTest() {
    std::string tree;
    for (int i = 0; i < 12; ++i) {
      // Hexadecimal digits: slow to compress at high levels.
      tree += TreeEntryBytes(
          "100644", "file" + std::to_string(10 + i),
          repo_.WriteBlob(RawToHex(RandomBytes(uint64_t(i), 250000))));
    }
    CommitFields fields;
    fields.parents = {repo_.History(5)};
    fields.tree = repo_.WriteTree(tree);
    repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
    repo_.PackAll();
    repo_.SetRef("refs/heads/loose", repo_.SimpleCommit("loose\n"));
    state_ = ReadState(repo_.path());
  }

  std::vector<std::string> SlowRepack() const {
    return {"repack", "-d",        "-F", "--progress", "--level",
            "12",     "--threads", "1",  repo_.path()};
  }

  RepositoryState state_;
};

TEST_F(RepackInterruptionTest, SignalsEndItInOrder) {
  const auto before = Snapshot(repo_.path());
  for (const int signal : {SIGINT, SIGTERM}) {
    ZpackProcess process(SlowRepack());
    ASSERT_TRUE(process.WaitForErr("Compressing objects"));
    process.Signal(signal);
    const ProcessResult result = process.Wait();
    EXPECT_EQ(result.signal, signal) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, Not(HasSubstr("fatal")));
    EXPECT_TRUE(Snapshot(repo_.path()) == before);
  }
  ExpectOnePack();
}

TEST_F(RepackInterruptionTest, SecondRunAtTheSameTimeIsRefused) {
  ZpackProcess first(SlowRepack());
  ASSERT_TRUE(first.WaitForErr("Compressing objects"));
  const ProcessResult second = Repack({"-d"});
  EXPECT_EQ(second.exit_code, 128);
  EXPECT_THAT(second.err, HasSubstr("another process is writing"));
  const ProcessResult result = first.Wait();
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(ReadState(repo_.path()), state_);
  EXPECT_THAT(Packs(), SizeIs(1));
}

TEST_F(RepackInterruptionTest, KillLosesNothing) {
  const char* const given = std::getenv("ZPACK_KILL_MOMENTS");
  const int moments = given != nullptr ? std::atoi(given) : 5;
  const std::string saved = dir_ / "saved";
  fs::copy(repo_.path(), saved, fs::copy_options::recursive);
  const ProcessResult whole = Repack({"-d"});
  ASSERT_EQ(whole.exit_code, 0);
  const auto packs = Packs();
  std::mt19937 random(kRepackSeed);
  std::uniform_real_distribution<double> fraction(0.0, 1.1);
  int killed = 0;
  for (int i = 0; i < moments; ++i) {
    fs::remove_all(repo_.path());
    fs::copy(saved, repo_.path(), fs::copy_options::recursive);
    ProcessOptions options;
    options.kill_after = std::chrono::microseconds(
        1 + static_cast<int64_t>(fraction(random) * whole.seconds * 1e6));
    const ProcessResult result =
        RunZpack({"repack", "-q", "-d", repo_.path()}, options);
    killed += result.signal == SIGKILL ? 1 : 0;
    SCOPED_TRACE("seed " + std::to_string(kRepackSeed) + ", moment " +
                 std::to_string(i));
    EXPECT_EQ(ReadState(repo_.path()), state_);
    ExpectOnePack();
    EXPECT_EQ(Packs(), packs);
  }
  EXPECT_GT(killed, 0);
}

}  // namespace
}  // namespace zpack::testing
