// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'log' chooses the commits and files that 'git log' chooses: of random
// histories with merges, renames and copies, under random options.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using Words = std::vector<std::string>;

// A stream for git-fast-import(1).
class RandomHistory {
 public:
  explicit RandomHistory(unsigned seed) : random_(seed) {}

  std::string Stream(size_t commits) {
    for (size_t i = 1; i <= commits; ++i) AddCommit(i);
    out_ +=
        "reset refs/heads/other\nfrom :" + std::to_string(1 + Below(commits)) +
        "\n\n";
    return out_;
  }

  template <typename T>
  const T& Choose(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  bool Chance(unsigned percent) { return Below(100) < percent; }
  size_t Below(size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random_);
  }

 private:
  using Files = std::map<std::string, std::string>;  // contents by path

  std::string Line() {
    static const Words kLines = {"alpha", "beta(x);",  "  gamma", "}",
                                 "",      "delta = 1", "x\ty",    "alpha beta"};
    return Choose(kLines);
  }

  void Edit(std::string& text) {
    for (size_t left = 1 + Below(3); left > 0; --left) {
      const size_t feed = text.find('\n', Below(text.size() + 1));
      const size_t at = feed == std::string::npos ? text.size() : feed + 1;
      const size_t end = text.find('\n', at);
      if (Chance(30) && end != std::string::npos) {
        text.erase(at, end + 1 - at);
      } else {
        text.insert(at, Line() + "\n");
      }
    }
    if (Chance(5)) text += "no line feed";
    if (Chance(5) && text.ends_with('\n')) text.pop_back();
    if (Chance(3)) text.insert(0, 1, '\0');
    if (Chance(2)) text.clear();
  }

  void Change(Files& files) {
    static const Words kPaths = {"a",     "b.c",   "d/a",    "d/e/f.c",
                                 "d/e/g", "d.c/x", "long/p", "long/q"};
    const std::string& path = Choose(kPaths);
    if (files.contains(path) && Chance(20)) {
      // Moved, copied or removed.
      const std::string to = Choose(kPaths);
      if (Chance(70)) files[to] = files[path];
      if (Chance(30)) Edit(files[to]);
      if (Chance(40)) Edit(files[path]);
      if (to != path && Chance(50)) files.erase(path);
      return;
    }
    std::string& text = files[path];
    if (text.empty() && Chance(80)) {
      for (size_t i = 0; i < 6; ++i) text += Line() + std::to_string(i) + "\n";
    }
    Edit(text);
  }

  void AddCommit(size_t mark) {
    const std::string at = ":" + std::to_string(mark);
    std::vector<size_t> parents;
    if (mark > 1 && !Chance(2)) {
      for (size_t left = Chance(25) ? 2 + Below(2) : 1; left > 0; --left) {
        const size_t parent = mark - 1 - Below(std::min<size_t>(mark - 1, 6));
        if (std::ranges::find(parents, parent) == parents.end()) {
          parents.push_back(parent);
        }
      }
    }
    Files files;
    for (const size_t parent : parents) {
      if (files.empty() || Chance(40)) files = trees_[parent];
    }
    // Some commits change nothing.
    for (size_t left = Chance(15) ? 0 : 1 + Below(3); left > 0; --left) {
      Change(files);
    }
    time_ += Below(3);
    // Else the commit goes on from the last one.
    if (parents.empty()) out_ += "reset refs/heads/main\n\n";
    out_ += "commit refs/heads/main\nmark " + at + "\ncommitter C <c@x> " +
            std::to_string(time_) + " +0000\n" + Data("commit " + at + "\n");
    const char* word = "from";
    for (const size_t parent : parents) {
      out_ += std::string(word) + " :" + std::to_string(parent) + "\n";
      word = "merge";
    }
    out_ += "deleteall\n";
    for (const auto& [path, text] : files) {
      out_ += "M 100644 inline " + path + "\n" + Data(text);
    }
    out_ += "\n";
    trees_.emplace(mark, std::move(files));
  }

  static std::string Data(const std::string& bytes) {
    return "data " + std::to_string(bytes.size()) + "\n" + bytes + "\n";
  }

  std::mt19937 random_;
  std::string out_;
  std::map<size_t, Files> trees_;
  size_t time_ = 1600000000;
};

