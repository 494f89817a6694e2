// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A Git repository, read through libgit2. May be used from several threads.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "object/object_source.h"

namespace zpack {

// Opens the repository that `path` is in: a bare repository, a work tree, a
// '.git' directory or file, a linked worktree, or a directory inside one.
// kNotFound when there is none; kUnsupported, naming the reason, for one that
// libgit2 cannot read (SHA-256 objects, reftable); kSourceCorrupt when an
// alternate is gone.
Result<std::unique_ptr<ObjectSource>> OpenRepository(const std::string& path);

// What a rewrite of a repository's packs needs to know besides its objects.
struct RepackSettings {
  std::string common_directory;  // of the repository and its linked worktrees
  std::string object_directory;  // the repository's own
  uint64_t big_file_threshold = 0;
  unsigned window = 0;  // pack.window
  unsigned depth = 0;   // pack.depth
  // extensions.preciousObjects: nothing may be deleted.
  bool precious_objects = false;
};

// Reads them from the repository that `path` is in, with Git's defaults. Errors
// as above.
Result<RepackSettings> ReadRepackSettings(const std::string& path);

}  // namespace zpack
