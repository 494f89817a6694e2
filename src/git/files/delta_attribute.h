// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the paths with the attribute '-delta' (gitattributes(5)). A function
// without state; one call at a time for a repository.

#pragma once

#include <vector>

#include "git/libgit2.h"
#include "object/path_table.h"
#include "zpack/result.h"

namespace zpack {

// One flag for each path of `paths`. Attributes come from the places that
// git-pack-objects(1) reads: info/attributes; .gitattributes of the work tree,
// or else of the index; and the files of the user and the system. Of a path in
// more than 128 directories, only the first 128 directories and the last name
// count. With SHA-256 objects, the attributes of the index do not count,
// because libgit2 cannot read such an index. Nothing below a directory counts
// if its .gitattributes is not a regular file. kInvalidArgument if another of
// these files of the repository is not.
Result<IndexedVector<PathNumber, bool>> FindUndeltifiedPaths(
    git_repository* repository, const PathTable& paths);

}  // namespace zpack
