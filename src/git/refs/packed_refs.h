// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the refs in 'packed-refs' (git-pack-refs(1)). Functions without state;
// any thread.

#pragma once

#include <string>

#include "git/refs/ref_store.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// The refs, with ids in `format`, in 'packed-refs' in `common_directory`. Empty
// if there is no such file. `name` is the name of the repository in messages.
// One malformed line makes the whole file invalid: kSourceCorrupt. So does a
// name that occurs twice, of which Git takes one or the other. Also
// kInvalidArgument for something that is not a regular file, and kIo.
Result<RefsByName> ReadPackedRefs(ObjectFormat format,
                                  const std::string& common_directory,
                                  const std::string& name);

}  // namespace zpack
