// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'grep <rev>' prints what 'git grep <rev>' prints, byte for byte; with
// --all-history, what a search of each commit with Git says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/subprocess.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class GrepTest : public ::testing::Test {
 protected:
  GrepTest() : repo_(dir_ / "repo") {}

  // A commit with these files; returns its id.
  std::string Commit(const std::map<std::string, std::string>& files,
                     const std::vector<std::string>& parents = {},
                     uint64_t time = 1000) {
    repo_.Git({"read-tree", "--empty"});
    for (const auto& [path, content] : files) {
      repo_.Git({"update-index", "--add", "--cacheinfo",
                 "100644," + repo_.WriteBlob(content) + ',' + path});
    }
    CommitFields fields;
    fields.tree = repo_.Git({"write-tree"});
    fields.parents = parents;
    fields.time = time;
    return repo_.WriteCommit(fields);
  }

  void Convert() {
    const ProcessResult result =
        RunZpack({"convert", "-q", "--force", repo_.path(), file_});
    Require(result.ok(), result.err);
  }

  // `options` hold the pattern; `rest` the revisions and paths.
  ProcessResult Grep(const std::vector<std::string>& options,
                     const std::vector<std::string>& rest) const {
    std::vector<std::string> words = {"grep"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(file_);
    words.insert(words.end(), rest.begin(), rest.end());
    return RunZpack(words);
  }

  void ExpectSame(const std::vector<std::string>& options,
                  const std::vector<std::string>& rest) const {
    std::vector<std::string> git = {"grep"};
    git.insert(git.end(), options.begin(), options.end());
    git.insert(git.end(), rest.begin(), rest.end());
    const ProcessResult expected = repo_.TryGit(git);
    const ProcessResult actual = Grep(options, rest);
    EXPECT_EQ(actual.exit_code, expected.exit_code)
        << ::testing::PrintToString(git) << actual.err;
    EXPECT_EQ(actual.out, expected.out) << ::testing::PrintToString(git);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
};

std::map<std::string, std::string> SomeFiles() {
  std::string many;
  for (int i = 0; i < 60; ++i) {
    many += i % 7 == 0 ? "a word here\n" : "line " + std::to_string(i) + "\n";
  }
  return {{"a.c", "int foo(void)\n{\n  return bar + foo;\n}\n"},
          {"b", std::string("foo\0binary\n", 11)},
          {"d/many", many},
          {"d/e/last", "foo\nno line feed: foo"},
          {"empty", ""},
          {"odd\tna\"me", "foo\tword\n"},
          {"\xc3\xa4", "\xc3\x84rger foo\r\n"},
          {"words", "foo_bar foo-bar xfoo foo\nFOO\n\nfoobar\n"}};
}

TEST_F(GrepTest, TheLocaleSaysHowManyBytesACharacterHas) {
  repo_.SetRef("refs/heads/main", Commit({{"a", "\xc6\xfc\xcb\xdcI\nxyI\n"},
                                          {"b", "x\xc6\xfcy\nx\xe4y\nxzy\n"},
                                          {"c", "\x81\x30\x81\x30I\n"}}));
  Convert();
  for (const std::string charmap : {"EUC-JP", "GB18030", "ISO-8859-1"}) {
    SCOPED_TRACE(charmap);
    const ProcessResult made =
        RunProcess({"localedef", "-i", "ja_JP", "-f", charmap,
                    dir_ / ("ja_JP." + charmap)});
    ASSERT_TRUE(std::filesystem::exists(dir_ / ("ja_JP." + charmap)))
        << made.err;
    ProcessOptions options;
    options.environment = HermeticEnvironment();
    options.environment.push_back("LOCPATH=" + dir_.path());
    options.environment.push_back("LC_ALL=ja_JP." + charmap);
    for (const char* const pattern :
         {"^..I$", "^.I$", "..I$", "x.y", "^x[^a]y", "x.\\{1,2\\}y", "I"}) {
      for (const char* const syntax : {"-E", "-G"}) {
        const ProcessResult expected = RunProcess(
            {"git", "-C", repo_.path(), "grep", syntax, "-c", pattern, "main"},
            options);
        std::vector<std::string> words = {"grep",  syntax, "-c",
                                          pattern, file_,  "main"};
        EXPECT_EQ(RunZpack(words, options).out, expected.out) << pattern;
        words.back() = "--all-history";
        EXPECT_EQ(RunZpack(words, options).out.empty(), expected.out.empty())
            << pattern;
      }
    }
  }
}

TEST_F(GrepTest, OptionsAreThoseOfGit) {
  repo_.SetRef("refs/heads/main", Commit(SomeFiles()));
  Convert();
  const std::vector<std::vector<std::string>> table = {
      {"foo"},
      {"-n", "foo"},
      {"-n", "--column", "foo"},
      {"-c", "foo"},
      {"-l", "foo"},
      {"-L", "foo"},
      {"-z", "-n", "foo"},
      {"-z", "-l", "foo"},
      {"-h", "foo"},
      {"-h", "-H", "foo"},
      {"-i", "foo"},
      {"-w", "foo"},
      {"-v", "foo"},
      {"-v", "-n", "--column", "foo"},
      {"-o", "foo"},
      {"-o", "-n", "--column", "-e", "foo", "-e", "bar"},
      {"-a", "foo"},
      {"-I", "foo"},
      {"-I", "-a", "foo"},
      {"-a", "-I", "foo"},
      {"--max-depth=0", "-r", "foo"},
      {"--no-recursive", "--max-depth=5", "foo"},
      {"--max-depth=5", "--no-recursive", "foo"},
      {"-q", "foo"},
      {"-q", "nothing at all"},
      {"-F", "+ foo;"},
      {"-E", "foo|bar"},
      {"-E", "(foo|bar)+$"},
      {"-G", "^\\(foo\\|int\\)"},
      {"-P", "foo(?!bar)"},
      {"-P", "\\bfoo\\b"},
      {"-E", "-F", "-G", "fo*"},
      {"-e", ""},
      {"-n", "-A1", "word"},
      {"-n", "-B2", "word"},
      {"-n", "-C4", "word"},
      {"-n", "-3", "word"},
      {"-n", "-A1", "-B3", "-1", "word"},
      {"-n", "-C1", "foo"},
      {"-m2", "foo"},
      {"-m0", "foo"},
      {"-m1", "-c", "foo"},
      {"--heading", "--break", "-n", "word"},
      {"--heading", "-C1", "word"},
      {"--color=always", "-n", "--column", "-C1", "word"},
      {"--color", "-o", "foo"},
      {"--color=always", "-l", "foo"},
      {"-e", "foo", "--and", "-e", "bar"},
      {"-e", "foo", "--and", "--not", "-e", "bar"},
      {"--not", "-e", "foo"},
      {"-e", "return", "--and", "(", "-e", "foo", "--or", "-e", "nope", ")"},
      {"--all-match", "-e", "foo", "-e", "return"},
      {"--all-match", "-L", "-e", "foo", "-e", "return"},
      {"-e", "foo\nword"},
      {"--max-depth=0", "foo"},
      {"--max-depth", "1", "foo"},
      {"--no-recursive", "foo"},
      {"-nwi", "FOO"},
      {"-n1", "foo"},
      {"-1n", "word"},
      {"-in2e", "FOO"},
      {"-e", "-n"},
      {"-e", "--color"},
      {"-e", "--help"},
      {"-e", "--json"},
      {"-e", "--", "-e", "foo"},
      {"-P", "-e", "foo\nbar"},
      {"-ow", "-E", "[-a-z][a-z]+"},
      {"-ie", "FOO"},
  };
  for (const auto& options : table) {
    ExpectSame(options, {"HEAD"});
  }
}

TEST_F(GrepTest, RevisionsAndPaths) {
  const std::string first = Commit({{"a", "foo 1\n"}, {"d/x", "foo\n"}});
  const std::string second =
      Commit({{"a", "foo 2\n"}, {"d/x", "foo\n"}, {"d/y", "foo\n"}}, {first});
  repo_.SetRef("refs/heads/main", second);
  repo_.SetRef("refs/tags/v1", repo_.WriteTag(first, "commit", "v1"));
  Convert();
  ExpectSame({"foo"}, {"HEAD"});
  ExpectSame({"foo"}, {"v1", "main"});
  ExpectSame({"foo"}, {"HEAD:d"});
  ExpectSame({"foo"}, {"HEAD:d/x", "HEAD~1:a"});
  ExpectSame({"foo"}, {first.substr(0, 10)});
  ExpectSame({"foo"}, {"HEAD", "--", "d"});
  ExpectSame({"foo"}, {"HEAD", "--", "*x", ":!a"});
  ExpectSame({"foo"}, {"HEAD", "--", "none"});
  ExpectSame({"-L", "1"}, {"HEAD", "v1"});
  EXPECT_EQ(Grep({"2"}, {}).out, "HEAD:a:foo 2\n");
}

TEST_F(GrepTest, NamesThatARevisionGivesAreQuoted) {
  repo_.SetRef("refs/heads/main",
               Commit({{"a\nb", "foo\n"}, {"\xc3\xa4", "foo\n"}}));
  Convert();
  for (const std::string option : {"-l", "-c", "-n", "-z"}) {
    ExpectSame({option, "foo"}, {"HEAD:a\nb"});
    ExpectSame({option, "foo"}, {"HEAD:\xc3\xa4"});
  }
}

TEST_F(GrepTest, PatternsOfAFile) {
  repo_.SetRef("refs/heads/main", Commit(SomeFiles()));
  Convert();
  WriteFile(dir_ / "patterns", "return\r\nno such\nword");
  ExpectSame({"-f", dir_ / "patterns"}, {"HEAD"});
  ExpectSame({"-F", "-f", dir_ / "patterns", "-e", "binary"}, {"HEAD"});
  WriteFile(dir_ / "empty-lines", "no such\n\n\r\nword\n\n");
  ExpectSame({"-f", dir_ / "empty-lines"}, {"HEAD"});
  ExpectSame({"-v", "-c", "-f", dir_ / "empty-lines"}, {"HEAD"});
  WriteFile(dir_ / "wrong", "fine\nx[\n");
  const ProcessResult wrong = Grep({"-f", dir_ / "wrong"}, {"HEAD"});
  EXPECT_EQ(wrong.exit_code, 128);
  EXPECT_THAT(wrong.err, HasSubstr("at 2, 'x['"));
  EXPECT_EQ(Grep({"-f", dir_ / "missing"}, {"HEAD"}).exit_code, 128);
  WriteFile(dir_ / "nul", std::string_view("a\0b", 3));
  EXPECT_THAT(Grep({"-f", dir_ / "nul"}, {"HEAD"}).err,
              HasSubstr("given pattern contains NULL byte (via -f <file>). "
                        "This is only supported with -P under PCRE v2\n"));
}

TEST_F(GrepTest, ErrorsNameWhatIsWrong) {
  repo_.SetRef("refs/heads/main", Commit(SomeFiles()));
  Convert();
  const auto expect = [&](const std::vector<std::string>& options,
                          const std::vector<std::string>& rest, int code,
                          const std::string& text) {
    const ProcessResult result = Grep(options, rest);
    EXPECT_EQ(result.exit_code, code) << result.out;
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_THAT(result.out, IsEmpty());
  };
  expect({"x["}, {"HEAD"}, 128, "command line, 'x['");
  expect({"-P", "x("}, {"HEAD"}, 128, "command line, 'x('");
  expect({"foo"}, {"nope"}, 128, "paths come after '--'");
  expect({"foo"}, {"HEAD", "--", "/abs"}, 128, "outside the tree");
  expect({"-e", "foo", "--and"}, {}, 128, "--and not followed by");
  expect({"--all-history", "foo"}, {"HEAD"}, 129, "'--all-history', not both");
  expect({"--all-history", "-o", "foo"}, {}, 129, "does not go with");
  expect({"--format=x", "foo"}, {}, 129, "needs '--all-history'");
  expect({"--all-history", "--format=%(odd)", "foo"}, {}, 129, "'%(odd)'");
  expect({"-W", "foo"}, {"HEAD"}, 129, "git grep -W");
  EXPECT_EQ(RunZpack({"grep", "foo"}).exit_code, 129);
  EXPECT_EQ(RunZpack({"grep"}).exit_code, 128);
  EXPECT_THAT(RunZpack({"grep", "-h"}).out, StartsWith("usage:"));
}

// What the search of all history is to say, from searches of each commit.
struct Expected {
  std::string brought;
  std::string removed;
  std::string blob;
};
using AllExpected = std::map<std::string, Expected>;  // by path and line

class GrepHistoryTest : public GrepTest {
 protected:
  using Lines = std::set<std::string>;  // "<path>:<text>"

  Lines LinesOfCommit(const std::string& commit, const std::string& pattern) {
    Lines lines;
    const ProcessResult found =
        repo_.TryGit({"grep", "-a", "-e", pattern, commit});
    for (const std::string& line : LinesOf(found.out)) {
      lines.insert(line.substr(commit.size() + 1));
    }
    return lines;
  }

  AllExpected FromGit(const std::string& pattern) {
    AllExpected all;
    std::map<std::string, Lines> lines;
    const auto commits =
        LinesOf(repo_.Git({"rev-list", "--all", "--date-order", "--parents"}));
    Lines present;
    for (const std::string& ref : LinesOf(repo_.Git(
             {"for-each-ref", "--format=%(objectname)", "refs/heads"}))) {
      present.merge(LinesOfCommit(ref, pattern));
    }
    std::vector<std::vector<std::string>> rows;
    for (const std::string& row : commits) {
      std::istringstream words(row);
      std::vector<std::string> ids;
      for (std::string id; words >> id;) ids.push_back(id);
      lines[ids.front()] = LinesOfCommit(ids.front(), pattern);
      rows.push_back(ids);
    }
    for (const std::vector<std::string>& ids : rows) {
      for (const std::string& line : lines[ids.front()]) {
        Expected& expected = all[line];
        expected.brought = ids.front();  // the last one stays: the oldest
        const std::string path = line.substr(0, line.find(':'));
        expected.blob = repo_.Git({"rev-parse", ids.front() + ':' + path});
      }
      if (ids.size() == 1) continue;
      Lines lost = lines[ids[1]];
      std::erase_if(lost, [&](const std::string& line) {
        if (lines[ids.front()].contains(line)) return true;
        for (size_t i = 2; i < ids.size(); ++i) {
          if (!lines[ids[i]].contains(line)) return true;
        }
        return false;
      });
      for (const std::string& line : lost) {
        Expected& expected = all[line];
        if (expected.removed.empty()) expected.removed = ids.front();
      }
    }
    for (auto& [line, expected] : all) {
      if (present.contains(line)) expected.removed.clear();
    }
    return all;
  }

  AllExpected FromFile(const std::string& pattern) {
    AllExpected all;
    const ProcessResult found =
        Grep({"--all-history", "-a", "--format",
              "%(brought) %(removed) %(blob) %(path):%(text)", "-e", pattern},
             {});
    for (const std::string& line : LinesOf(found.out)) {
      std::vector<std::string> words;
      size_t at = 0;
      for (int i = 0; i < 3; ++i) {
        const size_t end = line.find(' ', at);
        words.push_back(line.substr(at, end - at));
        at = end + 1;
      }
      const bool is_new =
          all.emplace(line.substr(at), Expected{words[0], words[1], words[2]})
              .second;
      EXPECT_TRUE(is_new) << line;
    }
    return all;
  }

  void ExpectAsGit(const std::string& pattern) {
    const AllExpected expected = FromGit(pattern);
    const AllExpected actual = FromFile(pattern);
    EXPECT_EQ(actual.size(), expected.size());
    for (const auto& [line, events] : expected) {
      const auto found = actual.find(line);
      ASSERT_NE(found, actual.end()) << line;
      EXPECT_EQ(found->second.brought, events.brought) << line;
      EXPECT_EQ(found->second.removed, events.removed) << line;
      EXPECT_EQ(found->second.blob, events.blob) << line;
    }
  }
};

TEST_F(GrepHistoryTest, LinesComeAndGo) {
  const std::string first =
      Commit({{"a", "secret 1\nrest\n"}, {"b", "x\n"}}, {}, 1000);
  const std::string second =
      Commit({{"a", "rest\n"}, {"b", "x\nsecret 2\n"}}, {first}, 2000);
  const std::string third = Commit({{"b", "secret 2\n"}}, {second}, 3000);
  repo_.SetRef("refs/heads/main", third);
  Convert();
  const ProcessResult found = Grep({"--all-history", "secret"}, {});
  const auto id = [](const std::string& full) { return full.substr(0, 12); };
  EXPECT_THAT(
      LinesOf(found.out),
      ElementsAre(id(second) + ".. " + id(HashObject("blob", "x\nsecret 2\n")) +
                      " b:2:secret 2",
                  id(first) + ".." + id(second) + ' ' +
                      id(HashObject("blob", "secret 1\nrest\n")) +
                      " a:1:secret 1"));
  EXPECT_EQ(Grep({"--all-history", "nothing"}, {}).exit_code, 1);
  EXPECT_EQ(Grep({"--all-history", "-q", "secret"}, {}).exit_code, 0);
  EXPECT_EQ(LinesOf(Grep({"--all-history", "secret"}, {"--", "b"}).out).size(),
            1U);
}

TEST_F(GrepHistoryTest, TheEmptyTreeNeedNotBeStored) {
  const std::string first = Commit({}, {}, 1000);
  const std::string second = Commit({{"a", "secret\n"}}, {first}, 2000);
  const std::string third = Commit({}, {second}, 3000);
  repo_.SetRef("refs/heads/main", third);
  std::filesystem::remove(repo_.LooseObjectPath(kEmptyTree));
  Convert();
  ExpectAsGit("secret");
}

// Random commits, branches and merges over a few files of a few lines.
TEST_F(GrepHistoryTest, RandomHistories) {
  uint64_t state = 7;
  const auto random = [&](uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
  };
  std::vector<std::string> commits;
  std::vector<std::map<std::string, std::string>> trees;
  for (uint64_t i = 0; i < 40; ++i) {
    std::vector<std::string> parents;
    std::map<std::string, std::string> files;
    if (!commits.empty()) {
      const size_t parent =
          commits.size() - 1 - random(std::min<size_t>(commits.size(), 4));
      parents.push_back(commits[parent]);
      files = trees[parent];
      if (random(4) == 0) {
        const size_t other = random(commits.size());
        if (other != parent) {
          parents.push_back(commits[other]);
          for (const auto& [path, content] : trees[other]) {
            if (random(2) == 0) files[path] = content;
          }
        }
      }
    }
    const std::string path =
        random(3) == 0 ? "d/x" : "f" + std::to_string(random(3));
    if (random(5) == 0) {
      files.erase(path);
    } else {
      std::string& content = files[path];
      content += "k" + std::to_string(random(6)) + "\nother\n";
      if (content.size() > 60) content.erase(0, 30);
    }
    commits.push_back(Commit(files, parents, 1000 + i * 10));
    trees.push_back(files);
    repo_.SetRef("refs/heads/b" + std::to_string(random(3)), commits.back());
    repo_.SetRef("refs/tags/c" + std::to_string(i), commits.back());
  }
  Convert();
  ExpectAsGit("k");
  ExpectAsGit("k[0-2]");
  ExpectAsGit("^other$");
}

TEST_F(GrepHistoryTest, VersionsWithoutACommit) {
  repo_.SetRef("refs/heads/main", Commit({{"a", "x\n"}}));
  const std::string blob = repo_.WriteBlob("alone\n");
  repo_.SetRef("refs/tags/blob", blob);
  Convert();
  EXPECT_EQ(Grep({"--all-history", "alone"}, {}).out,
            ".. " + blob.substr(0, 12) + " :1:alone\n");
  EXPECT_EQ(Grep({"--all-history", "-l", "alone"}, {}).out, blob + '\n');
}

TEST_F(GrepHistoryTest, EveryBlobIsListedAndCountedAsByGit) {
  const std::string tip = repo_.History(30);
  repo_.SetRef("refs/heads/main", tip);
  Convert();
  std::vector<std::string> blobs;
  for (const std::string& line :
       LinesOf(repo_.Git({"cat-file", "--batch-all-objects",
                          "--batch-check=%(objecttype) %(objectname)"}))) {
    if (line.starts_with("blob ")) blobs.push_back(line.substr(5));
  }
  for (const char* const option : {"-c", "-l", "-L"}) {
    std::vector<std::string> git = {"grep", option, "-e", "1"};
    git.insert(git.end(), blobs.begin(), blobs.end());
    std::multiset<std::string> expected;
    for (const std::string& line : LinesOf(repo_.TryGit(git).out)) {
      expected.insert(line);
    }
    std::multiset<std::string> actual;
    for (const std::string& line :
         LinesOf(Grep({"--all-history", option, "-e", "1"}, {}).out)) {
      const size_t colon = line.find(':');
      const size_t last = line.rfind(':');
      actual.insert(std::string_view(option) == "-c"
                        ? line.substr(0, colon) + line.substr(last)
                        : line.substr(0, colon));
    }
    EXPECT_EQ(actual, expected) << option;
  }
}

TEST_F(GrepHistoryTest, BinaryFilesAreSaidToMatch) {
  repo_.SetRef("refs/heads/main",
               Commit({{"b", std::string("foo\0bar\n", 8)}}));
  Convert();
  EXPECT_THAT(Grep({"--all-history", "foo"}, {}).out,
              HasSubstr(" b::Binary file matches\n"));
  EXPECT_EQ(Grep({"--all-history", "-I", "foo"}, {}).exit_code, 1);
}

// A history of a chain of files is that of one file.
TEST_F(GrepHistoryTest, AChainIsSearchedAsOneFile) {
  const std::string first = Commit({{"a", "k one\nk two\n"}}, {}, 1000);
  repo_.SetRef("refs/heads/main", first);
  Convert();
  repo_.SetRef("refs/heads/main",
               Commit({{"a", "k one\nk three\n"}}, {first}, 2000));
  const std::string upper = dir_ / "y.zpack";
  const ProcessResult made =
      RunZpack({"convert", "-q", "--onto", file_, repo_.path(), upper});
  ASSERT_TRUE(made.ok()) << made.err;
  file_ = upper;
  ExpectAsGit("k");
  ExpectSame({"-n", "k"}, {"HEAD", "HEAD~1"});
}

}  // namespace
}  // namespace zpack::testing
