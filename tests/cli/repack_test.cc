// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack': one good pack, the same objects and refs, and what the options do.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RepackTest : public RepackFixture {
 protected:
  // Packs and loose objects, some of them in several places.
  void ManyPlaces() const {
    repo_.History(10);
    repo_.Git({"repack", "-q"});
    repo_.History(20);
    repo_.Git({"repack", "-q"});
    repo_.History(30);
    const std::string id = repo_.Git({"rev-parse", "main~25:dir/file0.txt"});
    repo_.WriteBlob(repo_.Git({"cat-file", "blob", id}) + '\n');
  }
};

// Whoever may write into the repository could have others replace any file.
TEST_F(RepackTest, LinksInThePlaceOfServerInfoAreReplaced) {
  WriteFile(dir_ / "victim", "precious\n");
  for (const std::string name : {"/info/refs", "/objects/info/packs"}) {
    const std::string path = repo_.git_dir() + name;
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::filesystem::remove(path);
    std::filesystem::create_symlink(dir_ / "victim", path);
  }
  ASSERT_TRUE(Repack({"-a", "-d"}).ok());
  EXPECT_EQ(ReadFile(dir_ / "victim"), "precious\n");
  for (const std::string name : {"/info/refs", "/objects/info/packs"}) {
    EXPECT_TRUE(std::filesystem::is_regular_file(
        std::filesystem::symlink_status(repo_.git_dir() + name)));
  }
}

TEST_F(RepackTest, LeavesOnePackWithTheSameObjects) {
  ManyPlaces();
  ASSERT_THAT(Packs(), SizeIs(2));
  ExpectOnePack();
}

TEST_F(RepackTest, SecondRunGivesTheSamePack) {
  ManyPlaces();
  const std::string first = ExpectOnePack();
  const std::string bytes = ReadFile(pack_directory() + '/' + first + ".pack");
  EXPECT_EQ(ExpectOnePack(), first);
  EXPECT_TRUE(ReadFile(pack_directory() + '/' + first + ".pack") == bytes);
}

TEST_F(RepackTest, ThreadsDoNotChangeThePack) {
  ManyPlaces();
  const std::string one = ExpectOnePack({"--threads", "1"});
  EXPECT_EQ(ExpectOnePack({"--threads", "2"}), one);
  EXPECT_EQ(ExpectOnePack({"--threads", "5"}), one);
}

TEST_F(RepackTest, PacksOfGitDoNotChangeThePack) {
  ManyPlaces();
  const std::string name = ExpectOnePack({"-F"});
  repo_.Git({"repack", "-q", "-a", "-d", "-F", "--depth=3"});
  ASSERT_THAT(Packs(), ::testing::Not(ElementsAre(name)));
  EXPECT_EQ(ExpectOnePack({"-F"}), name);
}

TEST_F(RepackTest, WithoutDeleteNothingIsRemoved) {
  ManyPlaces();
  const RepositoryState state = ReadState(repo_.path());
  const auto before = Snapshot(repo_.path());
  ASSERT_TRUE(Repack({"-n"}).ok());
  const auto after = Snapshot(repo_.path());
  EXPECT_TRUE(std::ranges::includes(after, before));
  EXPECT_EQ(after.size(), before.size() + 3);
  EXPECT_THAT(Packs(), SizeIs(3));
  EXPECT_EQ(ReadState(repo_.path()), state);
}