class LogHistoryTest : public ::testing::TestWithParam<unsigned> {
 protected:
  LogHistoryTest() : repo_(dir_ / "repo"), history_(GetParam()) {}

  void Convert() {
    repo_.Git({"fast-import", "--quiet"}, history_.Stream(70));
    repo_.Git({"symbolic-ref", "HEAD", "refs/heads/main"});
    const ProcessResult result =
        RunZpack({"convert", "-q", repo_.path(), file_});
    Require(result.ok(), result.err);
  }

  Words RandomOptions() {
    static const std::vector<Words> kWalks = {{},
                                              {},
                                              {},
                                              {"--full-history"},
                                              {"--first-parent"},
                                              {"--reverse"},
                                              {"--no-merges"},
                                              {"-n5"},
                                              {"--skip=2"},
                                              {"-n8", "--reverse"},
                                              {"--merges"},
                                              {"--since=1600000040"},
                                              {"--until=1600000040"}};
    static const std::vector<Words> kWants = {
        {},
        {},
        {"-Salpha"},
        {"-Sbeta(x)"},
        {"-Sa"},
        {"-Galpha"},
        {"-G^}$"},
        {"-Gx.y"},
        {"-GALPHA", "-i"},
        {"-Gamma", "-a"},
        {"-S[a-e]*ta", "--pickaxe-regex"},
        {"-S\\<x\\>", "--pickaxe-regex"},
        {"-Sx*", "--pickaxe-regex"},
        {"-Sdelta = 1\n}"},
        {"-G[[:space:]]"},
        {"-G^$"},
        {"-Glpha$"},
        {"-Gno line|amma5"},
        {"-Galpha1", "--pickaxe-all"},
        {"-Sgamma2"},
        {"-Sbeta[(]x[)];0", "--pickaxe-regex"},
        {"-Sgamma", "--pickaxe-all"},
        {"-SBeta", "-i"}};
    static const std::vector<Words> kFiles = {{},
                                              {"--raw"},
                                              {"--raw", "--no-abbrev"},
                                              {"--name-status"},
                                              {"--name-only"}};
    static const std::vector<Words> kRenames = {
        {},     {"--no-renames"}, {"-M30%"},
        {"-C"}, {"-C20%"},        {"--find-copies-harder"}};
    Words options = {"--format=%h %P %s"};
    for (const auto* table : {&kWalks, &kWants, &kFiles, &kRenames}) {
      const Words& words = history_.Choose(*table);
      options.insert(options.end(), words.begin(), words.end());
    }
    if (history_.Chance(15)) {
      options.push_back("--diff-filter=" +
                        history_.Choose(Words{"A", "MD", "R", "C", "RC"}));
    }
    return options;
  }

  Words RandomRest() {
    Words rest = history_.Choose(std::vector<Words>{{},
                                                    {"--all"},
                                                    {"HEAD", "^other"},
                                                    {"other..main"},
                                                    {"main...other"},
                                                    {"other"},
                                                    {"main~3", "other~1"}});
    if (history_.Chance(50)) {
      rest.push_back("--");
      rest.push_back(history_.Choose(
          Words{"a", "d", "b.c", "*.c", ":!d", "d/e", "long", ":(glob)*/*"}));
    }
    return rest;
  }

  // What is in the history, every tenth of it.
  Words SomeObjects() {
    std::istringstream lines(
        repo_.Git({"rev-list", "--objects", "--no-object-names", "--all"}));
    Words objects;
    std::string object;
    for (size_t i = 0; std::getline(lines, object); ++i) {
      if (i % 10 == 0) objects.push_back(object);
    }
    return objects;
  }

  void ExpectSame(const Words& options, const Words& rest) {
    Words git = {"log"};
    git.insert(git.end(), options.begin(), options.end());
    git.insert(git.end(), rest.begin(), rest.end());
    Words ours = {"log"};
    ours.insert(ours.end(), options.begin(), options.end());
    ours.push_back(file_);
    ours.insert(ours.end(), rest.begin(), rest.end());
    const ProcessResult actual = RunZpack(ours);
    EXPECT_EQ(actual.exit_code, 0) << actual.err;
    EXPECT_EQ(actual.out, repo_.TryGit(git).out)
        << ::testing::PrintToString(git) << " seed " << GetParam();
  }

