// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'convert --keep-going' of a repository that has lost objects, and what all
// commands make of the file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/keep_going_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class KeepGoingTest : public KeepGoingFixture {};

// Each kind of object, missing or damaged in each way.
TEST_F(KeepGoingTest, StoresWhatIsThereAndListsWhatIsLost) {
  for (const auto& [part, id] : Parts()) {
    for (const Loss loss : kAllLosses) {
      SCOPED_TRACE(part + ", " + LossName(loss));
      const std::string whole = ReadFile(repo_.LooseObjectPath(id));
      Lose(id, loss);
      ExpectKeepsTheRest({id});
      std::filesystem::remove(repo_.LooseObjectPath(id));
      WriteFile(repo_.LooseObjectPath(id), whole);
    }
  }
}

TEST_F(KeepGoingTest, SaysWhatNeedsTheObjectAndWhyItCannotBeRead) {
  Lose(blob_, Loss::kMissing);
  Lose(parent_, Loss::kOtherContent);
  const ProcessResult result = KeepGoing();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.err,
      AllOf(HasSubstr("error: blob " + blob_ +
                      " is missing, needed by 'dir/file' in commit " + commit_),
            HasSubstr("error: commit " + parent_ +
                      " is damaged, needed by a parent of commit " + commit_ +
                      ": object " + parent_ + " of '"),
            HasSubstr("is corrupt: its content hashes to"),
            HasSubstr("has lost 2 objects"), HasSubstr("git hash-object -w")));
  const Json json = KeepGoingJson();
  ASSERT_EQ(json["lost_objects"].size(), 2U);
  for (const Json& lost : json["lost_objects"]) {
    EXPECT_EQ(lost["damage"].is_null(), lost["id"] == blob_);
  }
}

TEST_F(KeepGoingTest, ATagSaysWhatItsTargetWas) {
  const std::string lost = repo_.WriteBlob("named by a tag alone\n");
  const std::string tag = repo_.WriteTag(lost, "blob", "named");
  repo_.SetRef("refs/tags/named", tag);
  Lose(lost, Loss::kMissing);
  EXPECT_THAT(KeepGoing().err, HasSubstr("error: blob " + lost +
                                         " is missing, needed by the target of "
                                         "tag " +
                                         tag));
}

TEST_F(KeepGoingTest, WithoutItTheErrorNamesTheOption) {
  Lose(blob_, Loss::kMissing);
  const ProcessResult result = RunZpack({"convert", "-q", repo_.path(), file_});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("--keep-going"));
}

TEST_F(KeepGoingTest, NothingLostMakesTheSameFile) {
  EXPECT_EQ(KeepGoing().exit_code, 0);
  const std::string kept = ReadFile(file_);
  EXPECT_TRUE(RunZpack({"convert", "-q", "-f", repo_.path(), file_}).ok());
  EXPECT_TRUE(ReadFile(file_) == kept);
}

// No ref needs it, so nothing but its own damage tells that it is lost.
TEST_F(KeepGoingTest, ADamagedObjectThatNothingNeedsIsLost) {
  const std::string unreachable = repo_.WriteBlob("unreachable\n");
  Lose(unreachable, Loss::kTruncated);
  EXPECT_EQ(KeepGoing({"--reachable"}).exit_code, 0);
  ExpectKeepsTheRest({unreachable});
}

// As in a conversion without the option: a reflog may name what is gone.
TEST_F(KeepGoingTest, WhatOnlyAReflogNeedsMayBeMissing) {
  WriteFile(repo_.git_dir() + "/logs/HEAD",
            FakeId('0') + ' ' + FakeId('1') +
                " A <a@example.com> 1700000000 +0000\tx\n");
  EXPECT_EQ(KeepGoing().exit_code, 0);
}

