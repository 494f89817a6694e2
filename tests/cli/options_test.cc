// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line accepts and refuses, with Git's exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> AllCommands() {
  std::vector<std::string> names;
  for (const cli::Command& command : cli::Commands()) {
    names.emplace_back(command.name);
  }
  return names;
}

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(2);
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  void ExpectUsageError(const std::vector<std::string>& arguments,
                        const std::string& why) {
    const ProcessResult result = RunZpack(arguments);
    EXPECT_EQ(result.exit_code, 129) << ::testing::PrintToString(arguments);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr(why))
        << ::testing::PrintToString(arguments);
    // One line, which names the help.
    EXPECT_THAT(SplitLines(result.err), ::testing::SizeIs(1));
    EXPECT_THAT(result.err,
                HasSubstr("See 'git-zpack " + arguments.front() + " --help'."));
  }

  void ExpectFailure(const std::vector<std::string>& arguments,
                     const std::string& why) {
    const ProcessResult result = RunZpack(arguments);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(arguments);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, StartsWith("fatal: "));
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_THAT(SplitLines(result.err), ::testing::SizeIs(1));
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(OptionsTest, NoArgumentsShowTheUsageAsAnError) {
  const ProcessResult result = RunZpack({});
  EXPECT_EQ(result.exit_code, 129);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, StartsWith("usage: git-zpack"));
}

TEST_F(OptionsTest, HelpGoesToStandardOutput) {
  for (const char* const help : {"--help", "-h", "help"}) {
    const ProcessResult result = RunZpack({help});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err, IsEmpty());
    for (const std::string& command : AllCommands()) {
      EXPECT_THAT(result.out, HasSubstr(command));
    }
  }
}

TEST_F(OptionsTest, EveryCommandHasHelp) {
  for (const std::string& command : AllCommands()) {
    for (const char* const help : {"--help", "-h"}) {
      // As in Git, another option unless it stands alone.
      if (command == "grep" && std::string_view(help) == "-h") continue;
      // Whatever else is wrong.
      const ProcessResult result = RunZpack({command, "--no-such", help});
      EXPECT_EQ(result.exit_code, 0) << command;
      EXPECT_THAT(result.err, IsEmpty());
      EXPECT_THAT(result.out, StartsWith("usage: git-zpack " + command));
    }
  }
}

TEST_F(OptionsTest, VersionNamesTheFormat) {
  const ProcessResult result = RunZpack({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, ::testing::ContainsRegex(
                              "^git-zpack version [0-9.]+ \\(format [0-9]"));
}

TEST_F(OptionsTest, UnknownCommandIsNamed) {
  const ProcessResult result = RunZpack({"convertt", "a", "b"});
  EXPECT_EQ(result.exit_code, 129);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("'convertt' is not a git-zpack command, "
                                    "did you mean 'convert'? See"));
  EXPECT_THAT(RunZpack({"serve"}).err,
              HasSubstr("did you mean 'http-backend', 'shell' or"));
  EXPECT_THAT(RunZpack({"frobnicate"}).err,
              HasSubstr("'frobnicate' is not a git-zpack command. See"));
}

TEST_F(OptionsTest, CommandsOfOtherProgramsGetASuggestion) {
  for (const auto& [typed, suggested] :
       std::vector<std::pair<std::string, std::string>>{
           {"list", "'list-refs'"},
           {"info", "'show'"},
           {"check", "'verify'"},
           {"create", "'convert'"},
           {"extract", "'restore'"}}) {
    const ProcessResult result = RunZpack({typed});
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_THAT(result.err, HasSubstr("'" + typed +
                                      "' is not a git-zpack command, did you "
                                      "mean " +
                                      suggested));
  }
}

TEST_F(OptionsTest, ASurplusArgumentIsNamed) {
  ExpectUsageError({"restore", file_, dir_ / "new", "third"},
                   "unexpected argument 'third'");
  ExpectUsageError({"list-files", file_, "second"},
                   "unexpected argument 'second'");
  ExpectUsageError({"convert", repo_.path(), dir_ / "y.zpack", "a", "b"},
                   "unexpected argument 'a'");
}

