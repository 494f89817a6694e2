// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the refs in 'packed-refs' (git-pack-refs(1)). Functions without state;
// any thread.

#pragma once

#include <string>

#include "git/libgit2.h"
#include "git/ref_store.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// The refs, with ids in `format`, in 'packed-refs' in `common_directory`. Empty
// if there is no such file. `name` is the name of the repository in messages.
// As Git does, refuses the whole file for one malformed line: kSourceCorrupt;
// also kInvalidArgument for something that is not a regular file, and kIo.
Result<RefsByName> ReadPackedRefs(ObjectFormat format,
                                  const std::string& common_directory,
                                  const std::string& name);

// The packed refs, and those loose refs that libgit2 can read. `name` is the
// name of the repository in messages. kSourceCorrupt if the refs cannot be
// listed.
Result<RefsByName> ListRefsWithLibgit2(git_repository* repository,
                                       const std::string& name);

}  // namespace zpack