TEST_F(KeepGoingTest, PacksWithDamage) {
  repo_.PackAll();
  repo_.Git({"prune-packed"});
  const std::string packs = repo_.git_dir() + "/objects/pack";
  std::string pack;
  for (const std::string& name : ListDirectory(packs)) {
    if (name.ends_with(".pack")) pack = packs + '/' + name;
  }
  std::string bytes = ReadFile(pack);
  std::filesystem::permissions(pack, std::filesystem::perms::owner_all);
  for (size_t at = 20; at < bytes.size() - 20; at += 37) {
    SCOPED_TRACE(at);
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    WriteFile(pack, damaged);
    std::vector<std::string> lost;
    for (const std::string& id : all_) {
      const ProcessResult type = repo_.TryGit({"cat-file", "-t", id});
      const ProcessResult content =
          type.ok()
              ? repo_.TryGit(
                    {"cat-file", type.out.substr(0, type.out.size() - 1), id})
              : type;
      if (!content.ok() || HashObject(type.out.substr(0, type.out.size() - 1),
                                      content.out) != id) {
        lost.push_back(id);
      }
    }
    ExpectKeepsTheRest(lost);
  }
}

class DamagedFilesTest : public KeepGoingFixture {
 protected:
  std::string InPacks(const std::string& name) const {
    return repo_.git_dir() + "/objects/pack/" + name;
  }
  // The name of the only pack, without extension.
  std::string Pack() const {
    std::string pack;
    for (const std::string& name : ListDirectory(InPacks(""))) {
      if (name.ends_with(".pack")) pack = name.substr(0, name.size() - 5);
    }
    return pack;
  }
  void PackAll() const {
    repo_.PackAll();
    repo_.Git({"prune-packed"});
  }
  ProcessResult Convert() const {
    return RunZpack({"convert", "-q", "-f", repo_.path(), file_});
  }
  size_t Objects() const {
    return nlohmann::json::parse(RunZpack({"show", "--json", file_}).out)
        .at("objects");
  }
};

TEST_F(DamagedFilesTest, PackWithABadIndexIsSkipped) {
  PackAll();
  const std::string first = Pack();
  repo_.WriteBlob("in another pack\n");
  repo_.Git({"repack", "-q"});
  const std::string blob = repo_.WriteBlob("only in a bad pack\n");
  const std::string name =
      RunGit({"pack-objects", "-q", InPacks("pack")}, repo_.path(), blob + '\n')
          .out;
  const std::string pack = "pack-" + name.substr(0, name.size() - 1);
  std::filesystem::remove(repo_.LooseObjectPath(blob));
  const std::string index = InPacks(pack + ".idx");
  std::filesystem::remove(index);
  WriteFile(index, "");
  const ProcessResult refused = Convert();
  EXPECT_EQ(refused.exit_code, 128);
  const std::string problem =
      "bad pack index '" + index + "'; 'git index-pack' makes it anew";
  EXPECT_THAT(refused.err, HasSubstr(problem));

  const ProcessResult kept = KeepGoing();
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_THAT(kept.err, HasSubstr("warning: skipped: " + problem + '\n'));
  EXPECT_THAT(Losses(file_), ElementsAre());
  EXPECT_THAT(KeepGoingJson()["damaged_files"], ElementsAre(problem));
  const size_t without = Objects();
  EXPECT_GE(without, all_.size());

  ASSERT_TRUE(
      RunGit({"index-pack", InPacks(pack + ".pack")}, repo_.path()).ok());
  ASSERT_TRUE(Convert().ok());
  EXPECT_EQ(Objects(), without + 1);
}

TEST_F(DamagedFilesTest, DirectoryInThePlaceOfAnIndexIsSkipped) {
  const std::string index = repo_.git_dir() + "/index";
  std::filesystem::create_directory(index);
  EXPECT_EQ(Convert().exit_code, 128);
  const ProcessResult kept = KeepGoing();
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_THAT(kept.err, HasSubstr("warning: skipped: not a regular file: '" +
                                  index + "'"));
  EXPECT_THAT(Losses(file_), ElementsAre());
}