// As a caller that reads the output expects.
TEST_F(OptionsTest, ErrorsAreJsonAsWell) {
  const std::string none = dir_ / "none.zpack";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{
           {"verify", "--json", none},
           {"show", "--json", none},
           {"list-refs", "--json", none},
           {"list-files", "--json", none},
           {"diff", "--json", none, file_},
           {"report", "--json", none},
           {"restore", "--json", none, dir_ / "r"},
           {"salvage", "--json", none, dir_ / "r"},
           {"convert", "--json", dir_ / "none", dir_ / "y.zpack"},
           {"repack", "--json", dir_ / "none"}}) {
    const ProcessResult result = RunZpack(arguments);
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, StartsWith("fatal: "));
    const auto json = nlohmann::json::parse(result.out);
    const auto& error = json["error"];
    EXPECT_THAT(error["code"].get<std::string>(),
                ::testing::AnyOf("not-found", "git"))
        << ::testing::PrintToString(arguments);
    EXPECT_THAT(result.err, HasSubstr(error["message"].get<std::string>()));
  }
  const ProcessResult usage = RunZpack({"show", "--json", "--frobnicate", "x"});
  EXPECT_EQ(usage.exit_code, 129);
  EXPECT_EQ(nlohmann::json::parse(usage.out)["error"]["code"], "usage");
}

TEST_F(OptionsTest, OptionsThatOnlyGitHasLeadToGit) {
  ExpectUsageError({"rev-list", file_, "--since=yesterday", "HEAD"},
                   "'git zpack exec <file> git rev-list --since ...'");
  ExpectUsageError({"rev-list", file_, "--oneline", "HEAD"},
                   "git rev-list --oneline");
  // One of ours is nearly the same.
  for (const auto& [command, option] :
       {std::pair("cat-file", "--filters"), std::pair("cat-file", "--path"),
        std::pair("ls-tree", "--no-full-name"),
        std::pair("archive", "--no-prefix"), std::pair("archive", "--mtime"),
        std::pair("archive", "-9")}) {
    ExpectUsageError({command, option, file_, "HEAD"},
                     std::string("'git zpack exec <file> git ") + command +
                         ' ' + option + " ...'");
  }
  const ProcessResult path = RunZpack({"rev-list", file_, "HEAD", "--", "a"});
  EXPECT_EQ(path.exit_code, 128);
  EXPECT_THAT(path.err, HasSubstr("git zpack log --format=%H"));
}

TEST_F(OptionsTest, MistypedOptionsGetASuggestion) {
  ExpectUsageError({"verify", "--levle", "objects", file_},
                   "unknown option '--levle', did you mean '--level'?");
  ExpectUsageError({"convert", "--proflie=max", repo_.path(), dir_ / "y"},
                   "unknown option '--proflie', did you mean '--profile'?");
  ExpectUsageError({"verify", "--frobnicate", file_},
                   "unknown option '--frobnicate'. See");
}

TEST_F(OptionsTest, HelpOfACommand) {
  ProcessOptions no_man;
  no_man.environment = {"PATH=" + dir_.path()};
  const ProcessResult result =
      RunProcess({ZpackBinary(), "help", "verify"}, no_man);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, RunZpack({"verify", "--help"}).out);
  const ProcessResult unknown = RunZpack({"help", "verfy"});
  EXPECT_EQ(unknown.exit_code, 129);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'verify'?"));
  EXPECT_EQ(RunZpack({"help", "verify", "x"}).exit_code, 129);
  // Those that Git's table of commands has, too.
  EXPECT_EQ(RunZpack({"help", "help"}).out, RunZpack({"--help"}).out);
  EXPECT_EQ(RunZpack({"help", "version"}).out,
            RunZpack({"version", "--help"}).out);
  EXPECT_EQ(RunZpack({"help", "version"}).exit_code, 0);
}

