// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "base/parallel.h"

namespace zpack {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

// The control group of this process in the version 2 hierarchy, from the line
// "0::/a/b".
std::string OwnControlGroup() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "/";
}

}  // namespace

uint64_t ControlGroupLimit(const std::string& root, const std::string& path) {
  uint64_t smallest = kNoLimit;
  for (std::string group = path;; group.resize(group.rfind('/'))) {
    // "max" and a missing file do not parse as numbers.
    std::ifstream file(root + group + "/memory.max");
    uint64_t limit = 0;
    if (file >> limit) smallest = std::min(smallest, limit);
    if (group.rfind('/') == std::string::npos) return smallest;
  }
}

uint64_t UsableMemory() {
  const uint64_t machine = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                           static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::min(machine,
                  ControlGroupLimit("/sys/fs/cgroup", OwnControlGroup()));
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