  TempDir dir_;
  RepoBuilder repo_;
  RandomHistory history_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_P(LogHistoryTest, IsThatOfGit) {
  Convert();
  for (int i = 0; i < 60; ++i) ExpectSame(RandomOptions(), RandomRest());
}

TEST_P(LogHistoryTest, FindsObjectsAsGitDoes) {
  Convert();
  const std::vector<Words> more = {{},
                                   {"--first-parent"},
                                   {"--reverse"},
                                   {"-C", "-n3"},
                                   {"--find-copies-harder"},
                                   {"--diff-filter=AM"}};
  for (const std::string& object : SomeObjects()) {
    Words options = {"--raw", "--find-object=" + object};
    const Words& words = history_.Choose(more);
    options.insert(options.end(), words.begin(), words.end());
    ExpectSame(options, RandomRest());
  }
}

TEST_P(LogHistoryTest, FollowsFilesAsGitDoes) {
  Convert();
  for (const char* const path : {"a", "b.c", "d/e/g", "long/q", "d/a"}) {
    ExpectSame({"--follow", "--raw", "--format=%h"}, {"--", path});
    for (const char* const want : {"-Salpha", "-Gamma2", "-Gno line"}) {
      ExpectSame({"--follow", want, "--name-status", "--format=%h"},
                 {"--", path});
    }
  }
  for (const char* const path : {":/d/e/g", ":(top)d/e/g", ":(literal)a", "./a",
                                 "d/../a", "d/*", "d/e", "."}) {
    ExpectSame({"--follow", "--raw", "--format=%h"}, {"--", path});
  }
}

TEST_P(LogHistoryTest, FindsDirectoriesAsGitDoes) {
  Convert();
  std::set<std::string> trees;
  for (const int age : {0, 1, 5, 20, 50}) {
    for (const char* const path : {"d", "d/e", "long", "d/a", ""}) {
      const ProcessResult tree =
          repo_.TryGit({"rev-parse", "-q", "--verify",
                        "refs/heads/main~" + std::to_string(age) + ":" + path});
      if (tree.exit_code == 0) {
        trees.insert(tree.out.substr(0, tree.out.find('\n')));
      }
    }
  }
  EXPECT_GT(trees.size(), 3U);
  for (const std::string& tree : trees) {
    const std::string find = "--find-object=" + tree;
    ExpectSame({find, "--raw", "--no-abbrev"}, {});
    ExpectSame({find, "--raw", "--all", "-M"}, {});
    ExpectSame({find, "--raw", "--all", "-C", "-C"}, {});
    ExpectSame({find, "--name-status", "--all", "--reverse"}, {});
    ExpectSame({find, "--raw", "--full-history"}, {"--", "d/e/g", "long"});
    ExpectSame({find, "--raw", "--diff-filter=AD"}, {"--", ":(exclude)d"});
  }
}

// Commits of one file, "file", with these contents.
class LogContentsTest : public ::testing::Test {
 protected:
  LogContentsTest() : repo_(dir_ / "repo") {}

  void Commit(const std::string& entries) {
    const std::string tree = repo_.WriteTree(entries);
    std::string commit = "tree " + tree + "\n";
    if (!last_.empty()) commit += "parent " + last_ + "\n";
    const std::string who = " A <a@x> " + std::to_string(time_++) + " +0000\n";
    commit += "author" + who + "committer" + who + "\nmessage\n";
    last_ = repo_.WriteObject("commit", commit);
    repo_.SetRef("refs/heads/main", last_);
    repo_.Git({"symbolic-ref", "HEAD", "refs/heads/main"});
  }
  void CommitFile(const std::string& content) {
    Commit(TreeEntryBytes("100644", "file", repo_.WriteBlob(content)));
  }