TEST_F(OptionsTest, HelpShowsTheManualPageIfThereIsOne) {
  // A man(1) that knows one page.
  const std::string man = dir_ / "man";
  WriteFile(man,
            "#!/bin/sh\n[ \"$1\" = -w ] && shift\n"
            "[ \"$2\" = git-zpack-verify ] && echo \"page $2\"\n");
  RunProcess({"chmod", "+x", man});
  ProcessOptions with_man;
  with_man.environment = {"PATH=" + dir_.path() + ":/usr/bin:/bin"};
  EXPECT_EQ(RunProcess({ZpackBinary(), "help", "verify"}, with_man).out,
            "page git-zpack-verify\n");
  const ProcessResult other =
      RunProcess({ZpackBinary(), "help", "show"}, with_man);
  EXPECT_THAT(other.out, StartsWith("usage: git-zpack show"));
  EXPECT_THAT(other.err, IsEmpty());
}

TEST_F(OptionsTest, DiesSilentlyOfAClosedPipeWhateverItsParentIgnores) {
  const std::string fifo = dir_ / "fifo";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"log", file_},
                                             {"list-refs", file_},
                                             {"cat-file", "-p", file_, "HEAD"},
                                             {"--help"},
                                             {"version"}}) {
    std::vector<std::string> words = {"bash",
                                      "-c",
                                      R"(fifo=$1; shift; trap '' PIPE
                                         mkfifo "$fifo"
                                         exec 4<>"$fifo" 5>"$fifo" 4<&-
                                         rm "$fifo"; "$@" >&5)",
                                      "bash",
                                      fifo,
                                      ZpackBinary()};
    words.insert(words.end(), command.begin(), command.end());
    const ProcessResult result = RunProcess(words);
    EXPECT_EQ(result.exit_code, 141) << command.front();
    EXPECT_THAT(result.err, IsEmpty()) << command.front();
  }
}

TEST_F(OptionsTest, VersionNamesWhatItWasBuiltWith) {
  for (const char* const option : {"--build-options", "--verbose"}) {
    const ProcessResult result = RunZpack({"version", option});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, StartsWith("git-zpack version "));
    for (const char* const name : {"zstd", "libgit2", "zlib", "OpenSSL"}) {
      EXPECT_THAT(result.out, ::testing::ContainsRegex(
                                  "\n" + std::string(name) + ": [0-9]+[.]"));
    }
    EXPECT_THAT(result.out, HasSubstr("\nparity: "));
    EXPECT_THAT(result.out, HasSubstr("\nhashing: "));
    EXPECT_THAT(result.out, ::testing::ContainsRegex("\nfeatures: .*deltas"));
  }
  EXPECT_EQ(RunZpack({"--version", "--verbose"}).out,
            RunZpack({"version", "--build-options"}).out);
  for (const char* const help : {"--help", "-h"}) {
    const ProcessResult result = RunZpack({"version", help});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "usage: git-zpack version [--build-options]\n");
    EXPECT_EQ(RunZpack({"help", help}).out, RunZpack({"--help"}).out);
  }
  const ProcessResult wrong = RunZpack({"version", "--build-option"});
  EXPECT_EQ(wrong.exit_code, 129);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean '--build-options'?"));
}

TEST_F(OptionsTest, UnknownOptionIsNamed) {
  for (const std::string& command : AllCommands()) {
    ExpectUsageError({command, "--no-such-option", file_}, "no-such-option");
    ExpectUsageError({command, "-Y", file_}, "-Y");
  }
}

TEST_F(OptionsTest, AbbreviatedOptionsAreNotGuessed) {
  ExpectUsageError({"convert", "--thr", "2", repo_.path(), dir_ / "y"},
                   "'--thr'");
  ExpectUsageError({"convert", "--forc", repo_.path(), dir_ / "y"}, "--forc");
  ExpectUsageError({"verify", "--lev", "objects", file_}, "--lev");
  ExpectUsageError({"cat-file", "--batch-a", file_}, "--batch-a");
  EXPECT_FALSE(Exists(dir_ / "y"));
}

