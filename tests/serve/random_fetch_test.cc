// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random histories, and random sequences of fetches from them: a client of
// git-zpack has the objects and the boundary that a client of git-upload-pack
// has. With a filter, the client may have more: Git leaves out what a commit of
// the client reaches, although the filter kept it from the client, and applies
// the filter to an object that the client asks for if a commit has it, too.
//
// Environment: ZPACK_FETCH_SEQUENCES, the number of sequences;
// ZPACK_FETCH_SEED, the first seed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

constexpr uint64_t kFirstTime = 1700000000;

uint64_t NumberFrom(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::stoull(text) : otherwise;
}

// Numbers that are the same with every standard library.
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  // Less than `count`.
  uint64_t Roll(uint64_t count) { return engine_() % count; }
  bool OneIn(uint64_t count) { return Roll(count) == 0; }
  template <typename T>
  const T& Any(const std::vector<T>& from) {
    return from[Roll(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

// A repository of a few commits with common trees and blobs, and tags of
// everything.
class RandomRepository {
 public:
  RandomRepository(const std::string& path, Dice& dice)
      : dice_(dice), repo_(path) {
    for (uint64_t i = 0, count = 3 + dice.Roll(4); i < count; ++i) {
      const uint64_t size = dice.OneIn(3) ? 2000 : dice.Roll(60);
      blobs_.push_back(repo_.WriteBlob(RandomBytes(dice.Roll(1U << 30), size)));
    }
    for (uint64_t i = 0, count = 4 + dice.Roll(8); i < count; ++i) AddCommit();
    AddRefs();
    for (const char* const key : {"allowFilter", "allowAnySHA1InWant"}) {
      repo_.Git({"config", std::string("uploadpack.") + key, "true"});
    }
  }

  const std::string& path() const { return repo_.path(); }
  const std::vector<std::string>& refs() const { return refs_; }
  uint64_t last_time() const { return time_; }

 private:
  std::string AddTree(uint64_t levels) {
    std::map<std::string, std::string> entries;
    for (uint64_t i = 0, count = dice_.Roll(4); i < count; ++i) {
      const std::string name(1, static_cast<char>('a' + dice_.Roll(4)));
      entries[name] = TreeEntryBytes("100644", name, dice_.Any(blobs_));
    }
    if (levels > 0 && !dice_.OneIn(4)) {
      const bool known = !trees_.empty() && dice_.OneIn(2);
      const std::string below = known ? dice_.Any(trees_) : AddTree(levels - 1);
      entries["d"] = TreeEntryBytes("40000", "d", below);
    }
    std::string content;
    for (const auto& [name, entry] : entries) content += entry;
    trees_.push_back(repo_.WriteTree(content));
    return trees_.back();
  }

  void AddCommit() {
    std::set<std::string> parents;
    if (!commits_.empty() && !dice_.OneIn(12)) {
      parents.insert(dice_.OneIn(2) ? commits_.back() : dice_.Any(commits_));
      while (dice_.OneIn(3)) parents.insert(dice_.Any(commits_));
    }
    time_ += 100;
    const bool known = !trees_.empty() && dice_.OneIn(5);
    CommitFields fields;
    fields.tree = known ? dice_.Any(trees_) : AddTree(2);
    fields.parents = {parents.begin(), parents.end()};
    fields.time = dice_.OneIn(8) ? time_ - dice_.Roll(500) : time_;
    commits_.push_back(repo_.WriteCommit(fields));
  }

  void SetRef(const std::string& name, const std::string& id) {
    repo_.SetRef(name, id);
    refs_.push_back(name);
  }

  void AddRefs() {
    SetRef("refs/heads/main", commits_.back());
    for (uint64_t i = 0, count = dice_.Roll(3); i < count; ++i) {
      SetRef("refs/heads/b" + std::to_string(i), dice_.Any(commits_));
    }
    std::vector<std::pair<std::string, std::string>> targets;
    const std::map<std::string, std::vector<std::string>*> kinds = {
        {"commit", &commits_}, {"tree", &trees_}, {"blob", &blobs_}};
    for (uint64_t i = 0, count = dice_.Roll(5); i < count; ++i) {
      auto kind = kinds.begin();
      std::advance(kind, static_cast<ptrdiff_t>(dice_.Roll(3)));
      std::string type = kind->first;
      std::string id = dice_.Any(*kind->second);
      if (!targets.empty() && dice_.OneIn(3)) {
        std::tie(type, id) = dice_.Any(targets);
      }
      const std::string name = "t" + std::to_string(i);
      if (!dice_.OneIn(4)) {
        id = repo_.WriteTag(id, type, name);
        type = "tag";
      }
      targets.emplace_back(type, id);
      SetRef("refs/tags/" + name, id);
    }
  }

  Dice& dice_;
  RepoBuilder repo_;
  uint64_t time_ = kFirstTime;
  std::vector<std::string> blobs_;
  std::vector<std::string> trees_;
  std::vector<std::string> commits_;
  std::vector<std::string> refs_;
};

// What a client has.
struct Held {
  bool fetched = false;
  std::string shallow;
  std::string refs;
  std::set<std::string> objects;

  friend bool operator==(const Held&, const Held&) = default;
};

void PrintTo(const Held& held, std::ostream* out) {
  *out << (held.fetched ? "fetched" : "failed") << "\nshallow:\n"
       << held.shallow << "refs:\n"
       << held.refs << "\nobjects:\n";
  for (const std::string& object : held.objects) *out << object << '\n';
}

class Client {
 public:
  Client(std::string path, const std::string& url, std::string upload_pack)
      : repo_(std::move(path)), upload_pack_(std::move(upload_pack)) {
    repo_.Git({"remote", "add", "origin", url});
    repo_.Git({"config", "remote.origin.uploadpack", upload_pack_});
    repo_.Git({"config", "gc.auto", "0"});
    repo_.Git({"config", "maintenance.auto", "false"});
  }

  Held Fetch(const std::vector<std::string>& arguments) {
    // A client that fetches one object at a time without end is stopped, with
    // all that it has started.
    std::vector<std::string> command = {"timeout", "20", "git", "-C",
                                        repo_.path()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProcessOptions options;
    options.environment = HermeticEnvironment();
    if (const char* const path = std::getenv("PATH")) {
      options.environment.push_back(std::string("PATH=") + path);
    }
    options.environment.push_back("GIT_NO_LAZY_FETCH=1");
    const ProcessResult result = RunProcess(command, options);
    error_ = result.err;
    Held held;
    held.fetched = result.ok();
    const std::string shallow = repo_.git_dir() + "/shallow";
    if (Exists(shallow)) held.shallow = Sorted(ReadFile(shallow));
    held.refs = repo_.Git(
        {"for-each-ref", "--format=%(objectname) %(refname) %(objecttype)"});
    for (const std::string& line : SplitLines(repo_.Git(
             {"cat-file", "--batch-all-objects",
              "--batch-check=%(objectname) %(objecttype) %(objectsize)"}))) {
      held.objects.insert(line);
    }
    return held;
  }

  const std::string& error() const { return error_; }

 private:
  static std::string Sorted(const std::string& text) {
    std::vector<std::string> lines = SplitLines(text);
    std::ranges::sort(lines);
    std::string sorted;
    for (const std::string& line : lines) sorted += line + '\n';
    return sorted;
  }

  RepoBuilder repo_;
  std::string upload_pack_;
  std::string error_;
};

// A filter; empty for none.
std::string RandomFilter(Dice& dice) {
  const std::vector<std::string> simple = {
      "blob:none",        "blob:limit=50",    "blob:limit=1k",
      "tree:0",           "tree:1",           "tree:2",
      "object:type=blob", "object:type=tree", "object:type=commit",
      "object:type=tag"};
  if (dice.OneIn(4)) {
    return "combine:" + dice.Any(simple) + '+' + dice.Any(simple);
  }
  return dice.Any(simple);
}

std::vector<std::string> RandomDepth(const RandomRepository& repository,
                                     Dice& dice) {
  const std::string depth = std::to_string(1 + dice.Roll(4));
  switch (dice.Roll(6)) {
    case 0:
      return {"--depth=" + depth};
    case 1:
      // Before 2.54, Git counted '--deepen' in another way than git-zpack.
      return {(GitIsSince(54) ? "--deepen=" : "--depth=") + depth};
    case 2:
      return {"--shallow-since=@" +
              std::to_string(repository.last_time() - dice.Roll(1000))};
    case 3:
      return {"--shallow-exclude=" + dice.Any(repository.refs())};
    case 4:
      return {"--unshallow"};
    default:
      return {};
  }
}

std::vector<std::string> RandomFetch(const RandomRepository& repository,
                                     bool filters, Dice& dice) {
  std::vector<std::string> arguments = {
      "-c", "protocol.version=" + std::to_string(dice.Roll(3)), "fetch", "-q"};
  if (dice.OneIn(3)) arguments.emplace_back("--no-tags");
  for (std::string& option : RandomDepth(repository, dice)) {
    arguments.push_back(std::move(option));
  }
  if (filters) arguments.push_back("--filter=" + RandomFilter(dice));
  arguments.emplace_back("origin");
  if (dice.OneIn(3)) {
    arguments.emplace_back("+refs/*:refs/*");
  } else {
    for (uint64_t i = 0, count = 1 + dice.Roll(2); i < count; ++i) {
      const std::string& ref = dice.Any(repository.refs());
      arguments.push_back('+' + ref + ':' + ref);
    }
  }
  return arguments;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

// Plays one sequence with both servers.
void PlaySequence(uint64_t seed) {
  Dice dice(seed);
  const TempDir dir;
  const RandomRepository repository(dir / "repo", dice);
  const std::string file = dir / "repo.zpack";
  ASSERT_TRUE(RunZpack({"convert", "-q", repository.path(), file}).ok());
  Client theirs(dir / "theirs", "file://" + repository.path(),
                "git upload-pack");
  Client ours(dir / "ours", "file://" + file, ZpackBinary() + " upload-pack");
  const bool filters = dice.OneIn(2);
  std::string story;
  for (uint64_t step = 0, count = 1 + dice.Roll(3); step < count; ++step) {
    const std::vector<std::string> fetch =
        RandomFetch(repository, filters, dice);
    story += Joined(fetch) + '\n';
    const Held expected = theirs.Fetch(fetch);
    const Held held = ours.Fetch(fetch);
    const std::string context = "ZPACK_FETCH_SEED=" + std::to_string(seed) +
                                '\n' + story + "ours: " + ours.error() +
                                "\ntheirs: " + theirs.error();
    if (filters && held != expected) {
      EXPECT_TRUE((held.fetched || !expected.fetched) &&
                  std::ranges::includes(held.objects, expected.objects))
          << ::testing::PrintToString(held)
          << ::testing::PrintToString(expected) << context;
      return;
    }
    ASSERT_EQ(held, expected) << context;
    if (!held.fetched) return;
  }
}

TEST(RandomFetchTest, GivesClientsWhatGitGives) {
  const uint64_t first = NumberFrom("ZPACK_FETCH_SEED", 1);
  const uint64_t count = NumberFrom("ZPACK_FETCH_SEQUENCES", 12);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    PlaySequence(seed);
  }
}

}  // namespace
}  // namespace zpack::testing