TEST_F(RepackTest, DumbClientsFindWhatGitTellsThem) {
  ManyPlaces();
  repo_.Git({"tag", "-a", "-m", "a tag", "annotated", "main"});
  repo_.Git({"symbolic-ref", "refs/heads/link", "refs/tags/annotated"});
  repo_.Git({"symbolic-ref", "refs/heads/nowhere", "refs/heads/none"});
  const std::string refs = repo_.git_dir() + "/info/refs";
  const std::string packs = repo_.git_dir() + "/objects/info/packs";
  const auto expect_current = [&] {
    const std::string ours = ReadFile(refs) + ReadFile(packs);
    repo_.Git({"update-server-info", "--force"});
    EXPECT_EQ(ours, ReadFile(refs) + ReadFile(packs));
  };
  ASSERT_TRUE(Repack({"-d"}).ok());
  expect_current();
  repo_.Git({"tag", "-a", "-m", "another", "another", "main"});
  const std::string before = ReadFile(refs) + ReadFile(packs);
  ASSERT_TRUE(Repack({"-d", "-n", "-F"}).ok());
  EXPECT_EQ(ReadFile(refs) + ReadFile(packs), before);
  repo_.Git({"config", "repack.updateServerInfo", "false"});
  ASSERT_TRUE(Repack({"-d", "-F", "--level=1"}).ok());
  EXPECT_EQ(ReadFile(refs) + ReadFile(packs), before);
  repo_.Git({"config", "repack.updateServerInfo", "true"});
  ASSERT_TRUE(Repack({"-d"}).ok());
  expect_current();
}