TEST_F(OptionsTest, MissingArgumentsAreNamed) {
  ExpectUsageError({"convert"}, "missing <repository>");
  ExpectUsageError({"convert", repo_.path()}, "missing <file>");
  ExpectUsageError({"verify"}, "missing <file>");
  ExpectUsageError({"restore", file_}, "missing <directory>");
  ExpectUsageError({"show"}, "missing <file>");
  ExpectUsageError({"list-refs"}, "missing <file>");
  ExpectUsageError({"cat-file", "-p", file_}, "missing <object>");
  ExpectUsageError({"cat-file", file_, "HEAD"}, "exactly one of");
}

TEST_F(OptionsTest, TooManyArgumentsAreRefused) {
  ExpectUsageError({"convert", repo_.path(), dir_ / "y", "z"},
                   "unexpected argument 'z'");
  ExpectUsageError({"cat-file", "-p", file_, "HEAD", "z"},
                   "unexpected argument 'z'");
}

TEST_F(OptionsTest, ThreadsMustBeANumberInRange) {
  for (const char* const bad : {"-1", "abc", "", "1.5", "0x2", " 2", "2 ",
                                "1025", "99999999999999999999"}) {
    for (const char* const command : {"convert", "verify", "restore"}) {
      std::vector<std::string> arguments = {
          command, "--threads=" + std::string(bad), file_};
      if (command != std::string_view("verify")) {
        arguments.push_back(dir_ / "y");
      }
      const ProcessResult result = RunZpack(arguments);
      EXPECT_EQ(result.exit_code, 129) << command << ' ' << bad;
      EXPECT_THAT(result.err, HasSubstr("threads"));
    }
  }
  ExpectUsageError({"verify", "--threads"}, "threads");
  EXPECT_EQ(RunZpack({"verify", "-q", "--threads", "0", file_}).exit_code, 0);
}

TEST_F(OptionsTest, NegativeThreadsAreNoOptionOfTheirOwn) {
  ExpectUsageError({"verify", "--threads", "-1", file_}, "threads");
}

TEST_F(OptionsTest, LevelsMustExist) {
  for (const char* const bad : {"0", "23", "-1", "fast"}) {
    ExpectUsageError(
        {"convert", "--level=" + std::string(bad), repo_.path(), dir_ / "y"},
        "level");
  }
  ExpectUsageError({"verify", "--level", "everything", file_},
                   "unknown level 'everything'");
  ExpectUsageError({"verify", "--level", "object", file_}, "unknown level");
}

TEST_F(OptionsTest, UnknownValuesListTheChoices) {
  const std::string to = dir_ / "y";
  ExpectUsageError(
      {"verify", "--level", "x\x1b", file_},
      "unknown level '\"x\\033\"'; the levels are structure, checksums, "
      "objects and connectivity");
  ExpectUsageError({"verify", "--format=xml", file_},
                   "unknown format 'xml'; the formats are text, json, junit, "
                   "github and sarif");
  ExpectUsageError(
      {"convert", "--profile", "best", repo_.path(), to},
      "unknown profile 'best'; the profiles are fast, balanced, max and cold");
  for (const char* const command : {"convert", "restore", "salvage"}) {
    ExpectUsageError({command, "--without", "all", repo_.path(), to},
                     "unknown group 'all'; the groups are reflogs, "
                     "description, info, hooks, lfs, config, worktrees, "
                     "alternates and other");
  }
  for (const char* const command : {"restore", "salvage"}) {
    ExpectUsageError({command, "--ref-format=sqlite", file_, to},
                     "unknown ref storage format 'sqlite'; the formats are "
                     "files and reftable");
  }
  ExpectUsageError({"salvage", "--object-format=md5", file_, to},
                   "unknown object format 'md5'; the formats are sha1 and "
                   "sha256");
  ExpectUsageError({"archive", "--format=rar", file_, "HEAD"},
                   "unknown archive format 'rar'; the formats are tar, tar.gz, "
                   "tar.zst and zip");
}

