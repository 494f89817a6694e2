// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a repository came to need while its packs were rewritten: a fetch, or a
// commit that uses an old object again, may make reachable what was not.

#pragma once

#include <optional>

#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Walks from the refs and other tips that `now` has, through objects that are
// not in `known`, whose own links are known, too. Returns the first object of
// `doomed` that it meets. Errors are those of reading refs and objects.
Result<std::optional<ObjectId>> FindNeededAgain(ObjectSource& now,
                                                const ObjectIdTable& known,
                                                const ObjectIdTable& doomed);

}  // namespace zpack
