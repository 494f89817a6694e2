// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// From a .zpack file back to a Git repository.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct RestoreStats {
  uint64_t objects = 0;
  uint64_t raw_bytes = 0;   // of object content
  uint64_t pack_bytes = 0;  // of the pack and its index
  uint64_t refs = 0;
  std::vector<PhaseTime> phases;  // in the order they ran
};

// Makes a bare repository at `directory` with every object, ref, HEAD and
// shallow boundary of the file at `path`. Every object is hashed on the way;
// the repository appears only when everything was written and synced. An empty
// directory stays what it is, and HEAD appears last in it.
//
// kExists when `directory` is there and not empty, unless options.overwrite is
// kYes and it is a bare repository without linked worktrees or files that are
// not Git's; kUnsupported when its file system cannot exchange two directories;
// kCorrupt or kMismatch, naming object and
// offset, when the file is damaged.
Result<RestoreStats> Restore(const std::string& path,
                             const std::string& directory,
                             const RestoreOptions& options);

}  // namespace zpack
