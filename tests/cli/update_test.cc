// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'convert --update': a file that is up to date stays as it is, whatever
// differs is noticed, and so is damage.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/update_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

using UpdateTest = UpdateFixture;

TEST_F(UpdateTest, MakesTheFileIfThereIsNone) {
  const Json json = UpdateJson();
  EXPECT_EQ(json["update"], "created");
  EXPECT_TRUE(json["base"].is_null());
  const std::string updated = ReadFile(file_);
  ASSERT_TRUE(Convert({"-q"}).ok());
  EXPECT_TRUE(updated == ReadFile(file_));
}

TEST_F(UpdateTest, WithoutTheOptionThereIsNoOutcome) {
  EXPECT_TRUE(Json::parse(Convert({"--json"}).out)["update"].is_null());
}

TEST_F(UpdateTest, LeavesAFileThatIsUpToDate) {
  WriteHook("post-receive");
  WriteLfs("an object of LFS");
  const Json first = UpdateJson();
  const auto stamp = Stamp();
  const Json second = UpdateJson();
  EXPECT_EQ(second["update"], "unchanged");
  EXPECT_EQ(Stamp(), stamp);
  ExpectOnlyTheFile();
  for (const char* const key :
       {"objects", "raw_bytes", "types", "index_bytes", "file_bytes", "refs",
        "files", "content_of_files_bytes", "verified", "unverified_objects",
        "source_pack_bytes", "git_directory"}) {
    EXPECT_EQ(second[key], first[key]) << key;
  }
  EXPECT_EQ(second["base"]["copied_objects"], first["objects"]);
  EXPECT_EQ(second["base"]["added_objects"], 0);

  const ProcessResult text = Update();
  EXPECT_THAT(text.err, StartsWith("Unchanged: '" + file_ + "' has the " +
                                   first["objects"].dump() + " objects"));
  EXPECT_THAT(text.err,
              HasSubstr("; every object of the file was hashed, the contents "
                        "of the repository's objects were not read.\n"));
  EXPECT_THAT(SplitLines(text.err), ::testing::SizeIs(1));
  const ProcessResult quiet = Update({"-q"});
  EXPECT_EQ(quiet.out + quiet.err, "");
  // Another place of the objects, level or number of threads changes nothing.
  repo_.PackAll();
  EXPECT_EQ(Outcome({"--level", "3", "--threads", "1"}), "unchanged");
  EXPECT_EQ(Outcome({"--trust-base"}), "unchanged");
  EXPECT_EQ(Outcome({"--no-verify"}), "unchanged");
  EXPECT_EQ(Outcome({"--resume"}), "unchanged");
  EXPECT_EQ(Stamp(), stamp);
  ExpectOnlyTheFile();
}

TEST_F(UpdateTest, NoticesWhateverDiffers) {
  repo_.Git({"branch", "side"});
  repo_.Git({"branch", "other"});
  WriteHook("pre-push");
  WriteHook("post-update");
  ASSERT_EQ(Outcome(), "created");
  const std::string commit = Head();
  const auto git = [&](const std::vector<std::string>& arguments) {
    return [&, arguments] { repo_.Git(arguments); };
  };
  const std::vector<std::pair<const char*, std::function<void()>>> changes = {
      {"new commit", git({"commit", "-qm", "new", "--allow-empty"})},
      {"moved ref",
       [&] { WriteFile(InGitDir("refs/heads/side"), Head() + '\n'); }},
      {"removed ref", [&] { fs::remove(InGitDir("refs/heads/side")); }},
      {"new ref", [&] { WriteFile(InGitDir("refs/tags/new"), commit + '\n'); }},
      {"HEAD", git({"symbolic-ref", "HEAD", "refs/heads/other"})},
      {"detached HEAD", [&] { WriteFile(InGitDir("HEAD"), commit + '\n'); }},
      {"unreachable object", [&] { repo_.WriteBlob("nothing names this"); }},
      {"reflog",
       [&] {
         const std::string log = InGitDir("logs/refs/heads/other");
         const std::string text = ReadFile(log);
         WriteFile(log, text + text);
       }},
      {"removed reflog",
       [&] { fs::remove(InGitDir("logs/refs/heads/other")); }},
      {"hook",
       [&] { WriteFile(InGitDir("hooks/pre-push"), "#!/bin/sh\nexit 1\n"); }},
      {"mode of a hook",
       [&] {
         fs::permissions(InGitDir("hooks/post-update"), fs::perms::owner_exec,
                         fs::perm_options::remove);
       }},
      {"removed hook", [&] { fs::remove(InGitDir("hooks/pre-push")); }},
      {"description", [&] { WriteFile(InGitDir("description"), "mine\n"); }},
      {"setting", git({"config", "alias.x", "log"})},
      {"object of LFS", [&] { WriteLfs("large"); }},
      {"shallow boundary",
       [&] { WriteFile(InGitDir("shallow"), commit + '\n'); }}};
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    change();
    EXPECT_EQ(Outcome(), "updated");
    EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
    EXPECT_EQ(Outcome(), "unchanged");
  }
  ExpectOnlyTheFile();
}

