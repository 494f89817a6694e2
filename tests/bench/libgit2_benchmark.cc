// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Times what programs do with libgit2, over a repository or a .zpack file. Run
// it over both and compare; what it prints besides times must be the same.
//
//   libgit2_benchmark WORKLOAD PATH [unhashed]
//
//   objects  reads every object, in the order in which the database lists them
//   walk     reads all commits and all trees that they reach
//   search   compares every commit with its first parent and searches the blobs
//            that changed, as `git log -S`
//   random   10,000 objects at random, and the time that single reads take
//   threads  20,000 objects at random, with 1, 2, 4 and 8 threads
//   calls    10 million calls of different functions, found and not found,
//            and how much memory the process has after each million
//
// With "unhashed", libgit2 does not hash what it reads.

#include <git2.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "zpack/git2.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Counted {
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

void Check(int code, const char* what) {
  if (code >= 0) return;
  const git_error* const error = git_error_last();
  throw std::runtime_error(std::string(what) + ": " +
                           (error != nullptr ? error->message : "no error"));
}

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

struct IdHash {
  size_t operator()(const git_oid& id) const {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(id.id), 20});
  }
};
struct IdEqual {
  bool operator()(const git_oid& a, const git_oid& b) const {
    return git_oid_equal(&a, &b) != 0;
  }
};

git_repository* Open(const std::string& path) {
  git_repository* repository = nullptr;
  if (path.ends_with(".zpack")) {
    Check(zpack_repository_open(&repository, path.c_str(), nullptr), "open");
  } else {
    Check(git_repository_open(&repository, path.c_str()), "open");
  }
  return repository;
}

git_odb* OdbOf(git_repository* repository) {
  git_odb* odb = nullptr;
  Check(git_repository_odb(&odb, repository), "odb");
  return odb;
}

void Count(git_odb* odb, const git_oid& id, Counted& counted) {
  git_odb_object* object = nullptr;
  Check(git_odb_read(&object, odb, &id), "read");
  ++counted.objects;
  counted.bytes += git_odb_object_size(object);
  git_odb_object_free(object);
}

Counted ReadObjects(git_repository* repository) {
  struct State {
    git_odb* odb;
    Counted counted;
  } state{OdbOf(repository), {}};
  const auto read = [](const git_oid* id, void* payload) {
    auto* const self = static_cast<State*>(payload);
    Count(self->odb, *id, self->counted);
    return 0;
  };
  Check(git_odb_foreach(state.odb, read, &state), "foreach");
  git_odb_free(state.odb);
  return state.counted;
}

// Calls `visit` with the commits that the refs reach.
void ForEachCommit(git_repository* repository,
                   const std::function<void(git_commit*)>& visit) {
  git_revwalk* walk = nullptr;
  Check(git_revwalk_new(&walk, repository), "walk");
  Check(git_revwalk_push_glob(walk, "refs/*"), "push");
  git_oid id;
  while (git_revwalk_next(&id, walk) == 0) {
    git_commit* commit = nullptr;
    Check(git_commit_lookup(&commit, repository, &id), "commit");
    visit(commit);
    git_commit_free(commit);
  }
  git_revwalk_free(walk);
}

using Ids = std::unordered_set<git_oid, IdHash, IdEqual>;

void ReadTree(git_repository* repository, const git_oid& id, Ids& seen,
              Counted& counted) {
  if (!seen.insert(id).second) return;
  git_tree* tree = nullptr;
  Check(git_tree_lookup(&tree, repository, &id), "tree");
  ++counted.objects;
  counted.bytes += git_tree_entrycount(tree);
  for (size_t i = 0; i < git_tree_entrycount(tree); ++i) {
    const git_tree_entry* const entry = git_tree_entry_byindex(tree, i);
    if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
      ReadTree(repository, *git_tree_entry_id(entry), seen, counted);
    }
  }
  git_tree_free(tree);
}