TEST_F(DamagedFilesTest, ObjectsOfAPackWithABadIndexAreLost) {
  PackAll();
  const std::string index = InPacks(Pack() + ".idx");
  std::filesystem::remove(index);
  WriteFile(index, "no index");
  const ProcessResult kept = KeepGoing();
  EXPECT_EQ(kept.exit_code, 1) << kept.err;
  EXPECT_THAT(kept.err, AllOf(HasSubstr("bad pack index '" + index),
                              HasSubstr("object " + commit_ + " is missing")));
  EXPECT_THAT(Losses(file_), ::testing::Contains(commit_));
}

TEST_F(DamagedFilesTest, PackWithoutAnIndexIsNamed) {
  PackAll();
  const std::string pack = InPacks(Pack() + ".pack");
  std::filesystem::remove(InPacks(Pack() + ".idx"));
  EXPECT_THAT(Convert().err,
              HasSubstr("'" + pack + "' has no index: 'git index-pack'"));
  const ProcessResult kept = KeepGoing();
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_THAT(kept.err, HasSubstr("warning: skipped: '" + pack +
                                  "' has no index: 'git index-pack'"));
  ASSERT_TRUE(RunGit({"index-pack", pack}, repo_.path()).ok());
  // What no pack lacks, no pack without an index has.
  WriteFile(InPacks("pack-other.pack"), ReadFile(pack));
  EXPECT_EQ(KeepGoing().exit_code, 0);
}

TEST_F(DamagedFilesTest, BadIndexOfAWorkTreeIsSkipped) {
  const std::string index = repo_.git_dir() + "/index";
  WriteFile(index, "garbage");
  const ProcessResult refused = Convert();
  EXPECT_EQ(refused.exit_code, 128);
  const std::string problem = "bad index file '" + index + "'; remove it";
  EXPECT_THAT(refused.err, HasSubstr(problem));
  for (const char* const option : {"--json", "--reachable"}) {
    const ProcessResult kept = KeepGoing({option});
    EXPECT_EQ(kept.exit_code, 1);
    EXPECT_THAT(kept.err, HasSubstr("warning: skipped: " + problem));
  }
  EXPECT_TRUE(RunZpack({"verify", "-q", "--level=connectivity", file_}).ok());
  std::filesystem::remove(index);
  EXPECT_EQ(KeepGoing().exit_code, 0);
}

TEST_F(KeepGoingTest, UpdateAddsWhatIsThereAgain) {
  Lose(blob_, Loss::kMissing);
  EXPECT_EQ(KeepGoing({"--update"}).exit_code, 1);
  // Nothing has changed.
  const ProcessResult again = KeepGoing({"--update"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, AllOf(HasSubstr("Unchanged: "), HasSubstr(blob_)));
  // Without the option, the repository is incomplete as before.
  EXPECT_EQ(
      RunZpack({"convert", "-q", "--update", repo_.path(), file_}).exit_code,
      128);
  repo_.WriteBlob(kContent);
  const ProcessResult whole =
      RunZpack({"convert", "--update", repo_.path(), file_});
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("added 1 in "));
  EXPECT_THAT(Losses(file_), ElementsAre());
  EXPECT_TRUE(RunZpack({"verify", "--level=connectivity", "--against",
                        repo_.path(), file_})
                  .ok());
}

// The older file is the copy that is left.
TEST_F(KeepGoingTest, UpdateKeepsAFileThatHasWhatIsLost) {
  ASSERT_TRUE(RunZpack({"convert", "-q", repo_.path(), file_}).ok());
  const std::string whole = ReadFile(file_);
  Lose(blob_, Loss::kTruncated);
  const ProcessResult refused = KeepGoing({"--update"});
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("has lost, such as " + blob_),
                                 HasSubstr("git zpack restore")));
  EXPECT_TRUE(ReadFile(file_) == whole);
  EXPECT_EQ(KeepGoing({"--update", "--force"}).exit_code, 1);
  EXPECT_THAT(Losses(file_), ElementsAre(blob_));
}