TEST_F(UpdateTest, NoticesOtherOptions) {
  WriteHook("pre-push");
  repo_.WriteBlob("unreachable");
  WriteFile(InGitDir("notes"), "of nobody else");
  ASSERT_EQ(Outcome(), "created");
  // The last one ends where the first one began.
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--reachable"},
        {"--reachable", "--without", "hooks"},
        {"--without", "hooks"},
        {"--with", "notes"},
        {}}) {
    EXPECT_EQ(Outcome(options), "updated");
    const std::string updated = ReadFile(file_);
    EXPECT_EQ(Outcome(options), "unchanged");
    EXPECT_TRUE(updated == ReadFile(file_));
  }
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
}

TEST_F(UpdateTest, SaysHowMuchWasCopiedAndAdded) {
  const Json before = UpdateJson();
  repo_.Git({"commit", "-qm", "new", "--allow-empty"});
  const ProcessResult result = Update();
  EXPECT_THAT(result.err,
              AllOf(StartsWith("Converted "), HasSubstr("verified"),
                    HasSubstr("\nCopied " + before["objects"].dump() +
                              " objects in ")));
  EXPECT_THAT(result.err, HasSubstr(", added 1 in "));
  repo_.Git({"commit", "-qm", "newer", "--allow-empty"});
  const Json base = UpdateJson()["base"];
  EXPECT_EQ(base["copied_objects"], before["objects"].get<int>() + 1);
  EXPECT_EQ(base["added_objects"], 1);
  EXPECT_GT(base["added_bytes"], 0);
}

TEST_F(UpdateTest, ObjectsThatAreGoneConvertEverything) {
  const std::string blob = repo_.WriteBlob("gone");
  ASSERT_EQ(Outcome(), "created");
  fs::remove(repo_.LooseObjectPath(blob));
  const ProcessResult result = Update();
  EXPECT_TRUE(result.ok());
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("warning: cannot use '" + file_),
                    HasSubstr("such as " + blob), Not(HasSubstr("Copied"))));
  EXPECT_EQ(Outcome(), "unchanged");
}

// An unchanged repository must not hide a damaged file.
TEST_F(UpdateTest, NoticesDamage) {
  WriteHook("pre-push");
  ASSERT_EQ(Outcome(), "created");
  const std::string intact = ReadFile(file_);
  for (size_t i = 0; i < 36; ++i) {
    const size_t offset = intact.size() * i / 36 + i % 7;
    SCOPED_TRACE(offset);
    std::string damaged = intact;
    damaged.at(offset) ^= 0x10;
    WriteFile(file_, damaged);
    const std::vector<std::vector<std::string>> ways = {
        {}, {"--trust-base"}, {"--no-verify"}};
    const ProcessResult result = Update(ways.at(i % 3));
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, AllOf(StartsWith("fatal: "), HasSubstr(file_)));
    EXPECT_TRUE(ReadFile(file_) == damaged);
    if (i == 18) {
      EXPECT_THAT(result.err, HasSubstr("--force instead of --update"));
    }
  }
  for (const size_t size : {size_t{0}, size_t{40}, intact.size() - 1}) {
    WriteFile(file_, intact.substr(0, size));
    EXPECT_EQ(Update().exit_code, 128) << size;
  }
  ExpectOnlyTheFile();
}

