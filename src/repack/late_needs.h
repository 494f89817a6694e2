// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds objects that became reachable again while a repack was running, for
// example through a fetch, or a commit that uses an old object again.

#pragma once

#include <optional>

#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Walks from the refs and other tips of `now`, through objects that are not in
// `known`. REQUIRES: objects of `known` link only to objects of `known`.
// Returns the first object of `doomed` that the walk meets, or nullopt. Errors
// are those of reading refs and objects.
Result<std::optional<ObjectId>> FindNeededAgain(ObjectSource& now,
                                                const ObjectIdTable& known,
                                                const ObjectIdTable& doomed);

}  // namespace zpack