TEST_F(KeepGoingTest, AgainstTheRepository) {
  Lose(blob_, Loss::kOtherContent);
  ASSERT_EQ(KeepGoing().exit_code, 1);
  const std::vector<std::string> verify = {"verify", "--against", repo_.path(),
                                           file_};
  EXPECT_EQ(RunZpack(verify).exit_code, 0);
  std::filesystem::remove(repo_.LooseObjectPath(blob_));
  EXPECT_EQ(RunZpack(verify).exit_code, 0);
  repo_.WriteBlob(kContent);
  const ProcessResult back = RunZpack(verify);
  EXPECT_EQ(back.exit_code, 1);
  EXPECT_THAT(back.err, HasSubstr("object " + blob_ +
                                  " is missing, and the file lists it as "
                                  "lost"));
  // Damage that the file does not list is a difference.
  Lose(tree_, Loss::kTruncated);
  EXPECT_EQ(RunZpack(verify).exit_code, 1);
}

TEST_F(KeepGoingTest, EveryCommandSaysSo) {
  Lose(blob_, Loss::kMissing);
  ASSERT_EQ(KeepGoing().exit_code, 1);
  const ProcessResult verified =
      RunZpack({"verify", "--level=connectivity", file_});
  EXPECT_EQ(verified.exit_code, 0);
  EXPECT_THAT(verified.out,
              AllOf(HasSubstr("objects verified, but 1 object was missing when "
                              "the file was made, connectivity ok"),
                    HasSubstr("lost before: blob " + blob_ + '\n')));
  const ProcessResult restored = RunZpack({"restore", file_, dir_ / "r"});
  EXPECT_EQ(restored.exit_code, 0);
  EXPECT_THAT(
      restored.err,
      HasSubstr("warning: 1 object was missing when the file was made"));
  const ProcessResult salvaged = RunZpack({"salvage", file_, dir_ / "s"});
  EXPECT_EQ(salvaged.exit_code, 0);
  EXPECT_THAT(salvaged.err,
              HasSubstr("hint: 1 object was missing when the file was made"));
  EXPECT_THAT(RunZpack({"show", file_}).out,
              AllOf(HasSubstr("lost objects       1\n"), HasSubstr("LOST")));
  EXPECT_THAT(RunZpack({"report", file_}).out,
              HasSubstr("1 object was missing when the file was made\n"));
  EXPECT_EQ(
      Json::parse(RunZpack({"report", "--json", file_}).out).at("lost_objects"),
      1);
  const ProcessResult read = RunZpack({"cat-file", "-p", file_, blob_});
  EXPECT_EQ(read.exit_code, 128);
  EXPECT_EQ(read.err,
            "fatal: object " + blob_ + " is lost, not in '" + file_ + "'\n");
  EXPECT_THAT(RunZpack({"rev-list", "--objects", "--all", file_}).err,
              HasSubstr("object " + blob_ + " is lost, needed by tree"));
}

// A bundle of all refs cannot be made, and nothing is left of it.
TEST_F(KeepGoingTest, NoBundleOfARefThatNeedsALostObject) {
  Lose(blob_, Loss::kMissing);
  ASSERT_EQ(KeepGoing().exit_code, 1);
  const ProcessResult bundled =
      RunZpack({"restore", "--bundle", dir_ / "b.bundle", file_});
  EXPECT_EQ(bundled.exit_code, 128);
  EXPECT_THAT(bundled.err, HasSubstr("object " + blob_ + " is lost"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "b.bundle"));
}