  void ExpectSame(const std::vector<Words>& many) {
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
    for (const Words& words : many) {
      Words git = {"log", "--raw"};
      git.insert(git.end(), words.begin(), words.end());
      Words ours = git;
      const auto dashes = std::ranges::find(ours, "--");
      ours.insert(dashes, file_);
      const ProcessResult actual = RunZpack(ours);
      EXPECT_EQ(actual.exit_code, 0) << actual.err;
      EXPECT_EQ(actual.out, repo_.TryGit(git).out)
          << ::testing::PrintToString(words);
    }
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
  std::string last_;
  size_t time_ = 1600000000;
};

TEST_F(LogContentsTest, ReadsModesAsGitDoes) {
  const std::string blob = repo_.WriteBlob("x\n");
  const std::string other = repo_.WriteBlob("x y\n");
  for (const auto& [mode, content] :
       std::vector<std::pair<std::string, std::string>>{{"100644", blob},
                                                        {"100664", blob},
                                                        {"100600", other},
                                                        {"100711", other},
                                                        {"120000", other},
                                                        {"120777", other}}) {
    Commit(TreeEntryBytes(mode, "file", content));
  }
  ExpectSame({{}, {"--full-history", "--", "file"}, {"-Gy", "--name-status"}});
}

TEST_F(LogContentsTest, AnEntryWithoutAModeIsASubmodule) {
  const std::string blob = repo_.WriteBlob("x\n");
  const std::string file = TreeEntryBytes("100644", "a", blob);
  for (const char* const mode : {"0", "", "00", "100644", "0", "160000", "0"}) {
    const std::string_view given = mode;
    Commit(file + (given.empty() ? "" : TreeEntryBytes(mode, "m", blob)));
  }
  Commit(TreeEntryBytes("0", "a", blob));
  ExpectSame({{},
              {"--diff-filter=A"},
              {"--diff-filter=D"},
              {"--diff-filter=T"},
              {"--find-object=" + blob},
              {"-Ssub"},
              {"--", "m"},
              {"--", "m/"},
              {"--full-history", "--", "a"}});
}

TEST_F(LogContentsTest, ALineGetsItsLineFeed) {
  for (const char* const content :
       {"x\nlast", "x\nlast\n", "x\nlast", "y\nx\nlast", "last\nx\nlast\n"}) {
    CommitFile(content);
  }
  ExpectSame({{"-Glast"}, {"-GLAST", "-i"}, {"-G^last$"}, {"-Slast"}, {"-Gx"}});
}

// A line that was the last one, and had no line feed, is another one with it.
TEST_F(LogContentsTest, LinesThatGetOrLoseTheirLineFeedDiffer) {
  for (const char* const content : {"int\ncafe", "int", "int\ncafe",
                                    "a\nint\ncafe", "a\nint", "cafe\na\nint"}) {
    CommitFile(content);
  }
  ExpectSame({{"-Gint"}, {"-GINT", "-i"}, {"-Gint$", "-a"}, {"-Gcafe"}});
}

// The text is in the source of the copy, and in nothing that has changed.
TEST_F(LogContentsTest, CopiesThatLoseATextAreFound) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + "\n";
  const auto file = [&](const char* name, const std::string& content) {
    return TreeEntryBytes("100644", name, repo_.WriteBlob(content));
  };
  Commit(file("a", text + "UNIQUE\n") + file("z", text + "UNIQUE\n"));
  Commit(file("a", text + "UNIQUE\nmore\n") + file("b", text) +
         file("z", text + "UNIQUE\n"));
  Commit(file("a", text + "UNIQUE\nmore\n") + file("b", text) +
         file("c", text) + file("z", text + "UNIQUE\n"));
  std::vector<Words> many;
  for (const char* const renames : {"-M", "-C", "--find-copies-harder"}) {
    for (const char* const want : {"-SUNIQUE", "-GUNIQUE", "-GUNIQ\\b|UE"}) {
      many.push_back({renames, want});
    }
    many.push_back({renames, "-SU.*E", "--pickaxe-regex"});
    many.push_back({renames, "-SUNIQUE", "--pickaxe-all", "--", "b", "z"});
  }
  ExpectSame(many);
}

// Git's diff leaves out lines that the other text has often, if they stand
// among lines which that does not have.
TEST_F(LogContentsTest, LinesThatAreLeftOutOfADiffAreFound) {
  for (const char* const word : {"one", "two"}) {
    std::string text;
    for (int block = 0; block < 17; ++block) {
      for (int line = 0; line < 5; ++line) {
        text += word + std::to_string(5 * block + line) + "\n";
      }
      text += "NEEDLE\n";
    }
    CommitFile(text + word + "\n");
  }
  ExpectSame({{"-GNEEDLE"}, {"-GNEEDL", "-a"}});
}

TEST_F(LogContentsTest, SubmodulesHaveATextAndAreDirectories) {
  for (const char c : {'a', 'b'}) {
    const std::string id(last_.empty() ? 40 : last_.size(), c);
    if (TestFormat() != ObjectFormat::kSha1) continue;
    Commit(TreeEntryBytes("160000", "sub", id));
  }
  if (last_.empty()) GTEST_SKIP() << "the ids are those of SHA-1";
  ExpectSame({{"-GSubproject"},
              {"-Sbbbb"},
              {"-G."},
              {"--find-object=" + std::string(40, 'b')},
              {"--find-object=" + std::string(40, 'a'),
               "--find-object=" + std::string(40, 'b')},
              {"--", "sub/"},
              {"--", "sub"}});
}

// With wildcards, and to leave it out, too.
// Like Git, finds the directory that is excluded, but none in it.
TEST_F(LogContentsTest, DirectoriesInExcludedOnesAreNotFound) {
  const std::string blob = repo_.WriteBlob("a\n");
  const auto tree_with = [&](const std::string& mode, const std::string& name,
                             const std::string& id) {
    return repo_.WriteTree(TreeEntryBytes(mode, name, id));
  };
  const std::string inner = tree_with("100644", "x.c", blob);
  const std::string outer = tree_with("40000", "e", inner);
  Commit(TreeEntryBytes("40000", "d", outer) +
         TreeEntryBytes("100644", "other", blob));
  std::vector<Words> many;
  for (const std::string& id : {inner, outer, blob}) {
    for (const char* const path :
         {":!d", ":!d/", ":!d/e", ":!d/e/", ":!d/e/x.c", ":!*.c", ":!d*",
          ":(exclude,icase)D"}) {
      many.push_back({"--find-object=" + id, "--", path});
      many.push_back({"--find-object=" + id, "--", path, "other", "d"});
    }
  }
  ExpectSame(many);
}

TEST_F(LogContentsTest, SubmodulesEndWithASlashOnlyInTheirOwnPaths) {
  if (TestFormat() != ObjectFormat::kSha1) {
    GTEST_SKIP() << "the ids are those of SHA-1";
  }
  for (const char c : {'a', 'b'}) {
    const std::string sub = TreeEntryBytes("160000", "sub", std::string(40, c));
    const std::string odd = TreeEntryBytes("160000", "s*", std::string(40, c));
    const std::string file =
        TreeEntryBytes("100644", "f", repo_.WriteBlob(std::string(1, c)));
    Commit(TreeEntryBytes("40000", "d", repo_.WriteTree(sub)) + file + odd +
           sub);
  }
  std::vector<Words> options;
  for (const char* const pathspec :
       {":(exclude)sub/", ":(exclude,icase)SUB/", ":(exclude)d/sub/",
        ":(exclude)*/", "*/", ":(glob)**/sub/", "*sub/", "s*/", "sub/",
        ":(icase)SUB/", ":(literal)sub/", ":(literal)s*/", "d/sub/", "sub/x"}) {
    options.push_back({"--name-only", "--", pathspec});
  }
  ExpectSame(options);
}

// As a commit of a submodule, which no file has. Contents do not matter then.
TEST_F(LogContentsTest, WhatIsNotInTheFileIsFoundWithoutReadingBlobs) {
  if (TestFormat() != ObjectFormat::kSha1) {
    GTEST_SKIP() << "the ids are those of SHA-1";
  }
  const std::string id(40, 'b');
  for (const uint64_t seed : {1, 2}) {
    const std::string blob = TreeEntryBytes(
        "100644", "file", repo_.WriteBlob(RandomBytes(seed, 9000)));
    Commit(blob);
    Commit(blob + TreeEntryBytes("160000", "sub", id));
  }
  const Words find = {"--find-object=" + id, "--raw"};
  ExpectSame({find});
  std::string bytes = ReadFile(file_);
  bytes.at(9000) ^= '\x01';
  WriteFile(file_, bytes);
  ASSERT_FALSE(RunZpack({"log", "-p", file_}).ok());
  const ProcessResult found = RunZpack({"log", find[0], "--format=%T", file_});
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_EQ(SplitLines(found.out).size(), 3U);
}

// Neither the empty tree nor the commit of the submodule is in the file.
TEST_F(LogContentsTest, TheEmptyTreeNeedNotBeStored) {
  const std::string module =
      TreeEntryBytes("160000", "sub", std::string(IdDigits(), 'b'));
  const std::string blob =
      TreeEntryBytes("100644", "file", repo_.WriteBlob("a\n"));
  const std::string empty = TreeEntryBytes("40000", "empty", kEmptyTree);
  for (const std::string& entries :
       {std::string(), blob, std::string(), module, std::string(),
        blob + module, module, empty + blob, empty, std::string()}) {
    Commit(entries);
  }
  ASSERT_TRUE(std::filesystem::remove(repo_.LooseObjectPath(kEmptyTree)));
  ExpectSame({{},
              {"--name-only"},
              {"--name-status", "--full-history", "--", "sub"},
              {"-Sa"},
              {"-G."},
              {std::string("--find-object=") + kEmptyTree},
              {"--find-object=" + std::string(IdDigits(), 'b')},
              {std::string("--find-object=") + kEmptyTree,
               "--find-object=" + std::string(IdDigits(), 'b')},
              {std::string("--find-object=HEAD~4:file"),
               "--find-object=" + std::string(IdDigits(), 'b')},
              {std::string("--find-object=HEAD~4:file"),
               std::string("--find-object=") + kEmptyTree},
              {"--", "empty"},
              {"--", "file"}});
}

TEST_F(LogContentsTest, LettersOfFiltersMeanWhatTheyMeanInGit) {
  CommitFile("a\n");
  CommitFile("a\nb\n");
  Commit(TreeEntryBytes("100644", "other", repo_.WriteBlob("a\nb\n")));
  Commit(TreeEntryBytes("100644", "other", repo_.WriteBlob("c\n")) +
         TreeEntryBytes("100644", "third", repo_.WriteBlob("d\n")));
  std::vector<Words> many;
  for (const char* const filter :
       {"A", "a", "Aa", "*", "*d", "*A", "AM", "AMd", "d", "dm", "R", "r", "X",
        "am", "acdmrtuxb"}) {
    many.push_back({std::string("--diff-filter=") + filter});
  }
  ExpectSame(many);
}

// The commits before the first one that cannot be read are listed.
TEST_F(LogContentsTest, DamageEndsTheListWhereItIsMet) {
  std::vector<std::string> files;
  for (int i = 0; i < 60; ++i) files.push_back(repo_.WriteBlob("x"));
  for (size_t i = 0; i < 200; ++i) {
    files[i * 37 % 60] = repo_.WriteBlob(std::to_string(i));
    std::string entries;
    for (size_t file = 0; file < files.size(); ++file) {
      entries += TreeEntryBytes("100644", "f" + std::to_string(10 + file),
                                files[file]);
    }
    Commit(entries);
  }
  Require(
      RunZpack({"convert", "-q", "--block-size=4k", repo_.path(), file_}).ok(),
      "convert");
  const std::string sound = ReadFile(file_);
  size_t partial = 0;
  for (const Words& options :
       {Words{"--format=%h"}, Words{"--format=%h", "--raw"},
        Words{"--format=%h", "--diff-filter=M"}}) {
    const Words rest = options.size() == 1 ? Words{"--", "f*"} : Words{};
    const auto log = [&](const Words& more) {
      Words words = {"log"};
      words.insert(words.end(), options.begin(), options.end());
      words.insert(words.end(), more.begin(), more.end());
      words.push_back(file_);
      words.insert(words.end(), rest.begin(), rest.end());
      return RunZpack(words);
    };
    WriteFile(file_, sound);
    const ProcessResult all = log({});
    for (size_t place = 5; place < 40; ++place) {
      std::string bytes = sound;
      bytes[sound.size() * place / 40] ^= '\x55';
      WriteFile(file_, bytes);
      const ProcessResult damaged = log({});
      EXPECT_TRUE(all.out.starts_with(damaged.out)) << place;
      if (damaged.exit_code == 0 || damaged.out.empty()) continue;
      ++partial;
      // No commit more could have been listed.
      const auto lines = std::ranges::count(damaged.out, '\n');
      const auto in_all = std::ranges::count(all.out, '\n');
      EXPECT_LT(lines, in_all);
      if (options.size() > 1) continue;
      EXPECT_EQ(log({"-n", std::to_string(lines)}).exit_code, 0) << place;
      EXPECT_EQ(log({"-n", std::to_string(lines + 1)}).exit_code, 128) << place;
    }
  }
  EXPECT_GT(partial, 5U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, LogHistoryTest, ::testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace zpack::testing
