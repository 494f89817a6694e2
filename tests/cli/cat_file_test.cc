// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'git-zpack cat-file' answers as 'git cat-file' does, for every object of a
// repository full of odd ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two contents whose blob ids share the first four digits, and no more.
std::pair<std::string, std::string> CollidingBlobs() {
  std::map<std::string, std::string> by_prefix;
  for (int i = 0;; ++i) {
    const std::string content = "blob " + std::to_string(i);
    const std::string prefix = HashObject("blob", content).substr(0, 4);
    const auto [at, inserted] = by_prefix.emplace(prefix, content);
    if (!inserted) return {at->second, content};
  }
}

class CatFileTest : public ::testing::Test {
 protected:
  CatFileTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    tip_ = repo_.History(3);
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip_, "commit", "v1"));
    const std::string blob = repo_.WriteBlob(std::string("nul \0 \xff\r\n", 9));
    const std::string tree = repo_.WriteTree("");
    CommitFields fields;
    fields.tree = repo_.WriteTree(
        TreeEntryBytes("100600", "old mode", blob) +
        TreeEntryBytes("100664", "group may write", blob) +
        TreeEntryBytes("100777", "all may", blob) +
        TreeEntryBytes("0", "no mode", blob) +
        TreeEntryBytes("777777777", "all bits", blob) +
        TreeEntryBytes("7777777777740000", "wide", blob) +
        TreeEntryBytes("10000", "odd", blob) +
        TreeEntryBytes("120777", "odd link", blob) +
        TreeEntryBytes("0100644", "padded", blob) +
        TreeEntryBytes("100644", "tab\tand\nline", blob) +
        TreeEntryBytes("100644", "quote\"back\\slash", blob) +
        TreeEntryBytes("100644", "bell\a\b\v\f\r\x1b\x7f", blob) +
        TreeEntryBytes("100644", "la\xe4tin", blob) +
        TreeEntryBytes("100644", "utf8-\xc3\xa4", blob) +
        TreeEntryBytes("100644", " leading and trailing ", blob) +
        TreeEntryBytes("40000", "dir", tree) +
        TreeEntryBytes("040000", "padded dir", tree) +
        TreeEntryBytes("120000", "link", blob) +
        TreeEntryBytes("160000", "module", FakeId('b')));
    fields.parents = {tip_};
    fields.message = std::string("odd\r\n\0message", 13);
    tip_ = repo_.WriteCommit(fields);
    repo_.SetRef("refs/heads/main", tip_);
    const auto [one, two] = CollidingBlobs();
    ambiguous_ = {repo_.WriteBlob(one), repo_.WriteBlob(two)};
    std::ranges::sort(ambiguous_);
  }

  void Convert() const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
  }

  ProcessResult Ours(const std::string& mode, const std::string& object) const {
    return RunZpack({"cat-file", mode, file_, object});
  }
  ProcessResult Gits(const std::string& mode, const std::string& object) const {
    return repo_.TryGit({"cat-file", mode, object});
  }

  void ExpectSame(const std::string& mode, const std::string& object) const {
    const ProcessResult ours = Ours(mode, object);
    const ProcessResult gits = Gits(mode, object);
    EXPECT_EQ(ours.exit_code, gits.exit_code) << mode << ' ' << object;
    EXPECT_EQ(ours.out, gits.out) << mode << ' ' << object;
    EXPECT_EQ(ours.err.empty(), gits.err.empty()) << ours.err << gits.err;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::string tip_;
  std::vector<std::string> ambiguous_;
};

TEST_F(CatFileTest, EveryObjectLooksTheSame) {
  Convert();
  const std::vector<std::string> ids = SplitLines(repo_.Git(
      {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}));
  ASSERT_GT(ids.size(), 20U);
  for (const std::string& id : ids) {
    for (const char* const mode : {"-t", "-s", "-p", "-e"}) {
      ExpectSame(mode, id);
    }
  }
}