// As a clone, which shows no such ref.
TEST_F(KeepGoingTest, ABundleLeavesOutRefsOfLostObjects) {
  repo_.WriteLooseRef("refs/heads/lost", FakeId('1') + '\n');
  ASSERT_EQ(KeepGoing().exit_code, 1);
  const ProcessResult bundled =
      RunZpack({"restore", "--bundle", dir_ / "b.bundle", file_});
  EXPECT_TRUE(bundled.ok());
  EXPECT_THAT(
      bundled.err,
      HasSubstr("warning: not included: 'refs/heads/lost', whose object " +
                FakeId('1') + " is not in the file"));
  EXPECT_THAT(repo_.Git({"bundle", "list-heads", dir_ / "b.bundle"}),
              Not(HasSubstr("lost")));
}

// Old versions of Git wrote such entries. No object can have the id, so none is
// lost.
TEST_F(KeepGoingTest, TheNullIdIsInNoList) {
  const std::string tree = repo_.WriteTree(
      TreeEntryBytes("100644", "null", std::string(IdDigits(), '0')));
  CommitFields fields;
  fields.tree = tree;
  repo_.SetRef("refs/heads/null", repo_.WriteCommit(fields));
  EXPECT_EQ(RunZpack({"convert", repo_.path(), dir_ / "x"}).exit_code, 128);
  EXPECT_TRUE(KeepGoing().ok());
  EXPECT_TRUE(RunZpack({"verify", "-q", file_}).ok());
  EXPECT_TRUE(RunZpack({"cat-file", "-e", file_, tree}).ok());
  repo_.WriteLooseRef("refs/heads/zeros", std::string(IdDigits(), '0') + '\n');
  EXPECT_THAT(KeepGoing().err, HasSubstr("'refs/heads/zeros' of '" +
                                         repo_.path() + "': its id is 0000"));
}

TEST_F(KeepGoingTest, ParityProtectsTheList) {
  Lose(blob_, Loss::kMissing);
  ASSERT_EQ(KeepGoing({"--redundancy", "50%"}).exit_code, 1);
  EXPECT_THAT(Losses(file_), ElementsAre(blob_));
  std::string bytes = ReadFile(file_);
  bytes[bytes.find("LOST") + 30] ^= 1;
  WriteFile(file_, bytes);
  EXPECT_EQ(RunZpack({"verify", file_}).exit_code, 1);
  ASSERT_TRUE(RunZpack({"repair", "--in-place", file_}).ok());
  EXPECT_THAT(Losses(file_), ElementsAre(blob_));
}

TEST_F(KeepGoingTest, ADamagedListCostsNothingElse) {
  Lose(blob_, Loss::kMissing);
  ASSERT_EQ(KeepGoing().exit_code, 1);
  std::string bytes = ReadFile(file_);
  char& byte = bytes[bytes.find("LOST") + 30];
  byte = static_cast<char>(byte ^ 1);
  WriteFile(file_, bytes);
  const ProcessResult verified = RunZpack({"verify", file_});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.err, HasSubstr("LOST"));
  EXPECT_TRUE(RunZpack({"cat-file", "-p", file_, commit_}).ok());
  EXPECT_TRUE(RunZpack({"rev-list", "--all", file_}).ok());
  const ProcessResult refused = RunZpack({"restore", file_, dir_ / "r"});
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("salvage"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"restore", "--keep-going"},
        std::vector<std::string>{"salvage"}}) {
    std::vector<std::string> arguments = command;
    const std::string place = dir_ / command.front();
    arguments.insert(arguments.end(), {file_, place});
    EXPECT_EQ(RunZpack(arguments).exit_code, 1);
    EXPECT_THAT(SplitLines(RepoBuilder::Existing(place).Git(
                    {"cat-file", "--batch-all-objects",
                     "--batch-check=%(objectname)"})),
                ::testing::SizeIs(all_.size() - 1));
  }
}

// A promised object is not lost.
TEST_F(KeepGoingTest, PartialClonesStillNeedTheirOption) {
  repo_.Git({"config", "uploadpack.allowFilter", "true"});
  const std::string clone = dir_ / "clone";
  ASSERT_TRUE(RunGit({"clone", "-q", "--bare", "--filter=blob:none",
                      "file://" + repo_.path(), clone},
                     dir_.path())
                  .ok());
  const ProcessResult refused =
      RunZpack({"convert", "-q", "--keep-going", clone, file_});
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("--allow-promised"));
  EXPECT_EQ(RunZpack({"convert", "-q", "--keep-going", "--allow-promised",
                      clone, file_})
                .exit_code,
            0);
  EXPECT_THAT(Losses(file_), ElementsAre());
}

