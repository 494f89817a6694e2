// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <istream>
#include <limits>
#include <ranges>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/parallel.h"

namespace zpack {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// Whether `word` is one of the words that commas separate.
bool HasWord(std::string_view words, std::string_view word) {
  return std::ranges::any_of(words | std::views::split(','), [&](auto part) {
    return std::string_view(part) == word;
  });
}

// A mounted hierarchy of control groups.
struct Hierarchy {
  std::string mount;
  std::string root;        // the group that is mounted
  bool is_second = false;  // version 2
};

// The hierarchies with memory among the lines
// "36 35 98:0 /root /mount options - type source options".
std::vector<Hierarchy> MemoryHierarchies(std::istream& mounts) {
  std::vector<Hierarchy> found;
  std::string line;
  while (std::getline(mounts, line)) {
    std::istringstream fields(line);
    std::string skipped;
    Hierarchy hierarchy;
    fields >> skipped >> skipped >> skipped >> hierarchy.root >>
        hierarchy.mount;
    while (fields >> skipped && skipped != "-") {
    }
    std::string type;
    std::string options;
    if (!(fields >> type >> skipped >> options)) continue;
    hierarchy.is_second = type == "cgroup2";
    if (hierarchy.is_second ||
        (type == "cgroup" && HasWord(options, "memory"))) {
      found.push_back(std::move(hierarchy));
    }
  }
  return found;
}

}  // namespace

std::vector<ControlGroup> MemoryGroups(std::istream& groups,
                                       std::istream& mounts) {
  const std::vector<Hierarchy> hierarchies = MemoryHierarchies(mounts);
  std::vector<ControlGroup> found;
  // "4:cpu,memory:/a/b", or of version 2 "0::/a/b".
  std::string line;
  while (std::getline(groups, line)) {
    const size_t controllers = line.find(':') + 1;
    const size_t path = line.find(':', controllers) + 1;
    if (controllers == 0 || path == 0) continue;
    const std::string_view names =
        std::string_view(line).substr(controllers, path - 1 - controllers);
    if (!names.empty() && !HasWord(names, "memory")) continue;
    for (const Hierarchy& hierarchy : hierarchies) {
      if (hierarchy.is_second != names.empty()) continue;
      ControlGroup group{
          hierarchy.mount, line.substr(path),
          hierarchy.is_second ? "memory.max" : "memory.limit_in_bytes"};
      // In a container, its own group may be all that is mounted.
      if (hierarchy.root != "/" && group.path.starts_with(hierarchy.root)) {
        group.path.erase(0, hierarchy.root.size());
      }
      found.push_back(std::move(group));
    }
  }
  return found;
}

uint64_t ControlGroupLimit(const ControlGroup& group) {
  uint64_t smallest = kNoLimit;
  for (std::string path = group.path;; path.resize(path.rfind('/'))) {
    // "max" and a missing file do not parse as numbers.
    std::ifstream file(group.mount + path + '/' + group.limit);
    uint64_t limit = 0;
    if (file >> limit) smallest = std::min(smallest, limit);
    if (path.rfind('/') == std::string::npos) return smallest;
  }
}

uint64_t UsableMemory() {
  uint64_t memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream groups("/proc/self/cgroup");
  std::ifstream mounts("/proc/self/mountinfo");
  for (const ControlGroup& group : MemoryGroups(groups, mounts)) {
    memory = std::min(memory, ControlGroupLimit(group));
  }
  return memory;
}

uint64_t ResolveMemory(const RunOptions& run) {
  return run.memory ? *run.memory : UsableMemory() / 4;
}

unsigned FittingThreads(const RunOptions& run, uint64_t shared,
                        uint64_t per_thread) {
  const uint64_t memory = ResolveMemory(run);
  const uint64_t fitting =
      memory <= shared ? 0 : (memory - shared) / per_thread;
  return static_cast<unsigned>(
      std::clamp<uint64_t>(fitting, 1, ResolveThreads(run.threads)));
}

}  // namespace zpack
