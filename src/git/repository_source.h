// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A Git repository, read through libgit2. May be used from several threads.

#pragma once

#include <memory>
#include <string>

#include "git/object_database.h"
#include "object/object_source.h"

namespace zpack {

// Opens the repository that `path` is in: a bare repository, a work tree, a
// '.git' directory or file, a linked worktree, or a directory inside one.
// kNotFound when there is none; kUnsupported, naming the reason, for one that
// libgit2 cannot read (SHA-256 objects, reftable); kSourceCorrupt when an
// alternate is gone.
Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const std::string& path, const ReadingOptions& options = {});

}  // namespace zpack
