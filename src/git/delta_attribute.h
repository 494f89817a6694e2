// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which paths have the attribute '-delta' (gitattributes(5)). A function
// without state; not for several threads on one repository.

#pragma once

#include <vector>

#include "git/libgit2.h"
#include "object/path_table.h"

namespace zpack {

// By number in `paths`. Attributes are looked for where git-pack-objects(1)
// looks: in info/attributes, in .gitattributes of the work tree, else of the
// index, and in the files of user and system.
IndexedVector<PathNumber, bool> FindUndeltifiedPaths(git_repository* repository,
                                                     const PathTable& paths);

}  // namespace zpack
