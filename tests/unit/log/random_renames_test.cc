// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "log/renames.h"
#include "support/rename_fixture.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::log {
namespace {

using zpack::testing::RepoBuilder;
using zpack::testing::TempDir;
using zpack::testing::TreeEntryBytes;

// Random trees, of few names and few lines, so that there are many choices.
class RandomTrees {
 public:
  explicit RandomTrees(uint64_t seed) : random_(seed) {}

  std::pair<FilesByPath, FilesByPath> Next() {
    FilesByPath before;
    size_t count = 1 + Below(Chance(10) ? 40 : 12);
    while (count-- > 0) before.insert_or_assign(NewPath(before), NewFile());
    FilesByPath after;
    for (const auto& [path, file] : before) {
      if (Chance(35)) after.insert_or_assign(path, file);
      if (Chance(15)) after.insert_or_assign(path, Edit(file));
      if (Chance(3)) after.insert_or_assign(path, WithOtherType(file));
      while (Chance(40)) {
        // Mostly with the same name in another directory.
        const std::string other =
            Chance(50) ? Directory() + path.substr(path.rfind('/') + 1)
                       : NewPath(after);
        after.try_emplace(other, Chance(40) ? file : Edit(file));
      }
    }
    if (Chance(50)) after.try_emplace(NewPath(after), NewFile());
    return {std::move(before), std::move(after)};
  }

 private:
  size_t Below(size_t end) { return random_() % end; }
  bool Chance(size_t percent) { return Below(100) < percent; }
  std::string Directory() {
    static constexpr std::array<std::string_view, 6> kDirectories = {
        "", "", "d/", "d/e/", "lib/", "zz/"};
    return std::string(kDirectories[Below(kDirectories.size())]);
  }
  std::string NewPath(const FilesByPath& files) {
    std::string path;
    do {
      path = Directory() + 'f' + std::to_string(Below(30));
    } while (files.contains(path));
    return path;
  }
  std::string Line() {
    std::string line(1 + Below(3), static_cast<char>('a' + Below(8)));
    if (Chance(5)) line.append(Below(200), 'x');
    if (Chance(1)) line += '\r';
    return line + std::to_string(Below(4));
  }
  std::string NewText() {
    if (Chance(8)) return "";
    const std::string end = Chance(25) ? "\r\n" : "\n";
    std::string text;
    if (Chance(12)) text = std::string("bin\0ary", 7);
    size_t lines = Below(Chance(10) ? 900 : 25);
    while (lines-- > 0) text += Line() + end;
    if (Chance(15)) text += Chance(50) ? "rest" : "\r";
    if (Chance(4)) text += std::string(1, '\0');
    return text;
  }
  TreeFile NewFile() {
    if (Chance(8)) return {0120000, "to" + std::to_string(Below(3))};
    if (Chance(4)) {
      return {0160000,
              zpack::testing::FakeId(static_cast<char>('1' + Below(3)))};
    }
    return {Chance(20) ? 0100755u : 0100644u, EndLine(NewText())};
  }
  // Git before 2.44 leaves out what follows the last line feed.
  static std::string EndLine(std::string text) {
    static const bool counts_rest = zpack::testing::GitIsSince(44);
    if (!counts_rest && !text.empty() && !text.ends_with('\n')) text += '\n';
    return text;
  }
  TreeFile Edit(TreeFile file) {
    if (file.mode == 0160000) return NewFile();
    size_t edits = 1 + Below(4);
    while (edits-- > 0) {
      const size_t at = Below(file.content.size() + 1);
      const size_t size = Chance(50) ? 0 : Below(40);
      file.content.replace(at, size, Chance(60) ? Line() + '\n' : "");
    }
    if (Chance(5)) file.content += file.content;
    if (Chance(10)) {  // other ends of lines
      std::string text;
      for (const char c : file.content) {
        if (c == '\n') text += '\r';
        text += c;
      }
      file.content = std::move(text);
    }
    if (file.mode == 0120000) {
      if (file.content.empty()) file.content = "to";
    } else {
      file.content = EndLine(std::move(file.content));
    }
    return file;
  }
  TreeFile WithOtherType(const TreeFile& file) {
    if (file.mode != 0120000 && file.mode != 0160000 &&
        !file.content.contains('\0') && !file.content.empty()) {
      return {0120000, file.content};
    }
    return NewFile();
  }

