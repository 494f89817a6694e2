// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches the files of one tree, as 'git grep <tree>' does. A function without
// state.

#pragma once

#include "base/visitor.h"
#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "zpack/object_id.h"
#include "zpack/result.h"
#include "zpack/search.h"

namespace zpack::search {

// Calls `visit` with the files of the tree `root`, or with the blob `root`, in
// the order of the paths, in the calling thread. Links and submodules are not
// searched. Contents are not hashed. Errors: those of LineMatcher, of Pathspec,
// of reading objects and of `visit`; those of SearchBlobs for the first file
// that cannot be searched, after the visits to all others; kInterrupted.
// REQUIRES: the index is loaded.
Status SearchTree(const ArchiveFile& archive, ObjectReader& objects,
                  const ObjectId& root, const TreeSearchOptions& options,
                  const Visitor<const SearchedFile&>& visit);

}  // namespace zpack::search
