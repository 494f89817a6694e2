// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What each command says of a file of a partial clone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class PartialCloneCommandsTest : public ::testing::Test {
 protected:
  PartialCloneCommandsTest() {
    const RepoBuilder base(dir_ / "base");
    base.SetRef("refs/heads/main", base.SimpleCommit("only"));
    base.Git({"config", "uploadpack.allowFilter", "true"});
    blob_ = base.Git({"rev-parse", "main:file"});
    EXPECT_TRUE(RunGit({"clone", "-q", "--bare", "--filter=blob:none",
                        "file://" + base.path(), clone_},
                       dir_.path())
                    .ok());
  }

  ProcessResult Convert(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"convert", "-f", "--allow-promised"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {clone_, file_});
    return RunZpack(arguments);
  }
  void ConvertIt() const {
    const ProcessResult converted = Convert();
    ASSERT_TRUE(converted.ok()) << converted.err;
  }
  std::string Url() const { return "file://" + dir_.path() + "/base"; }

  TempDir dir_;
  std::string clone_ = dir_ / "clone";
  std::string file_ = dir_ / "x.zpack";
  std::string blob_;  // the only missing object
};

TEST_F(PartialCloneCommandsTest, ConvertCountsWhatIsPromised) {
  const ProcessResult converted = Convert();
  ASSERT_TRUE(converted.ok());
  EXPECT_THAT(converted.err,
              HasSubstr("\n1 promised object is not in the file.\n"));
  const Json json = Json::parse(Convert({"--json"}).out);
  EXPECT_EQ(json["promised_objects"], 1);
}

TEST_F(PartialCloneCommandsTest, ConvertStoresNoCredentials) {
  const RepoBuilder clone = RepoBuilder::Existing(clone_);
  clone.Git({"config", "remote.origin.url", "https://me:hunter@h/x.git"});
  const ProcessResult converted = Convert();
  ASSERT_TRUE(converted.ok());
  EXPECT_THAT(converted.err,
              AllOf(HasSubstr("warning: not included: the credentials in the "
                              "URL of remote 'origin'\n"),
                    Not(HasSubstr("hunter"))));
  const std::string bytes = ReadFile(file_);
  EXPECT_EQ(bytes.find("hunter"), std::string::npos);
  EXPECT_NE(bytes.find("https://h/x.git"), std::string::npos);
}

TEST_F(PartialCloneCommandsTest, VerifyCountsWhatIsPromised) {
  ConvertIt();
  EXPECT_EQ(RunZpack({"verify", "--level=connectivity", file_}).out,
            file_ +
                ": ok, 2 of 2 objects verified, connectivity ok; 1 promised "
                "object is not in the file\n");
  const Json json = Json::parse(RunZpack({"verify", "--json", file_}).out);
  EXPECT_EQ(json["promised_objects"], 1);
  EXPECT_EQ(json["ok"], true);
}

TEST_F(PartialCloneCommandsTest, RestoreSaysWhereGitFetchesFrom) {
  ConvertIt();
  const ProcessResult restored =
      RunZpack({"restore", file_, dir_ / "restored"});
  EXPECT_THAT(restored.err,
              HasSubstr("hint: 1 promised object is not in the file; Git "
                        "fetches what it needs from '" +
                        Url() + "'\n"));
  const Json json =
      Json::parse(RunZpack({"restore", "--json", file_, dir_ / "again"}).out);
  EXPECT_EQ(json["promised_objects"], 1);
  EXPECT_EQ(
      json["promisor_remotes"][0],
      Json({{"name", "origin"}, {"url", Url()}, {"filter", "blob:none"}}));
}

// The file may be anybody's, and so may be its URL.
TEST_F(PartialCloneCommandsTest, CheckoutFetchesNothing) {
  ConvertIt();
  const std::string place = dir_ / "work";
  const ProcessResult restored =
      RunZpack({"restore", "--checkout", file_, place});
  EXPECT_EQ(restored.exit_code, 0) << restored.err;
  EXPECT_THAT(restored.err, AllOf(HasSubstr("hint: nothing is checked out"),
                                  HasSubstr("from '" + Url() + "'\n")));
  EXPECT_THAT(ListDirectory(place), ::testing::ElementsAre(".git"));
  RepoBuilder::Existing(place).Git({"reset", "--hard", "-q"});
  EXPECT_TRUE(std::filesystem::exists(place + "/file"));
}

TEST_F(PartialCloneCommandsTest, ShowNamesTheRemote) {
  ConvertIt();
  EXPECT_THAT(
      RunZpack({"show", file_}).out,
      AllOf(HasSubstr("promised objects   1\npromisor remote    origin, " +
                      Url() + ", filter blob:none\n"),
            HasSubstr("PROM")));
  const Json json = Json::parse(RunZpack({"show", "--json", file_}).out);
  EXPECT_EQ(json["promised_objects"], 1);
  EXPECT_EQ(json["promisor_remotes"][0]["url"], Url());
}

TEST_F(PartialCloneCommandsTest, CatFileSaysThatAnObjectIsPromised) {
  ConvertIt();
  const std::string message =
      "fatal: object " + blob_ + " is promised, not in '" + file_ + "'\n";
  for (const char* mode : {"-t", "-s", "-p"}) {
    const ProcessResult result = RunZpack({"cat-file", mode, file_, blob_});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_EQ(result.err, message);
  }
  EXPECT_EQ(RunZpack({"cat-file", "-e", file_, blob_}).exit_code, 1);
  ProcessOptions input;
  input.input = blob_ + "\n";
  EXPECT_EQ(RunZpack({"cat-file", "--batch", file_}, input).out,
            blob_ + " missing\n");
}

TEST_F(PartialCloneCommandsTest, RevListEndsAtAPromisedObject) {
  ConvertIt();
  EXPECT_TRUE(RunZpack({"rev-list", "--all", file_}).ok());
  const ProcessResult objects =
      RunZpack({"rev-list", "--objects", "--all", file_});
  EXPECT_EQ(objects.exit_code, 128);
  EXPECT_THAT(objects.err,
              HasSubstr("object " + blob_ +
                        " is promised, not in the file, needed by tree"));
}

TEST_F(PartialCloneCommandsTest, IsNotServed) {
  ConvertIt();
  const ProcessResult served = RunZpack({"upload-pack", file_});
  EXPECT_EQ(served.exit_code, 128);
  EXPECT_EQ(served.out, "");
  EXPECT_EQ(served.err, "fatal: '" + file_ +
                            "' is a partial clone and cannot be served; "
                            "restore it\n");
}

TEST_F(PartialCloneCommandsTest, IsRepacked) {
  const ProcessResult repacked = RunZpack({"repack", "-q", "-d", clone_});
  EXPECT_EQ(repacked.exit_code, 0) << ::testing::PrintToString(repacked);
  EXPECT_TRUE(RunGit({"fsck", "--full"}, clone_).ok());
}

}  // namespace
}  // namespace zpack::testing