TEST_F(CatFileTest, ContentOfATypeIsThatOfGit) {
  repo_.SetRef(
      "refs/tags/deep",
      repo_.WriteTag(repo_.Git({"rev-parse", "v1"}).substr(0, tip_.size()),
                     "tag", "deep"));
  Convert();
  std::vector<std::string> names = SplitLines(repo_.Git(
      {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}));
  names.insert(names.end(),
               {"v1", "deep", "HEAD", "main^{tree}", "none", FakeId('0')});
  for (const std::string& name : names) {
    for (const char* const type : {"commit", "tree", "blob", "tag"}) {
      const ProcessResult gits = repo_.TryGit({"cat-file", type, name});
      const ProcessResult ours = RunZpack({"cat-file", file_, type, name});
      EXPECT_EQ(ours.exit_code, gits.exit_code) << type << ' ' << name;
      EXPECT_EQ(ours.out, gits.out) << type << ' ' << name;
      EXPECT_EQ(ours.err.empty(), gits.err.empty()) << ours.err << gits.err;
    }
  }
  EXPECT_THAT(RunZpack({"cat-file", file_, "bolb", "HEAD"}).err,
              HasSubstr("fatal: invalid object type \"bolb\""));
  EXPECT_EQ(RunZpack({"cat-file", file_, "HEAD"}).exit_code, 129);
  EXPECT_EQ(RunZpack({"cat-file", "-t", file_, "blob", "HEAD"}).exit_code, 129);
}

TEST_F(CatFileTest, NamesResolveAsInGit) {
  repo_.SetRef("refs/heads/v1", tip_);  // hidden by the tag
  repo_.SetRef("refs/remotes/origin/main", tip_);
  repo_.WriteLooseRef("refs/remotes/origin/HEAD",
                      "ref: refs/remotes/origin/main\n");
  repo_.SetRef("refs/heads/nested/name", tip_);
  repo_.SetRef("refs/one-level", tip_);
  repo_.SetRef("refs/heads/dead", tip_);  // also looks like an abbreviation
  repo_.SetRef("refs/heads/la\xe4tin", tip_);
  repo_.WriteLooseRef("refs/heads/dangling", "ref: refs/heads/gone\n");
  Convert();
  for (const char* const name :
       {"HEAD", "@", "main", "heads/main", "refs/heads/main", "v1", "tags/v1",
        "refs/tags/v1", "heads/v1", "origin", "origin/main", "origin/HEAD",
        "nested/name", "one-level", "refs/one-level", "dead", "la\xe4tin"}) {
    const ProcessResult gits = Gits("-p", name);
    ASSERT_EQ(gits.exit_code, 0) << name << gits.err;
    EXPECT_EQ(Ours("-p", name).out, gits.out) << name;
    EXPECT_EQ(Ours("-t", name).out, Gits("-t", name).out) << name;
  }
  for (const char* const name :
       {"gone", "refs/heads", "refs/heads/", "/main", "main/", "dangling",
        "heads", "", "-", "MAIN", "remotes/origin", "nested", "refs", "zzzz",
        "123"}) {
    EXPECT_NE(Gits("-p", name).exit_code, 0) << name;
    const ProcessResult ours = Ours("-p", name);
    EXPECT_EQ(ours.exit_code, 128) << name;
    EXPECT_EQ(ours.out, "");
    EXPECT_THAT(ours.err, ::testing::StartsWith("fatal: "));
  }
}

TEST_F(CatFileTest, AbbreviationsResolveAsInGit) {
  Convert();
  std::string upper = tip_;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  for (const std::string& name :
       {tip_.substr(0, 39), tip_.substr(0, 20), tip_.substr(0, 10), upper,
        upper.substr(0, 11), ambiguous_[0].substr(0, 12)}) {
    ExpectSame("-t", name);
    ExpectSame("-p", name);
  }
  // Too short, too long, no id.
  for (const std::string& name :
       {tip_.substr(0, 3), tip_ + std::string(25, '0'),
        tip_.substr(0, 10) + "g"}) {
    EXPECT_EQ(Gits("-t", name).exit_code, 128) << name;
    EXPECT_EQ(Ours("-t", name).exit_code, 128) << name;
  }
  // Git 2.45 and later take up to 64 digits that begin with an id for it.
  EXPECT_EQ(Ours("-t", tip_ + "0").exit_code, 128);
}