Counted Walk(git_repository* repository) {
  Counted counted;
  Ids seen;
  ForEachCommit(repository, [&](git_commit* commit) {
    ++counted.objects;
    ReadTree(repository, *git_commit_tree_id(commit), seen, counted);
  });
  return counted;
}

void SearchBlob(git_repository* repository, const git_oid& id,
                Counted& counted) {
  if (git_oid_is_zero(&id) != 0) return;
  git_blob* blob = nullptr;
  if (git_blob_lookup(&blob, repository, &id) != 0) return;  // a submodule
  const std::string_view content(
      static_cast<const char*>(git_blob_rawcontent(blob)),
      git_blob_rawsize(blob));
  counted.bytes += content.size();
  if (content.find("needle") != std::string_view::npos) ++counted.objects;
  git_blob_free(blob);
}

Counted Search(git_repository* repository) {
  Counted counted;
  ForEachCommit(repository, [&](git_commit* commit) {
    git_tree* tree = nullptr;
    Check(git_commit_tree(&tree, commit), "tree");
    git_tree* before = nullptr;
    git_commit* parent = nullptr;
    if (git_commit_parentcount(commit) > 0) {
      Check(git_commit_parent(&parent, commit, 0), "parent");
      Check(git_commit_tree(&before, parent), "tree");
    }
    git_diff* diff = nullptr;
    Check(git_diff_tree_to_tree(&diff, repository, before, tree, nullptr),
          "diff");
    for (size_t i = 0; i < git_diff_num_deltas(diff); ++i) {
      const git_diff_delta* const delta = git_diff_get_delta(diff, i);
      SearchBlob(repository, delta->old_file.id, counted);
      SearchBlob(repository, delta->new_file.id, counted);
    }
    git_diff_free(diff);
    git_tree_free(before);
    git_commit_free(parent);
    git_tree_free(tree);
  });
  return counted;
}

// All ids, always in the same random order.
std::vector<git_oid> ShuffledIds(git_odb* odb) {
  std::vector<git_oid> ids;
  const auto append = [](const git_oid* id, void* payload) {
    static_cast<std::vector<git_oid>*>(payload)->push_back(*id);
    return 0;
  };
  Check(git_odb_foreach(odb, append, &ids), "foreach");
  std::ranges::sort(ids, [](const git_oid& a, const git_oid& b) {
    return git_oid_cmp(&a, &b) < 0;
  });
  std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed)
  std::ranges::shuffle(ids, random);
  return ids;
}