TEST_F(OptionsTest, AgainstNothingIsNoComparison) {
  ExpectUsageError({"verify", "--against", "", file_}, "against");
  ExpectUsageError({"verify", "--against=", file_}, "against");
}

TEST_F(OptionsTest, BlockSizeMustMakeSense) {
  for (const char* const bad : {"", "m", "8x", "-1", "8mb", "99999999999g"}) {
    ExpectUsageError({"convert", "--block-size=" + std::string(bad),
                      repo_.path(), dir_ / "y"},
                     "block-size");
  }
  for (const char* const bad : {"1", "4095", "17m"}) {
    ExpectUsageError({"convert", "--block-size", bad, repo_.path(), dir_ / "y"},
                     "4k to 16m");
  }
}

TEST_F(OptionsTest, OptionsMayFollowArgumentsAndDashDashEndsThem) {
  EXPECT_EQ(RunZpack({"verify", file_, "-q"}).exit_code, 0);
  EXPECT_EQ(RunZpack({"verify", "-q", "--", file_}).exit_code, 0);
  ProcessOptions here;
  here.directory = dir_.path();
  EXPECT_EQ(
      RunZpack({"convert", "-q", "--", repo_.path(), "--odd"}, here).exit_code,
      0);
  EXPECT_TRUE(Exists(dir_ / "--odd"));
}

TEST_F(OptionsTest, CatFileModesExcludeEachOther) {
  ExpectUsageError({"cat-file", "-t", "-s", file_, "HEAD"}, "exactly one of");
  ExpectUsageError({"cat-file", "-p", "--batch", file_}, "exactly one of");
  ExpectUsageError({"cat-file", "--batch-all-objects", file_},
                   "exactly one of");
  ExpectUsageError({"cat-file", "-p", "--batch-all-objects", file_, "HEAD"},
                   "'--batch-all-objects' needs");
  ExpectUsageError({"cat-file", "--batch-check", file_, "HEAD"},
                   "batch modes take objects from standard input");
  ExpectUsageError({"cat-file", "-p", "--buffer", file_, "HEAD"},
                   "'--buffer' needs");
  ExpectUsageError({"cat-file", "-p", "-z", file_, "HEAD"}, "'--nul' needs");
  for (const char* const first : {"--batch-check=a", "--batch-check"}) {
    ExpectUsageError({"cat-file", first, "--batch-check=%(objectname)", file_},
                     "only one batch option may be specified");
  }
  ExpectUsageError({"cat-file", "--batch", "--batch", file_},
                   "only one batch option may be specified");
}

TEST_F(OptionsTest, OptionGivenTwiceIsRefusedOrTheLastOneCounts) {
  const ProcessResult result =
      RunZpack({"verify", "--level", "structure", "--level", "objects", file_});
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 129);
  EXPECT_EQ(result.signal, 0);
}

TEST_F(OptionsTest, AnEmptyValueIsAValue) {
  EXPECT_TRUE(RunZpack({"archive", "--prefix=", file_, "HEAD"}).ok());
  ProcessOptions head;
  head.input = "HEAD\n";
  const ProcessResult batch = RunZpack({"cat-file", "--batch=", file_}, head);
  EXPECT_THAT(batch.out, StartsWith("\ntree "));
  ExpectUsageError({"verify", "--own=", file_}, "'--own' does not take any");
  ExpectUsageError({"log", "--oneline=", file_}, "does not take any");
  ExpectUsageError({"log", "--stat=", file_}, "unknown option '--stat'");
  ExpectFailure({"cat-file", "-t", "--", file_, "--batch="}, "--batch=");
}