TEST_F(UpdateTest, AnythingElseThanAZpackFileIsKept) {
  WriteFile(file_, "precious");
  EXPECT_EQ(Update().exit_code, 128);
  EXPECT_EQ(Update({"--force"}).exit_code, 128);
  EXPECT_EQ(ReadFile(file_), "precious");
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_EQ(Update().exit_code, 128);
  EXPECT_TRUE(fs::is_directory(file_));
}

TEST_F(UpdateTest, FollowsASymbolicLink) {
  ASSERT_EQ(Outcome(), "created");
  fs::rename(file_, dir_ / "out/target");
  fs::create_symlink("target", file_);
  EXPECT_EQ(Outcome(), "unchanged");
  repo_.WriteBlob("new");
  EXPECT_EQ(Outcome(), "updated");
  EXPECT_TRUE(fs::is_symlink(file_));
  EXPECT_TRUE(VerifyAgainst(repo_.path()).ok());
}

TEST_F(UpdateTest, WarnsThatTheParityIsLost) {
  ASSERT_EQ(Outcome(), "created");
  ASSERT_TRUE(RunZpack({"protect", "-q", file_}).ok());
  const auto stamp = Stamp();
  EXPECT_EQ(Outcome(), "unchanged");
  EXPECT_EQ(Stamp(), stamp);
  repo_.WriteBlob("new");
  EXPECT_THAT(Update().err, HasSubstr("warning: not included: the parity of '" +
                                      file_ + "'; add it again with "));
}

TEST_F(UpdateTest, AddsParityThatIsMissing) {
  ASSERT_EQ(Outcome(), "created");
  const Json added = UpdateJson({"--redundancy", "20%"});
  EXPECT_GT(added["parity_bytes"], 0);
  EXPECT_THAT(RunZpack({"verify", file_}).out, HasSubstr("parity: "));
  const auto stamp = Stamp();
  const Json again = UpdateJson({"--redundancy", "20%"});
  EXPECT_EQ(again["update"], "unchanged");
  EXPECT_GT(again["parity_bytes"], 0);
  EXPECT_EQ(Stamp(), stamp);
}

TEST_F(UpdateTest, WarnsOfParityBesideTheFile) {
  ASSERT_EQ(Outcome(), "created");
  ASSERT_TRUE(RunZpack({"protect", "-q", "--beside", file_}).ok());
  EXPECT_THAT(Update().err, Not(HasSubstr(".zpar")));
  repo_.WriteBlob("new");
  EXPECT_THAT(Update().err, HasSubstr("warning: '" + file_ +
                                      ".zpar' is the parity of another "
                                      "version of '"));
}

TEST_F(UpdateTest, SaysWhenCopiedBlocksAreCompressedLess) {
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text += "line " + std::to_string(i * i % 1009) + " of the text\n";
  }
  repo_.WriteBlob(text);
  ASSERT_EQ(Outcome({"--level", "1"}), "created");
  repo_.WriteBlob("new");
  const ProcessResult better = Update({"--level", "19"});
  EXPECT_THAT(better.err, HasSubstr("hint: about "));
  repo_.WriteBlob("newer");
  EXPECT_THAT(Update({"--level", "1"}).err, Not(HasSubstr("hint: ")));
  // Converted at one level, nothing can be gained.
  ASSERT_TRUE(Convert({"-q", "--level", "19"}).ok());
  repo_.WriteBlob("newest");
  EXPECT_EQ(UpdateJson({"--level", "19"})["base"]["weaker_bytes"], 0);
}

TEST_F(UpdateTest, HasItsOwnBase) {
  ASSERT_EQ(Outcome(), "created");
  const ProcessResult result = Update({"--base", file_});
  EXPECT_EQ(result.exit_code, 129);
  EXPECT_THAT(result.err, HasSubstr("'--base' and '--update'"));
}

}  // namespace
}  // namespace zpack::testing