TEST_F(CatFileTest, AmbiguousAbbreviationListsTheCandidates) {
  Convert();
  const std::string prefix = ambiguous_[0].substr(0, 4);
  ASSERT_EQ(Gits("-t", prefix).exit_code, 128);
  for (const char* const mode : {"-t", "-s", "-p", "-e"}) {
    const ProcessResult ours = Ours(mode, prefix);
    EXPECT_EQ(ours.exit_code, 128) << mode;
    EXPECT_EQ(ours.out, "");
    EXPECT_THAT(ours.err,
                HasSubstr("short object id " + prefix + " is ambiguous"));
    EXPECT_THAT(ours.err, HasSubstr(ambiguous_[0] + " blob"));
    EXPECT_THAT(ours.err, HasSubstr(ambiguous_[1] + " blob"));
  }
}

TEST_F(CatFileTest, RefHidesAmbiguousAbbreviation) {
  const std::string prefix = ambiguous_[0].substr(0, 4);
  repo_.SetRef("refs/heads/" + prefix, tip_);
  Convert();
  EXPECT_EQ(Ours("-t", prefix).out, "commit\n");
  EXPECT_EQ(Gits("-t", prefix).out, "commit\n");
}

TEST_F(CatFileTest, FullIdIsNeverARef) {
  // A branch that has an object's id for a name.
  const std::string blob = ambiguous_[0];
  repo_.SetRef("refs/heads/" + blob, tip_);
  Convert();
  EXPECT_EQ(Ours("-t", blob).out, "blob\n");
  EXPECT_EQ(Gits("-t", blob).out, "blob\n");
}

TEST_F(CatFileTest, MissingObjectAnswersNo) {
  Convert();
  const std::string gone = FakeId('4');
  ExpectSame("-e", gone);
  EXPECT_EQ(Ours("-e", gone).exit_code, 1);
  EXPECT_EQ(Ours("-e", "nowhere").exit_code, 128);
  EXPECT_EQ(Gits("-e", "nowhere").exit_code, 128);
  for (const char* const mode : {"-t", "-s", "-p"}) {
    EXPECT_EQ(Ours(mode, gone).exit_code, 128);
    EXPECT_EQ(Gits(mode, gone).exit_code, 128);
    EXPECT_THAT(Ours(mode, gone).err, HasSubstr(gone));
  }
}

TEST_F(CatFileTest, TheEmptyTreeNeedNotBeStored) {
  repo_.SetRef("refs/heads/empty", repo_.WriteCommit({}));
  repo_.SetRef("refs/tags/tree", kEmptyTree);
  repo_.SetRef("refs/tags/tag", repo_.WriteTag(kEmptyTree, "tree", "tag"));
  for (const bool stored : {true, false}) {
    if (!stored) std::filesystem::remove(repo_.LooseObjectPath(kEmptyTree));
    Convert();
    for (const std::string mode : {"-t", "-s", "-p", "-e"}) {
      for (const std::string name : {kEmptyTree, "empty^{tree}", "tree",
                                     "tag^{}", "empty:", "empty:file"}) {
        ExpectSame(mode, name);
      }
    }
    const auto expect_same_batch = [&](std::vector<std::string> arguments) {
      ProcessOptions process;
      process.input = std::string(kEmptyTree) + "\nempty:\ntree\n";
      arguments.insert(arguments.begin(), "cat-file");
      const ProcessResult gits = repo_.TryGit(arguments, process.input);
      arguments.push_back(file_);
      EXPECT_EQ(RunZpack(arguments, process).out, gits.out)
          << ::testing::PrintToString(arguments);
    };
    expect_same_batch({"--batch-check"});
    expect_same_batch({"--batch"});
    expect_same_batch({"--batch-check", "--batch-all-objects"});
  }
}

