// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory available to this process. Any thread.

#pragma once

#include <cstdint>
#include <string>

#include "zpack/options.h"

namespace zpack {

// Bytes of memory of the machine, or the limit of this process's control group
// if the limit is lower.
uint64_t UsableMemory();

// The smallest memory limit, in bytes, of the control group at `path` ("/a/b")
// and its parents. `root` is the mount point of the control group hierarchy,
// version 2. UINT64_MAX if there is no limit.
uint64_t ControlGroupLimit(const std::string& root, const std::string& path);

// The memory that `run` allows, in bytes. The default is a quarter of
// UsableMemory().
uint64_t ResolveMemory(const RunOptions& run);

// Number of threads for `run`: the number that `run` asks for, limited so that
// the memory of `run` holds `shared` bytes plus `per_thread` bytes for each
// thread. At least 1. REQUIRES: per_thread > 0.
unsigned FittingThreads(const RunOptions& run, uint64_t shared,
                        uint64_t per_thread);

}  // namespace zpack
