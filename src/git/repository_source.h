// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A Git repository, read through libgit2. May be used from several threads.

#pragma once

#include <memory>
#include <string>

#include "git/object_database.h"
#include "git/repository_location.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Opens it. kUnsupported, naming the reason, for a repository that cannot be
// read (SHA-256 objects, reftable); kSourceCorrupt when an alternate is gone.
Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const RepositoryLocation& location, const ReadingOptions& options = {});

// The same for the repository that `path` is; errors as FindRepository, too.
Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const std::string& path, const ReadingOptions& options = {});

}  // namespace zpack