TEST_F(CatFileTest, DamagedIndexIsAnErrorAndNotAMissingObject) {
  Convert();
  std::string bytes = ReadFile(file_);
  // The last byte of the ids.
  const size_t at = bytes.find("ONBP") - 9;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  WriteFile(file_, bytes);
  const std::string gone = FakeId('4');
  for (const char* const mode : {"-e", "-t", "-p"}) {
    EXPECT_EQ(Ours(mode, gone).exit_code, 128);
    EXPECT_THAT(Ours(mode, gone).err, HasSubstr("chunk 'OIDP' at offset"));
  }
  for (const std::string& name : {gone, std::string("44444")}) {
    ProcessOptions process;
    process.input = name + "\n";
    const ProcessResult batch =
        RunZpack({"cat-file", "--batch-check", file_}, process);
    EXPECT_EQ(batch.exit_code, 128);
    EXPECT_EQ(batch.out, "");
    EXPECT_THAT(batch.err, HasSubstr("chunk 'OIDP' at offset"));
  }
  EXPECT_EQ(RunZpack({"show", file_}).exit_code, 128);
  EXPECT_EQ(RunZpack({"verify", "--level=structure", file_}).exit_code, 1);
  // What is found hashes to its id.
  EXPECT_EQ(Ours("-p", ambiguous_[0]).out, Gits("-p", ambiguous_[0]).out);
}

TEST_F(CatFileTest, MalformedTreeFailsWithoutACrash) {
  const std::string broken = repo_.WriteTree("100644 no end");
  const std::string cut = repo_.WriteTree(
      TreeEntryBytes("100644", "good", repo_.WriteBlob("")) + "100644 x");
  Convert();
  for (const std::string& id : {broken, cut}) {
    EXPECT_EQ(Ours("-t", id).out, "tree\n");
    EXPECT_EQ(Ours("-s", id).out, Gits("-s", id).out);
    EXPECT_EQ(Ours("-p", id).exit_code, 128);
    EXPECT_THAT(Ours("-p", id).err, HasSubstr("malformed tree"));
  }
}

TEST_F(CatFileTest, UnbornHeadIsNotFound) {
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/unborn"});
  Convert();
  EXPECT_EQ(Ours("-p", "HEAD").exit_code, 128);
  EXPECT_EQ(Gits("-p", "HEAD").exit_code, 128);
}

TEST_F(CatFileTest, APathAloneIsFoundInHead) {
  Convert();
  EXPECT_EQ(Ours("-p", "link").err, "fatal: no object or ref 'link' in '" +
                                        file_ +
                                        "'; did you mean 'HEAD:link'?\n");
  for (const std::string name : {"none", "none/link", "", "HEAD:none"}) {
    const ProcessResult result = Ours("-p", name);
    EXPECT_EQ(result.exit_code, 128) << name;
    EXPECT_THAT(result.err, Not(HasSubstr("did you mean"))) << name;
  }
  EXPECT_THAT(RunZpack({"ls-tree", file_, "dir"}).err,
              HasSubstr("; did you mean 'HEAD:dir'?\n"));
  EXPECT_THAT(RunZpack({"archive", file_, "dir"}).err,
              HasSubstr("; did you mean 'HEAD:dir'?\n"));
}

TEST_F(CatFileTest, ObjectInASegmentedBlockIsWhole) {
  const std::string large = RandomBytes(9, 200000) + std::string(100000, 'x');
  const std::string id = repo_.WriteBlob(large);
  ASSERT_EQ(
      RunZpack({"convert", "-q", "--block-size", "16k", repo_.path(), file_})
          .exit_code,
      0);
  EXPECT_TRUE(Ours("-p", id).out == large);
  EXPECT_EQ(Ours("-s", id).out, "300000\n");
}

}  // namespace
}  // namespace zpack::testing