TEST_F(KeepGoingTest, NothingNeedBePromised) {
  Lose(blob_, Loss::kMissing);
  EXPECT_EQ(RunZpack({"convert", "-q", "--keep-going", "--allow-promised",
                      repo_.path(), file_})
                .exit_code,
            1);
}

// Git has it without storing it.
TEST_F(KeepGoingTest, TheEmptyTreeIsNotLost) {
  const std::string tree =
      repo_.Git({"hash-object", "-t", "tree", "/dev/null"});
  repo_.Git({"update-ref", "refs/tags/tree", tree});
  repo_.Git({"tag", "-a", "-m", "x", "annotated", tree});
  repo_.Git({"symbolic-ref", "refs/tags/symbolic", "refs/tags/tree"});
  ASSERT_TRUE(RunZpack({"convert", "-q", repo_.path(), file_}).ok());
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"salvage", "-q"}, {"restore", "-q", "--keep-going"}}) {
    SCOPED_TRACE(command.front());
    std::vector<std::string> words = command;
    const std::string place = dir_ / command.front();
    words.insert(words.end(), {file_, place});
    EXPECT_EQ(RunZpack(words).exit_code, 0);
    for (const char* name : {"tree", "annotated", "symbolic"}) {
      EXPECT_TRUE(RepoBuilder::Existing(place)
                      .TryGit({"rev-parse", "--verify", "-q",
                               std::string("refs/tags/") + name})
                      .ok())
          << name;
    }
  }
}

// Git's own upload-pack does not show a ref whose object is missing.
TEST_F(KeepGoingTest, ClientsGetWhatIsThereAndAnErrorThatNamesTheRest) {
  for (const char* version : {"0", "1", "2"}) {
    SCOPED_TRACE(version);
    const auto fetch = [&](const std::string& ref) {
      const RepoBuilder client(dir_ / ("client" + ref + version));
      return client.TryGit({"-c", std::string("protocol.version=") + version,
                            "fetch", "--upload-pack",
                            ZpackBinary() + " upload-pack", file_,
                            "refs/heads/" + ref});
    };
    Lose(blob_, Loss::kMissing);
    ASSERT_EQ(KeepGoing().exit_code, 1);
    EXPECT_TRUE(fetch("other").ok());
    const ProcessResult failed = fetch("main");
    EXPECT_FALSE(failed.ok());
    EXPECT_THAT(failed.err, HasSubstr("object " + blob_ + " is lost, needed"));
    repo_.WriteBlob(kContent);
    // The ref itself.
    Lose(commit_, Loss::kMissing);
    ASSERT_EQ(KeepGoing().exit_code, 1);
    const ProcessResult refs =
        RunGit({"-c", std::string("protocol.version=") + version, "ls-remote",
                "--upload-pack", ZpackBinary() + " upload-pack", file_},
               dir_.path());
    EXPECT_TRUE(refs.ok()) << refs.err;
    EXPECT_THAT(refs.out, AllOf(HasSubstr("refs/heads/other"),
                                Not(HasSubstr("refs/heads/main"))));
    repo_.WriteObject("commit", commit_content_);
  }
}

TEST_F(KeepGoingTest, LongListsEndWithACount) {
  for (int i = 0; i < 25; ++i) {
    Lose(repo_.WriteBlob("unreachable " + std::to_string(i)), Loss::kTruncated);
  }
  const ProcessResult result = KeepGoing();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("error: 5 more objects lost; --json"));
  EXPECT_EQ(KeepGoingJson()["lost_objects"].size(), 25U);
}

}  // namespace
}  // namespace zpack::testing
