// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'log' prints what 'git log' prints, byte for byte, of commits of every shape
// and in every format.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

const Words kMessages = {
    "subject\n",
    "subject\n\nbody line\nbody\tline\twith tabs\n\n\nlast  \n\n\n",
    "",
    "\n\n  \nafter blank lines\nsecond line\n\n\nbody\n",
    "no line feed",
    "tab\tin\n\n\tindented\twith\n\xc3\xa4\xc3\xb6\tu\n\xe4\xb8\xad\xe6\x96\x87"
    "\tw\nbad\xff\tx\nctl\x01\ty\n\x1b[31mred\x1b[m\tz\n",
    "latin \xe4\xf6\n\nbody \xfc\n",
    std::string("with\0zero\n", 10),
    "...dots...and-dashes-- !!\n",
    std::string(200, 'a') + " word word word\n\nlong\n",
    "\r\nreturns\r\n\r\nbody\r\n",
    "%H %n %%\n",
};

const Words kPeople = {
    "A U Thor <a@example.com> 1112912113 -0700",
    "Some One <a@example.com> 1112912999 +0530",
    "old <old@x.org> 1 +0000",
    "<nobody@x> 1 +0100",
    "No Mail 123 +0000",
    "Bad Date <b@x> xyz +0000",
    "Negative <n@x> -5 +0000",
    "Huge <h@x> 99999999999999999999 +0100",
    "Odd Zone <z@x> 1700000000 +9999",
    "No Zone <z@x> 1700000000",
    "No Sign <z@x> 1700000000 0200",
    "Nested <<x@y>> 1700000000 +0200",
    "Two <a@b> <c@d> 1700000000 +0200",
    "  Spaces  <l@x>   1700000000   -0001",
    "Upper <UPPER@example.com> 1700000000 -0330",
    "Empty <> 1700000000 +0200",
    "",
};

const Words kExtraHeaders = {"",
                             "encoding ISO-8859-1\n",
                             "encoding latin-1\n",
                             "encoding UTF-8\n",
                             "encoding nonsense\n",
                             "gpgsig -----BEGIN\n x\n -----END\n"};

constexpr const char* kMailmap =
    "# comment\n"
    "Proper Name <proper@x.org> <old@x.org>\n"
    "Renamed <new@x.org> Some One <a@example.com>\n"
    "<mail@only.org> <z@x>\n"
    "Upper Case <upper@x.org> <upper@EXAMPLE.com>\n"
    "broken <\n"
    "No Longer Empty <e@x.org> Empty <>\n";

class LogTest : public ::testing::Test {
 protected:
  LogTest() : repo_(dir_ / "repo") {}

  // Commits of all shapes, with merges, refs of all kinds and notes.
  void MakeOddRepository() {
    const std::string tree = repo_.WriteTree(
        TreeEntryBytes("100644", ".mailmap", repo_.WriteBlob(kMailmap)));
    Words ids;
    for (size_t i = 0; i < 2 * kPeople.size() + 1; ++i) {
      std::string content = "tree " + tree + "\n";
      if (i > 0) content += "parent " + ids.back() + "\n";
      if (i > 4 && i % 5 == 0) content += "parent " + ids[i - 4] + "\n";
      content += "author " + kPeople[i % kPeople.size()] + "\n";
      // Git before 2.41 reads the dates of broken lines otherwise.
      content += i % 3 == 0 && GitIsSince(41)
                     ? "committer " + kPeople[i * 7 % kPeople.size()]
                     : "committer C <old@x.org> " +
                           std::to_string(1600000000 + i) + " +0100";
      content += "\n" + kExtraHeaders[i % kExtraHeaders.size()] + "\n" +
                 kMessages[i % kMessages.size()];
      ids.push_back(repo_.WriteObject("commit", content));
    }
    repo_.SetRef("refs/heads/main", ids.back());
    repo_.SetRef("refs/heads/topic", ids.back());
    repo_.SetRef("refs/heads/older", ids[ids.size() - 3]);
    repo_.SetRef("refs/remotes/origin/main", ids[ids.size() - 2]);
    repo_.SetRef("refs/tags/light", ids.back());
    repo_.SetRef("refs/tags/annotated",
                 repo_.WriteTag(ids.back(), "commit", "annotated"));
    repo_.Git({"notes", "add", "-m", "a note\n\nof lines", ids.back()});
    repo_.Git({"notes", "add", "-m", "another", ids[ids.size() - 5]});
    Convert();
  }