TEST_F(OptionsTest, FilesThatAreNoZpackFilesAreRefused) {
  WriteFile(dir_ / "empty", "");
  WriteFile(dir_ / "text", std::string(1000, 'x'));
  for (const std::string& command :
       {std::string("verify"), std::string("show"), std::string("list-refs")}) {
    ExpectFailure({command, dir_ / "gone"}, "gone");
    ExpectFailure({command, dir_.path()}, "not a regular file");
    ExpectFailure({command, dir_ / "text"}, "text");
    EXPECT_NE(RunZpack({command, dir_ / "empty"}).exit_code, 0);
  }
  ExpectFailure({"restore", dir_ / "text", dir_ / "r"}, "text");
  ExpectFailure({"cat-file", "-p", dir_ / "text", "HEAD"}, "text");
  EXPECT_FALSE(Exists(dir_ / "r"));
}

TEST_F(OptionsTest, VerifyAnswersWithOneWhenTheFileIsBad) {
  std::string bytes = ReadFile(file_);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  WriteFile(file_, bytes);
  const ProcessResult result = RunZpack({"verify", file_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("error: "));
  EXPECT_THAT(result.out, HasSubstr("bad"));
}

TEST_F(OptionsTest, VerifyAgainstAnotherRepositoryTellsAllDifferences) {
  const RepoBuilder other(dir_ / "other");
  other.History(1);
  other.SetRef("refs/tags/extra", other.SimpleCommit("extra"));
  const ProcessResult result =
      RunZpack({"verify", "--against", other.path(), file_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("ref 'refs/tags/extra' is missing"));
  EXPECT_THAT(result.err, HasSubstr("ref 'refs/heads/main' is "));
  EXPECT_THAT(result.err,
              HasSubstr(HashObject("blob", "extra") + " is missing"));
  EXPECT_THAT(result.err, HasSubstr(repo_.Git({"rev-parse", "main"}) +
                                    " is not in the repository"));
}

TEST_F(OptionsTest, VerifyWithAllowNewerAcceptsARepositoryThatHasGrown) {
  const std::vector<std::string> verify = {"verify", "--against", repo_.path(),
                                           file_, "--allow-newer"};
  EXPECT_THAT(RunZpack(verify).out, ::testing::Not(HasSubstr("moved on")));
  repo_.SetRef("refs/heads/main",
               repo_.SimpleCommit("new", {repo_.Git({"rev-parse", "main"})}));
  EXPECT_EQ(RunZpack({verify.begin(), verify.end() - 1}).exit_code, 1);
  const ProcessResult result = RunZpack(verify);
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.out,
              HasSubstr("; the repository moved on: 1 ref, 3 objects\n"));
  ExpectUsageError({"verify", "--allow-newer", file_}, "'--against'");
}

TEST_F(OptionsTest, VerifyAgainstNoRepositoryIsAFailure) {
  ExpectFailure({"verify", "--against", dir_ / "gone", file_},
                "not a git repository");
}

TEST_F(OptionsTest, FullStandardOutputIsAFailure) {
  ProcessOptions options;
  const ProcessResult result = RunProcess(
      {"sh", "-c", "\"$0\" show \"$1\" > /dev/full", ZpackBinary(), file_});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("write failure on standard output"));
}

// An answer that nobody can read is no answer.
TEST_F(OptionsTest, FullStandardOutputHidesNoDifference) {
  const RepoBuilder other(dir_ / "other");
  other.SetRef("refs/heads/main", other.SimpleCommit("other"));
  const std::string second = dir_ / "other.zpack";
  ASSERT_TRUE(RunZpack({"convert", "-q", other.path(), second}).ok());
  ASSERT_EQ(RunZpack({"diff", file_, second}).exit_code, 1);
  const ProcessResult result =
      RunProcess({"sh", "-c", "\"$0\" diff \"$1\" \"$2\" > /dev/full",
                  ZpackBinary(), file_, second});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("write failure on standard output"));
}

TEST_F(OptionsTest, GitFindsTheCommandInThePath) {
  const std::string directory =
      ZpackBinary().substr(0, ZpackBinary().rfind('/'));
  const char* const path = std::getenv("PATH");
  ProcessOptions options;
  options.environment = {"PATH=" + directory + ':' + path};
  EXPECT_EQ(
      RunProcess({"git", "zpack", "verify", "-q", file_}, options).exit_code,
      0);
}

}  // namespace
}  // namespace zpack::testing