Counted ReadAtRandom(git_repository* repository) {
  git_odb* const odb = OdbOf(repository);
  std::vector<git_oid> ids = ShuffledIds(odb);
  ids.resize(std::min<size_t>(ids.size(), 10'000));
  Counted counted;
  std::vector<double> times;
  for (const git_oid& id : ids) {
    const auto start = Clock::now();
    Count(odb, id, counted);
    times.push_back(Seconds(start));
  }
  std::ranges::sort(times);
  std::cerr << "p50 " << times[times.size() / 2] * 1e6 << " us, p99 "
            << times[times.size() * 99 / 100] * 1e6 << " us, most "
            << times.back() * 1e6 << " us\n";
  git_odb_free(odb);
  return counted;
}

// The threads share the repository.
Counted ReadWithThreads(git_repository* repository) {
  git_odb* const odb = OdbOf(repository);
  std::vector<git_oid> ids = ShuffledIds(odb);
  ids.resize(std::min<size_t>(ids.size(), 20'000));
  Counted all;
  // What libgit2 keeps is the same for every number of threads.
  for (const git_oid& id : ids) Count(odb, id, all);
  for (const size_t threads : {1U, 2U, 4U, 8U}) {
    std::vector<Counted> counted(threads);
    const auto start = Clock::now();
    {
      std::vector<std::jthread> running;
      for (size_t thread = 0; thread < threads; ++thread) {
        running.emplace_back([&, thread] {
          for (size_t i = thread; i < ids.size(); i += threads) {
            Count(odb, ids[i], counted[thread]);
          }
        });
      }
    }
    std::cerr << threads << " threads: " << Seconds(start) << " s\n";
    for (const Counted& part : counted) {
      all.objects += part.objects;
      all.bytes += part.bytes;
    }
  }
  git_odb_free(odb);
  return all;
}

// The resident memory of this process, in MiB.
uint64_t ResidentMemory() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<uint64_t>(getpagesize()) >> 20;
}

// One call about `id`. `kind` chooses the function. Counts what is found.
void Call(git_repository* repository, git_odb* odb, size_t kind, git_oid id,
          Counted& counted) {
  git_object* object = nullptr;
  git_reference* reference = nullptr;
  size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  constexpr size_t kDigits = 12;
  int found = 0;
  switch (kind) {
    case 0:
      Count(odb, id, counted);
      return;
    case 1:
      found = git_odb_exists(odb, &id) == 1 ? 0 : -1;
      break;
    case 2:
      found = git_odb_exists_prefix(nullptr, odb, &id, kDigits);
      break;
    case 3:
      found = git_odb_read_header(&size, &type, odb, &id);
      break;
    case 4:
      found = git_object_lookup_prefix(&object, repository, &id, kDigits,
                                       GIT_OBJECT_ANY);
      break;
    case 5:
      id.id[GIT_OID_RAWSZ - 1] ^= 1;
      found = git_odb_read_header(&size, &type, odb, &id);
      break;
    case 6:
      found = git_reference_lookup(&reference, repository, "HEAD");
      break;
    default:
      found = git_revparse_single(&object, repository, "HEAD^{tree}");
      break;
  }
  if (found == 0) ++counted.objects;
  counted.bytes += size;
  git_object_free(object);
  git_reference_free(reference);
}

Counted MakeCalls(git_repository* repository) {
  constexpr size_t kKinds = 8;
  constexpr size_t kMillion = 1'000'000;
  git_odb* const odb = OdbOf(repository);
  const std::vector<git_oid> ids = ShuffledIds(odb);
  Counted counted;
  for (size_t i = 0; i < 10 * kMillion; ++i) {
    const size_t kind = i % kKinds;
    Call(repository, odb, kind, ids[i / kKinds % ids.size()], counted);
    if ((i + 1) % kMillion == 0) {
      std::cerr << i + 1 << " calls: " << ResidentMemory() << " MiB\n";
    }
  }
  git_odb_free(odb);
  return counted;
}

int Run(const std::string& workload, const std::string& path, bool unhashed) {
  const std::map<std::string, Counted (*)(git_repository*)> workloads = {
      {"objects", ReadObjects},     {"walk", Walk},
      {"search", Search},           {"random", ReadAtRandom},
      {"threads", ReadWithThreads}, {"calls", MakeCalls}};
  const auto found = workloads.find(workload);
  if (found == workloads.end()) {
    std::cerr << "libgit2_benchmark: no workload '" << workload << "'\n";
    return EXIT_FAILURE;
  }
  Check(git_libgit2_init(), "init");
  if (unhashed) {
    Check(git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0), "opts");
  }
  const auto start = Clock::now();
  git_repository* const repository = Open(path);
  const Counted counted = found->second(repository);
  git_repository_free(repository);
  std::cerr << Seconds(start) << " s\n";
  std::cout << "objects " << counted.objects << " bytes " << counted.bytes
            << "\n";
  git_libgit2_shutdown();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: libgit2_benchmark WORKLOAD PATH [unhashed]\n";
    return EXIT_FAILURE;
  }
  try {
    return Run(argv[1], argv[2], argc == 4);
  } catch (const std::exception& error) {
    std::cerr << "libgit2_benchmark: " << error.what() << "\n";
    return EXIT_FAILURE;
  }
}