  std::mt19937_64 random_;
};

// Writes the tree of the files whose paths begin with `directory`.
std::string WriteFiles(const RepoBuilder& repo, const FilesByPath& files,
                       const std::string& directory) {
  std::string entries;
  for (auto it = files.lower_bound(directory);
       it != files.end() && it->first.starts_with(directory);) {
    const auto& [path, file] = *it;
    const size_t slash = path.find('/', directory.size());
    const std::string name =
        path.substr(directory.size(), slash - directory.size());
    if (slash != std::string::npos) {
      const std::string inner = path.substr(0, slash + 1);
      entries += TreeEntryBytes("40000", name, WriteFiles(repo, files, inner));
      while (it != files.end() && it->first.starts_with(inner)) ++it;
      continue;
    }
    std::ostringstream mode;
    mode << std::oct << file.mode;
    entries += TreeEntryBytes(
        mode.str(), name,
        file.mode == 0160000 ? file.content : repo.WriteBlob(file.content));
    ++it;
  }
  return repo.WriteTree(entries);
}

struct TreePair {
  FilesByPath before;
  FilesByPath after;
  std::string trees;  // both, as 'git diff-tree --stdin' takes them
};

std::vector<TreePair> MakeTreePairs(const RepoBuilder& repo, uint64_t seed,
                                    int count) {
  RandomTrees random(seed);
  std::vector<TreePair> pairs;
  for (int i = 0; i < count; ++i) {
    auto [before, after] = random.Next();
    std::string trees =
        WriteFiles(repo, before, "") + ' ' + WriteFiles(repo, after, "");
    pairs.push_back({std::move(before), std::move(after), std::move(trees)});
  }
  return pairs;
}

// The lines of each pair, without modes and ids.
std::vector<std::vector<std::string>> LinesOfGit(
    const RepoBuilder& repo, const std::vector<TreePair>& pairs,
    const std::vector<std::string>& options) {
  std::vector<std::string> command = {"diff-tree", "--stdin", "-r", "--raw"};
  command.insert(command.end(), options.begin(), options.end());
  std::string input;
  for (const TreePair& pair : pairs) input += pair.trees + '\n';
  std::istringstream out(repo.Git(command, input) + '\n');
  std::vector<std::vector<std::string>> all(pairs.size());
  size_t at = 0;
  for (std::string line; std::getline(out, line);) {
    if (line.empty()) continue;
    if (!line.starts_with(':')) {
      while (pairs[at].trees != line)
        ++at;  // pairs of equal trees are left out
      continue;
    }
    std::string status = line.substr(line.find('\t') - 4);
    status.erase(0, status.find(' ') + 1);
    all[at].push_back(std::move(status));
  }
  return all;
}

struct ComparedOptions {
  std::vector<std::string> of_git;
  RenameOptions ours;
};

std::vector<ComparedOptions> AllComparedOptions() {
  using enum RenameSearch;
  return {
      {{"-M"}, {}},
      {{"-C"}, {.search = kCopies}},
      {{"-C", "-C"}, {.search = kCopiesHarder}},
      {{"-M100%"}, {.min_similarity = kMostSimilar}},
      {{"-M0"}, {.min_similarity = 0}},
      {{"-M30%"}, {.min_similarity = 18000}},
      {{"-C10%"}, {.search = kCopies, .min_similarity = 6000}},
      {{"-M90%"}, {.min_similarity = 54000}},
      {{"-M", "-l1"}, {.limit = 1}},
      {{"-M", "-l3"}, {.limit = 3}},
      {{"-C", "-l4"}, {.search = kCopies, .limit = 4}},
      {{"-C", "-C", "-l5"}, {.search = kCopiesHarder, .limit = 5}},
      {{"-C", "-C20%", "-l0"},
       {.search = kCopiesHarder, .min_similarity = 12000, .limit = 0}},
  };
}

// ZPACK_RENAMES=10000 for more of them.
TEST(Renames, AreThoseOfGitInRandomTrees) {
  const char* const more = std::getenv("ZPACK_RENAMES");
  const int count = more == nullptr ? 200 : std::atoi(more);
  constexpr uint64_t kSeed = 20240607;
  const TempDir dir;
  const RepoBuilder repo(dir / "repo");
  const std::vector<TreePair> pairs = MakeTreePairs(repo, kSeed, count);
  repo.PackAll();
  for (const ComparedOptions& options : AllComparedOptions()) {
    const auto expected = LinesOfGit(repo, pairs, options.of_git);
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(LinesOf(pairs[i].before, pairs[i].after, options.ours),
                expected[i])
          << ::testing::PrintToString(options.of_git) << " seed " << kSeed
          << " trees " << pairs[i].trees;
    }
  }
}

TEST(Renames, OnlySomeOfManyEqualFilesAreLookedAt) {
  FilesByPath before;
  for (int i = 100; i < 350; ++i) {
    before.insert_or_assign("old/f" + std::to_string(i), Text(0, 9));
  }
  FilesByPath after;
  for (const char* name : {"x", "f180", "f220", "f120", "f201", "f203"}) {
    after.insert_or_assign("new/" + std::string(name), Text(0, 9));
  }
  const TempDir dir;
  const RepoBuilder repo(dir / "repo");
  const std::string trees =
      WriteFiles(repo, before, "") + ' ' + WriteFiles(repo, after, "");
  for (const ComparedOptions& options : AllComparedOptions()) {
    EXPECT_EQ(
        LinesOf(before, after, options.ours),
        LinesOfGit(repo, {{before, after, trees}}, options.of_git).front())
        << ::testing::PrintToString(options.of_git);
  }
}

TEST(Renames, FollowOneFileAsGitDoes) {
  constexpr uint64_t kSeed = 77;
  const TempDir dir;
  const RepoBuilder repo(dir / "repo");
  int compared = 0;
  for (const TreePair& pair : MakeTreePairs(repo, kSeed, 30)) {
    for (const auto& [path, file] : pair.after) {
      if (pair.before.contains(path) || path.size() % 3 != 0) continue;
      const size_t middle = pair.trees.find(' ');
      const std::string git =
          repo.Git({"diff-tree", "--follow", "-r", pair.trees.substr(0, middle),
                    pair.trees.substr(middle + 1), "--", path});
      std::string found = git.substr(git.find('\t') - 4);
      found.erase(0, found.find(' ') + 1);
      EXPECT_THAT(
          LinesOf(pair.before, pair.after,
                  {.search = RenameSearch::kCopiesHarder, .only = path}),
          ::testing::Contains(found))
          << "seed " << kSeed << " trees " << pair.trees << ' ' << path;
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace zpack::log
