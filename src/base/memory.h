// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory there is for this process. Any thread.

#pragma once

#include <cstdint>
#include <string>

#include "zpack/options.h"

namespace zpack {

// Bytes of memory of the machine, or of the control group that this process is
// in where that may take less.
uint64_t UsableMemory();

// The smallest limit of the control group at `path` ("/a/b") and those above it
// in the hierarchy of version 2 that is mounted at `root`; UINT64_MAX without
// one.
uint64_t ControlGroupLimit(const std::string& root, const std::string& path);

// The bytes that `run` allows, or a quarter of what there is.
uint64_t ResolveMemory(const RunOptions& run);

// Threads for `run`: as many as it asks for, and not more than fit when each
// takes `per_thread` bytes, and all together `shared` bytes besides; at
// least 1.
unsigned FittingThreads(const RunOptions& run, uint64_t shared,
                        uint64_t per_thread);

}  // namespace zpack
