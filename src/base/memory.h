// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory available to this process. Any thread.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "zpack/options.h"

namespace zpack {

// Bytes of memory of the machine, or the limit of this process's control group
// if the limit is lower.
uint64_t UsableMemory();

// A control group of a process.
struct ControlGroup {
  std::string mount;  // directory where its hierarchy is mounted
  std::string path;   // from there: "/a/b"
  std::string limit;  // name of the file that has its limit of memory
};

// The groups that may limit the memory of a process, of version 1 and 2 of
// control groups, by its files 'cgroup' and 'mountinfo' (proc(5)).
std::vector<ControlGroup> MemoryGroups(std::istream& groups,
                                       std::istream& mounts);

// The smallest memory limit, in bytes, of a control group and its parents.
// UINT64_MAX if there is no limit.
uint64_t ControlGroupLimit(const ControlGroup& group);

// The memory that `run` allows, in bytes. The default is a quarter of
// UsableMemory().
uint64_t ResolveMemory(const RunOptions& run);

// Number of threads for `run`: the number that `run` asks for, limited so that
// the memory of `run` holds `shared` bytes plus `per_thread` bytes for each
// thread. At least 1. REQUIRES: per_thread > 0.
unsigned FittingThreads(const RunOptions& run, uint64_t shared,
                        uint64_t per_thread);

}  // namespace zpack