  void Convert() {
    const ProcessResult result =
        RunZpack({"convert", "-q", "--force", repo_.path(), file_});
    Require(result.ok(), result.err);
  }

  ProcessResult Log(const Words& options, const Words& rest = {}) const {
    Words words = {"log"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(file_);
    words.insert(words.end(), rest.begin(), rest.end());
    return RunZpack(words);
  }

  void ExpectSame(const Words& options, const Words& rest = {}) const {
    Words git = {"log"};
    git.insert(git.end(), options.begin(), options.end());
    git.insert(git.end(), rest.begin(), rest.end());
    const ProcessResult expected = repo_.TryGit(git);
    const ProcessResult actual = Log(options, rest);
    EXPECT_EQ(actual.exit_code, expected.exit_code)
        << ::testing::PrintToString(git) << actual.err;
    EXPECT_EQ(actual.out, expected.out) << ::testing::PrintToString(git);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(LogTest, FormatsAreThoseOfGit) {
  MakeOddRepository();
  std::vector<Words> options = {{},
                                {"-z"},
                                {"--abbrev-commit"},
                                {"--abbrev=10"},
                                {"--no-abbrev"},
                                {"--decorate"},
                                {"--decorate=full"},
                                {"--no-notes"},
                                {"--notes"},
                                {"--no-mailmap"},
                                {"--color"},
                                {"--date=iso"},
                                {"--no-expand-tabs"},
                                {"--expand-tabs=3"},
                                {"--oneline"},
                                {"--reverse"},
                                {"-n5", "--skip=3"},
                                {"-4"},
                                {"--merges"},
                                {"--no-merges"}};
  // Since 2.43, Git colors each part of a decoration by itself.
  if (GitIsSince(43)) options.push_back({"--color=always", "--decorate"});
  for (const Words& option : options) {
    ExpectSame(option, {"--all"});
    for (const char* const style :
         {"oneline", "short", "medium", "full", "fuller", "raw", "reference",
          "ful", "format:%H", "tformat:%s", "", "format:"}) {
      Words words = option;
      words.push_back(std::string("--pretty=") + style);
      ExpectSame(words);
    }
  }
}

TEST_F(LogTest, DatesAreThoseOfGit) {
  MakeOddRepository();
  for (const char* const date :
       {"default", "iso", "rfc", "short", "raw", "unix", "relative", "human",
        "local", "iso-local", "raw-local", "rfc-local",
        "format:%Y-%m-%d %H:%M:%S %z %Z %s %%z %a", "format-local:%F %z",
        "format:", "bogus", "isox", "format"}) {
    for (const char* const style : {"medium", "fuller", "%ad %cd"}) {
      ExpectSame(
          {std::string("--date=") + date, std::string("--format=") + style});
    }
  }
}

TEST_F(LogTest, PlaceholdersAreThoseOfGit) {
  MakeOddRepository();
  const Words placeholders = {"H",
                              "h",
                              "T",
                              "t",
                              "P",
                              "p",
                              "an",
                              "aN",
                              "ae",
                              "aE",
                              "al",
                              "aL",
                              "ad",
                              "aD",
                              "at",
                              "ai",
                              "as",
                              "ah",
                              "cn",
                              "cN",
                              "ce",
                              "cE",
                              "cl",
                              "cL",
                              "cd",
                              "cD",
                              "ct",
                              "ci",
                              "cs",
                              "d",
                              "D",
                              "e",
                              "s",
                              "f",
                              "b",
                              "B",
                              "n",
                              "%",
                              "x00",
                              "x41",
                              "xzz",
                              "m",
                              "N",
                              "gd",
                              "gs",
                              "gX",
                              "aX",
                              "a",
                              "y",
                              "Cred",
                              "C(red)",
                              "C(auto)",
                              "Cfoo",
                              "w(20,2,4)",
                              "w()",
                              "w(30)",
                              "w(0,3,1)",
                              "<(20)",
                              "+s",
                              "-b",
                              "+b",
                              " D",
                              "-d",
                              "<(12,trunc)",
                              ">(25)",
                              "><(30)",
                              ">>(20)",
                              "<(x)",
                              "<|(40)",
                              "<(11,mtrunc)",
                              "<(0)",
                              ">(12,ltrunc)",
                              "C(always,bold #ff0000 201)"};
  for (const std::string& placeholder : placeholders) {
    ExpectSame({"--format=a%" + placeholder + "%s|"});
    const bool refs = placeholder.find_first_of("dD") == placeholder.size() - 1;
    if (refs && !GitIsSince(43)) continue;
    ExpectSame({"--color=always", "--format=%C(auto)x y  %" + placeholder});
  }
  std::mt19937 random(20261128);
  for (int i = 0; i < 60; ++i) {
    std::string format;
    for (size_t n = 1 + random() % 6; n > 0; --n) {
      format += Words{"", " ", "x", "\n", "%%"}[random() % 5];
      format += "%" + placeholders[random() % placeholders.size()];
    }
    const std::string kind = random() % 2 == 0 ? "format:" : "tformat:";
    ExpectSame({"--pretty=" + kind + format});
  }
}

TEST_F(LogTest, MessagesAreSearchedAsInGit) {
  MakeOddRepository();
  for (const char* const pattern :
       {"line", "^subject", "^$", "", "A U", "Proper", "new@x.org", "old@",
        "b.*y", "[", "a\\|b", "a|b", "word\nbody"}) {
    for (const char* const kind : {"--grep=", "--author=", "--committer="}) {
      for (const Words& more : {Words{},
                                {"-i"},
                                {"-E"},
                                {"-F"},
                                {"--no-mailmap"},
                                {"--invert-grep"},
                                {"--all-match", "--grep=e"},
                                {"--color"}}) {
        Words options = {std::string(kind) + pattern, "--no-notes"};
        options.insert(options.end(), more.begin(), more.end());
        // Before 2.51, Git did not map the committer after the author.
        if (kind == std::string_view("--committer=") && !GitIsSince(51)) {
          options.emplace_back("--no-mailmap");
        }
        ExpectSame(options);
      }
    }
  }
}

TEST_F(LogTest, RangesHaveSides) {
  MakeOddRepository();
  ExpectSame({"--format=%m%H"}, {"main~3...older~6"});
  ExpectSame({"--format=%m%H"}, {"main~3..main"});
  ExpectSame({"--format=%H"}, {"main", "^older"});
  ExpectSame({"--format=%H", "--branches"});
  ExpectSame({"--format=%H", "--tags", "-3"});
  ExpectSame({"--format=%H", "--remotes", "-3"});
}

TEST_F(LogTest, NumbersMayHaveASign) {
  MakeOddRepository();
  for (const Words& options :
       {Words{"--max-count=+3"}, Words{"-n+3"}, Words{"-n", "-1"},
        Words{"--skip=+2"}, Words{"--skip=-2"}, Words{"-n", "+3", "--skip=1"},
        Words{"--min-parents=+1"}, Words{"--max-parents=+0"},
        Words{"--max-parents=-1"}, Words{"--until=never"},
        Words{"--since=never"}, Words{"--since=@5 +0000"}}) {
    Words words = options;
    words.emplace_back("--format=%H");
    ExpectSame(words);
  }
  for (const char* const option :
       {"--max-count=", "--max-count=+", "--max-count=+-1", "--max-count=++1",
        "--max-count=1k", "--max-count=0x2", "-nx", "-n2147483648",
        "--skip=", "--skip=x", "--since=", "--until=@"}) {
    EXPECT_EQ(Log({option}).exit_code, 129) << option;
  }
}

TEST_F(LogTest, DatesAreGuessedAsInGit) {
  MakeOddRepository();
  for (const std::string date :
       {"last friday", "10:00", "3am", "6pm yesterday", "jan 5", "5",
        "two years ago", "sep 13 2020 12:26:50 utc", "13/9/2020"}) {
    ExpectSame({"--since=" + date, "--format=%H"});
    ExpectSame({"--until=" + date, "--format=%H"});
  }
  EXPECT_EQ(Log({"--since=monday"}).exit_code, 129);
}

TEST_F(LogTest, DatesBeforeAllDatesFailAsInGit) {
  const std::string content =
      "tree " + repo_.WriteTree("") +
      "\nauthor A <a@x> 5 -0100\ncommitter A <a@x> 5 -0100\n\nm\n";
  repo_.SetRef("refs/heads/main", repo_.WriteObject("commit", content));
  Convert();
  const ProcessResult result = Log({});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("Timestamp before Unix epoch: 5 -100"));
}

TEST_F(LogTest, UnbornBranchesHaveNoCommits) {
  Convert();
  const ProcessResult result = Log({});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_EQ(result.err,
            "fatal: your current branch 'main' does not have any commits "
            "yet\n");
}

TEST_F(LogTest, WarnsOfGrafts) {
  const std::string tip = repo_.History(3);
  WriteFile(repo_.git_dir() + "/info/exclude", "x\n");
  Convert();
  const ProcessResult without = Log({"--format=%H"});
  EXPECT_EQ(without.err, "");
  // No grafts to Git, either.
  for (const std::string& text :
       {std::string("# none\n"), std::string("\n \n"), '#' + tip + '\n',
        tip.substr(1) + '\n', tip + " none\n", tip + "  " + tip + '\n'}) {
    WriteFile(repo_.git_dir() + "/info/grafts", text);
    Convert();
    EXPECT_EQ(Log({"--format=%H"}).err, "") << text;
  }
  WriteFile(repo_.git_dir() + "/info/grafts", tip + '\n');
  Convert();
  const std::string warning =
      "warning: the grafts in 'info/grafts' are not applied; Git applies them "
      "in a restored repository\n";
  const ProcessResult with = Log({"--format=%H"});
  EXPECT_EQ(with.err, warning);
  EXPECT_EQ(with.out, without.out);
  EXPECT_EQ(RunZpack({"rev-list", file_, "HEAD"}).err, warning);
  EXPECT_EQ(RunZpack({"grep", "--all-history", "x", file_}).err, warning);
  for (const std::string& text :
       {"# one\n\n" + tip + ' ' + tip, tip + " \r\n"}) {
    WriteFile(repo_.git_dir() + "/info/grafts", text);
    Convert();
    EXPECT_EQ(Log({"--format=%H"}).err, warning) << text;
  }
}

// Only the parents of commits are others with grafts.
TEST_F(LogTest, NamesThatLeadToParentsWarnOfGrafts) {
  const std::string tip = repo_.History(3);
  Convert();
  const auto errors = [&](const std::string& name) {
    std::string together;
    for (const Words& command :
         {Words{"cat-file", "-t", file_, name},
          Words{"cat-file", "-e", file_, name},
          Words{"ls-tree", "--name-only", file_, name},
          Words{"archive", "-o", dir_ / "x.tar", file_, name},
          Words{"grep", "-c", "none", file_, name, name}}) {
      together += RunZpack(command).err;
    }
    ProcessOptions batch;
    batch.input = name + '\n' + name + '\n';
    return together + RunZpack({"cat-file", "--batch-check", file_}, batch).err;
  };
  const Words others = {tip,           "HEAD",    "HEAD^0",   "HEAD~0",
                        "HEAD^{tree}", "HEAD^{}", "HEAD^{/}", "HEAD:"};
  const Words parents = {"HEAD^",     "HEAD~1",       "HEAD^1", "HEAD~1^{tree}",
                         "HEAD~2^0:", "HEAD^{/o}~0:", ":/o"};
  for (const std::string& name : parents) EXPECT_EQ(errors(name), "") << name;
  WriteFile(repo_.git_dir() + "/info/grafts", tip + '\n');
  Convert();
  for (const std::string& name : others) EXPECT_EQ(errors(name), "") << name;
  std::string six;
  for (int i = 0; i < 6; ++i) {
    six +=
        "warning: the grafts in 'info/grafts' are not applied; Git applies "
        "them in a restored repository\n";
  }
  for (const std::string& name : parents) EXPECT_EQ(errors(name), six) << name;
}

TEST_F(LogTest, RefusesWhatItDoesNotDo) {
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("x"));
  Convert();
  for (const char* const option :
       {"-p", "--patch", "--stat", "--graph", "--topo-order", "--cc",
        "--format=%G?", "--format=%(describe)", "--format=%(trailers)",
        "--pretty=email", "--branches=x"}) {
    const ProcessResult result = Log({option});
    EXPECT_EQ(result.exit_code, 129) << option;
    EXPECT_THAT(result.err, HasSubstr("git zpack exec <file> git log"))
        << option;
    EXPECT_EQ(result.out, "") << option;
  }
  for (const char* const date :
       {"frobnicate", "20240501123000", "99 years ago"}) {
    const ProcessResult result = Log({std::string("--until=") + date});
    EXPECT_EQ(result.exit_code, 129) << date;
    EXPECT_THAT(result.err, HasSubstr(std::string("date '") + date)) << date;
  }
  EXPECT_THAT(Log({"-l99999999999"}).err,
              HasSubstr("option '-l' expects a number"));
  EXPECT_EQ(Log({"--diff-filter=Q"}).exit_code, 129);
  for (const char* const option : {"-M5x", "-M=50", "-C=3"}) {
    EXPECT_EQ(Log({option}).exit_code, 129) << option;
  }
  EXPECT_EQ(Log({"--color=sometimes"}).exit_code, 129);
  const ProcessResult found = Log({"--find-object=nope"});
  EXPECT_EQ(found.exit_code, 129);
  EXPECT_THAT(found.err, HasSubstr("error: unable to resolve 'nope'"));
  EXPECT_EQ(RunZpack({"log"}).exit_code, 129);
  for (const Words& options :
       {Words{"--name-only", "--name-status"}, Words{"-s", "--name-only"},
        Words{"--no-patch", "--name-status"},
        Words{"--raw", "-s", "--name-only"}}) {
    const ProcessResult result = Log(options);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(options);
    EXPECT_THAT(result.err, HasSubstr("cannot be used together"));
  }
  EXPECT_EQ(Log({"-s", "--raw", "--name-only"}).exit_code, 0);
  EXPECT_EQ(Log({"--name-only", "-s"}).exit_code, 0);
  EXPECT_EQ(Log({"-Sx", "-Gx"}).exit_code, 128);
  for (const char* const option : {"-S", "-G"}) {
    const ProcessResult empty = Log({option, ""});
    EXPECT_EQ(empty.exit_code, 128) << option;
    EXPECT_THAT(empty.err, HasSubstr("require a text that is not empty"));
  }
  EXPECT_EQ(Log({"--follow"}).exit_code, 128);
  for (const char* const path : {":(exclude)x", ":!x"}) {
    EXPECT_THAT(Log({"--follow"}, {"--", path}).err,
                HasSubstr("--follow requires exactly one pathspec"));
  }
  EXPECT_THAT(Log({"--follow"}, {"--", ":(top,glob,icase)x"}).err,
              HasSubstr("pathspec magic not supported by --follow: 'glob', "
                        "'icase'"));
  EXPECT_EQ(Log({"--pretty=nonsense"}).exit_code, 128);
  EXPECT_EQ(Log({"--decorate=nonsense"}).exit_code, 128);
  EXPECT_EQ(Log({}, {"nonsense"}).exit_code, 128);
}

TEST_F(LogTest, TakesAnAmbiguousAbbreviationForTheCommit) {
  const std::string commit = repo_.SimpleCommit("x");
  repo_.SetRef("refs/heads/main", commit);
  const std::string prefix = commit.substr(0, 4);
  std::string content;
  for (int i = 0; HashObject("blob", content).substr(0, 4) != prefix; ++i) {
    content = "blob " + std::to_string(i);
  }
  repo_.WriteBlob(content);
  Convert();
  for (const char* const suffix :
       {"", "^0", "~0", "^{commit}", "^{/x}", "..", "...HEAD", "^!"}) {
    EXPECT_EQ(Log({}, {prefix + suffix}).out,
              repo_.TryGit({"log", prefix + suffix}).out)
        << suffix;
  }
  for (const std::string& name :
       {prefix, prefix + "^{}", prefix + "^{tree}", prefix + ":",
        "x-1-g" + prefix, prefix + "^{blob}", prefix + "^{object}"}) {
    const ProcessResult ours = RunZpack({"cat-file", "-t", file_, name});
    const ProcessResult gits = repo_.TryGit({"cat-file", "-t", name});
    EXPECT_EQ(ours.out, gits.out) << name;
    EXPECT_EQ(ours.exit_code, gits.exit_code) << name << gits.err;
  }
}

TEST_F(LogTest, JsonHasTheCommits) {
  MakeOddRepository();
  const ProcessResult result = Log({"--json", "--decorate", "-1"});
  ASSERT_TRUE(result.ok()) << result.err;
  const auto commit = nlohmann::json::parse(result.out)["commits"][0];
  EXPECT_EQ(commit["id"], repo_.Git({"rev-parse", "main"}));
  EXPECT_EQ(commit["parents"][0], repo_.Git({"rev-parse", "main^"}));
  EXPECT_EQ(commit["committer"]["name"], "Proper Name");
  EXPECT_EQ(commit["committer"]["email"], "proper@x.org");
  EXPECT_EQ(commit["author"]["name"], "A U Thor");
  EXPECT_EQ(commit["refs"][0]["name"], "HEAD");
}

}  // namespace
}  // namespace zpack::testing