TEST_F(RepackTest, ListsThatCannotBeWrittenAreAWarning) {
  ManyPlaces();
  for (const char* name : {"/info/refs", "/objects/info/packs"}) {
    std::filesystem::remove(repo_.git_dir() + name);
    std::filesystem::create_directories(repo_.git_dir() + name + "/x");
  }
  const ProcessResult result = Repack({"-d"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("warning: unable to update info/refs: "));
  EXPECT_THAT(result.err,
              HasSubstr("warning: unable to update objects/info/packs: "));
  EXPECT_THAT(Packs(), SizeIs(1));
}

// Nothing packs them again, but they are in a pack that stays.
TEST_F(RepackTest, LooseCopiesOfWhatIsKeptGo) {
  const std::string stray = repo_.WriteBlob("stray\n");
  repo_.PackAll();
  WriteFile(pack_directory() + '/' + Packs().at(0) + ".keep", "");
  repo_.WriteBlob("stray\n");
  ASSERT_THAT(LooseObjects(), ElementsAre(stray));
  repo_.History(2);
  ASSERT_TRUE(Repack({"-d", "--pack-kept-objects"}).ok());
  EXPECT_THAT(LooseObjects(), IsEmpty());
  EXPECT_THAT(Packs(), SizeIs(2));
}

TEST_F(RepackTest, DryRunChangesNothing) {
  ManyPlaces();
  const auto before = Snapshot(repo_.path());
  const ProcessResult result = Repack({"--dry-run"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_TRUE(Snapshot(repo_.path()) == before);
}

TEST_F(RepackTest, OutputIsAWholePackAndTheRepositoryUntouched) {
  ManyPlaces();
  const auto before = Snapshot(repo_.path());
  const std::string out = dir_ / "out";
  std::filesystem::create_directories(out);
  ASSERT_TRUE(Repack({"--output", out}).ok());
  EXPECT_TRUE(Snapshot(repo_.path()) == before);
  const auto packs = FilesWith(out, ".pack");
  ASSERT_THAT(packs, SizeIs(1));
  EXPECT_THAT(ListDirectory(out), SizeIs(3));
  ExpectGoodPack(out, packs[0]);
  // A repository with this pack alone has everything.
  const RepoBuilder other(dir_ / "other");
  std::filesystem::copy(out, other.path() + "/objects/pack");
  other.Git({"update-ref", "refs/heads/main",
             repo_.Git({"rev-parse", "refs/heads/main"})});
  EXPECT_EQ(ReadState(other.path()), ReadState(repo_.path()));
  EXPECT_EQ(ExpectOnePack(), packs[0]);
}

TEST_F(RepackTest, MissingOutputDirectoryIsRefused) {
  repo_.History(2);
  ExpectRefusal("No such file", {"--output", dir_ / "none"});
}

TEST_F(RepackTest, UnreachablePackedObjectsGoAndLooseOnesStay) {
  repo_.History(3);
  const std::string packed = repo_.WriteBlob("unreachable, packed\n");
  repo_.PackAll();
  const std::string loose = repo_.WriteBlob("unreachable, loose\n");
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_FALSE(Has(packed));
  EXPECT_THAT(LooseObjects(), ElementsAre(loose));
  EXPECT_THAT(Packs(), SizeIs(1));
}

TEST_F(RepackTest, KeepUnreachablePacksThem) {
  repo_.History(3);
  repo_.SimpleCommit("unreachable, packed\n");
  repo_.PackAll();
  repo_.WriteBlob("unreachable, loose\n");
  ExpectOnePack({"-k"});
}

TEST_F(RepackTest, NothingReachableButUnreachablePacks) {
  const std::string id = repo_.WriteBlob("unreachable, packed\n");
  repo_.PackAll();
  const ProcessResult result = Repack({"-d"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_FALSE(Has(id));
  EXPECT_THAT(Packs(), IsEmpty());
}

TEST_F(RepackTest, EmptyRepositoryHasNothingToPack) {
  repo_.Git({"update-server-info"});
  const auto before = Snapshot(repo_.path());
  for (const auto& options : std::vector<std::vector<std::string>>{
           {}, {"-d"}, {"--dry-run"}, {"-d", "-k"}}) {
    const ProcessResult result = Repack(options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_TRUE(Snapshot(repo_.path()) == before);
  }
}

TEST_F(RepackTest, OneObjectIsAPack) {
  repo_.SetRef("refs/heads/blob", repo_.WriteBlob(""));
  ExpectOnePack();
}

TEST_F(RepackTest, KeptPacksStayAndTheirObjectsAreNotPackedAgain) {
  const std::string old = repo_.History(10);
  repo_.PackAll();
  const std::string kept = Packs().at(0);
  const auto bytes = ReadFile(pack_directory() + '/' + kept + ".pack");
  repo_.History(20);
  const auto state = ReadState(repo_.path());
  for (const bool by_file : {true, false}) {
    const std::string keep = pack_directory() + '/' + kept + ".keep";
    if (by_file) WriteFile(keep, "");
    ASSERT_TRUE(Repack(by_file ? std::vector<std::string>{"-d"}
                               : std::vector<std::string>{"-d", "--keep-pack",
                                                          kept + ".pack"})
                    .ok());
    EXPECT_EQ(ReadState(repo_.path()), state);
    auto packs = Packs();
    ASSERT_THAT(packs, SizeIs(2));
    EXPECT_TRUE(ReadFile(pack_directory() + '/' + kept + ".pack") == bytes);
    std::erase(packs, kept);
    EXPECT_THAT(repo_.Git({"show-index"},
                          ReadFile(pack_directory() + '/' + packs[0] + ".idx")),
                ::testing::Not(HasSubstr(old)));
    std::filesystem::remove(keep);
  }
  ExpectOnePack();
}

TEST_F(RepackTest, ObjectsOfKeptPacksArePackedWhereGitPacksThem) {
  repo_.History(5);
  repo_.PackAll();
  const std::string kept = Packs().at(0);
  WriteFile(pack_directory() + '/' + kept + ".keep", "");
  repo_.History(8);
  repo_.Git({"repack", "-q"});
  const auto state = ReadState(repo_.path());
  const auto objects_of_new_pack = [&] {
    auto packs = Packs();
    EXPECT_EQ(std::erase(packs, kept), 1U);
    EXPECT_THAT(packs, SizeIs(1));
    return repo_.Git({"show-index"},
                     ReadFile(pack_directory() + '/' + packs.at(0) + ".idx"));
  };
  const auto count = [](const std::string& text) {
    return std::ranges::count(text, '\n');
  };
  for (const bool configured : {false, true}) {
    if (configured) repo_.Git({"config", "repack.packKeptObjects", "true"});
    repo_.Git({"repack", "-adq"});
    const auto stock = count(objects_of_new_pack());
    ASSERT_TRUE(Repack({"-d"}).ok());
    EXPECT_EQ(count(objects_of_new_pack()), stock);
    EXPECT_EQ(ReadState(repo_.path()), state);
  }
  repo_.Git({"config", "repack.packKeptObjects", "false"});
  ASSERT_TRUE(Repack({"-d", "--pack-kept-objects"}).ok());
  EXPECT_EQ(static_cast<size_t>(count(objects_of_new_pack()) + 1),
            state.objects.size());
  repo_.Git({"config", "repack.packKeptObjects", "perhaps"});
  ExpectRefusal("repack.packkeptobjects");
}

TEST_F(RepackTest, RedundantPackGoesWhenAKeptOneHasEverything) {
  repo_.History(10);
  repo_.Git({"repack", "-q"});
  const std::string redundant = Packs().at(0);
  repo_.History(20);
  repo_.Git({"repack", "-q", "-a"});
  ASSERT_THAT(Packs(), SizeIs(2));
  for (const std::string& pack : Packs()) {
    if (pack != redundant) {
      WriteFile(pack_directory() + '/' + pack + ".keep", "");
    }
  }
  const auto state = ReadState(repo_.path());
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_FALSE(Exists(pack_directory() + '/' + redundant + ".pack"));
  EXPECT_EQ(ReadState(repo_.path()), state);
}

// To Git, the option is as if it was not there.
TEST_F(RepackTest, UnknownPackToKeepIsAWarning) {
  ManyPlaces();
  for (const char* const name : {"pack-none.pack", "pack-none", "", "./x"}) {
    SCOPED_TRACE(name);
    const std::vector<std::string> options = {"-a", "-d", "--keep-pack", name};
    const std::string ours = Copy("ours");
    const std::string theirs = Copy("theirs");
    const ProcessResult result = Repack(ours, options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(result.err, fmt::format("warning: no pack '{}' in '{}/objects'\n",
                                      name, ours));
    ASSERT_TRUE(
        RunGit({"repack", "-q", "-a", "-d", "--keep-pack", name}, theirs).ok());
    EXPECT_EQ(State(ours), State(theirs));
  }
}

TEST_F(RepackTest, CruftPacksStay) {
  repo_.History(3);
  const std::string unreachable = repo_.WriteBlob("unreachable\n");
  repo_.Git({"repack", "-q", "--cruft", "-d"});
  ASSERT_THAT(FilesWith(pack_directory(), ".mtimes"), SizeIs(1));
  const std::string cruft = FilesWith(pack_directory(), ".mtimes")[0];
  repo_.History(5);
  const auto state = ReadState(repo_.path());
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_EQ(ReadState(repo_.path()), state);
  EXPECT_TRUE(Has(unreachable));
  EXPECT_THAT(FilesWith(pack_directory(), ".mtimes"), ElementsAre(cruft));
  EXPECT_THAT(Packs(), SizeIs(2));
}

TEST_F(RepackTest, BitmapsAndMultiPackIndexOfOldPacksGo) {
  ManyPlaces();
  repo_.Git({"multi-pack-index", "write"});
  ExpectOnePack();
  repo_.History(35);
  repo_.Git({"repack", "-q", "-a", "-d", "--write-bitmap-index"});
  ExpectOnePack();
  repo_.History(40);
  repo_.Git({"repack", "-q"});
  repo_.Git({"multi-pack-index", "write", "--bitmap"});
  ExpectOnePack();
  EXPECT_TRUE(repo_
                  .TryGit({"rev-list", "--all", "--objects",
                           "--use-bitmap-index", "--count"})
                  .ok());
}

TEST_F(RepackTest, DeltaOptionsAreHonoured) {
  repo_.History(60);
  const std::string deep = ExpectOnePack({"-F"});
  EXPECT_GT(LongestChain(deep), 5U);
  EXPECT_LE(LongestChain(deep), 50U);
  EXPECT_EQ(LongestChain(ExpectOnePack({"-F", "--depth", "1"})), 1U);
  EXPECT_LE(LongestChain(ExpectOnePack({"-F", "--depth", "3"})), 3U);
  EXPECT_EQ(LongestChain(ExpectOnePack({"-F", "--depth", "0"})), 0U);
  EXPECT_EQ(LongestChain(ExpectOnePack({"-F", "--window", "0"})), 0U);
  EXPECT_GT(LongestChain(ExpectOnePack({"-F", "--window", "1"})), 0U);
  ExpectOnePack({"-F", "--window", "4095", "--depth", "4095"});
  ExpectOnePack({"-F", "--memory", "1k"});
  repo_.Git({"config", "pack.depth", "2"});
  EXPECT_LE(LongestChain(ExpectOnePack({"-F"})), 2U);
  EXPECT_EQ(ExpectOnePack({"-F", "--depth", "50"}), deep);
  repo_.Git({"config", "pack.window", "0"});
  EXPECT_EQ(LongestChain(ExpectOnePack({"-F"})), 0U);
}

TEST_F(RepackTest, LevelsGiveTheSameObjects) {
  repo_.History(20);
  const std::string fast = ExpectOnePack({"-F", "--level", "1"});
  const auto fast_size =
      std::filesystem::file_size(pack_directory() + '/' + fast + ".pack");
  const std::string small = ExpectOnePack({"-F", "--level", "12"});
  EXPECT_LT(
      std::filesystem::file_size(pack_directory() + '/' + small + ".pack"),
      fast_size);
}

TEST_F(RepackTest, LargeObjectsAreWhole) {
  // Stored in more than 16 MiB.
  const std::string large = RandomBytes(1, 17 << 20);
  CommitFields fields;
  fields.tree = repo_.WriteTree(
      TreeEntryBytes("100644", "a", repo_.WriteBlob(large)) +
      TreeEntryBytes("100644", "b", repo_.WriteBlob(large + "more")));
  repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  ExpectOnePack();
  // Large, but small when deflated.
  fields.tree = repo_.WriteTree(TreeEntryBytes(
      "100644", "a", repo_.WriteBlob(std::string(40 << 20, 'x'))));
  repo_.SetRef("refs/heads/zeros", repo_.WriteCommit(fields));
  ExpectOnePack();
}

TEST_F(RepackTest, ObjectsAboveTheThresholdAreWhole) {
  repo_.History(30);
  for (const char* threshold : {"300", "1", "0"}) {
    repo_.Git({"config", "core.bigFileThreshold", threshold});
    const std::string pack = ExpectOnePack();
    EXPECT_EQ(ExpectOnePack({"--threads", "2"}), pack);
  }
}

TEST_F(RepackTest, SummaryAndJsonSayWhatWasDone) {
  ManyPlaces();
  const size_t objects = ReadState(repo_.path()).objects.size();
  const ProcessResult text = RunZpack({"repack", "-F", repo_.path()});
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err,
              HasSubstr("Packed " + std::to_string(objects) + " objects into"));
  const ProcessResult result =
      RunZpack({"repack", "-d", "-F", "--json", repo_.path()});
  ASSERT_EQ(result.exit_code, 0);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["packs"], nlohmann::json::array({Packs().at(0)}));
  EXPECT_EQ(json["objects"], objects);
  EXPECT_EQ(json["removed_packs"], 2);
  EXPECT_GT(json["removed_loose_objects"], 0);
  EXPECT_EQ(json["needed_again"], "");
  EXPECT_GT(json["pack_bytes"], 1000);
  EXPECT_GT(json["source_pack_bytes"], 1000);
  // The new packs of one run are the old packs of the next one.
  const ProcessResult next =
      RunZpack({"repack", "--dry-run", "--json", repo_.path()});
  EXPECT_EQ(nlohmann::json::parse(next.out)["source_pack_bytes"],
            json["pack_bytes"]);
  EXPECT_THAT(json["phases"], ::testing::Not(IsEmpty()));
}

TEST_F(RepackTest, UsageErrors) {
  repo_.History(2);
  const auto before = Snapshot(repo_.path());
  for (const auto& options :
       std::vector<std::vector<std::string>>{{"-d", "--dry-run"},
                                             {"-d", "--output", dir_.path()},
                                             {"--level", "0"},
                                             {"--level", "13"},
                                             {"--level", "x"},
                                             {"--window", "-1"},
                                             {"--window", "4096"},
                                             {"--depth", "4096"},
                                             {"--depth", ""},
                                             {"--memory", "many"},
                                             {"--threads", "-1"},
                                             {"--no-such-option"},
                                             {"second"}}) {
    const ProcessResult result = Repack(options);
    EXPECT_EQ(result.exit_code, 129) << ::testing::PrintToString(options);
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(RunZpack({"repack"}).exit_code, 129);
  EXPECT_TRUE(Snapshot(repo_.path()) == before);
}

}  // namespace
}  // namespace zpack::testing
