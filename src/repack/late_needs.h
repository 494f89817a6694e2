// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds objects that became reachable again while a repack was running, for
// example through a fetch, or a commit that uses an old object again.

#pragma once

#include <optional>
#include <set>

#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

struct LateNeeds {
  // The first doomed object that is needed, if there is one.
  std::optional<ObjectId> doomed;
  // Objects that are needed and do not exist. If there are any, nobody knows
  // which doomed objects they need.
  std::set<ObjectId> missing;
};

// Walks from the refs and other tips of `now`, through objects that are not in
// `known`. The walk ends at the first object of `doomed`. REQUIRES: objects of
// `known` link only to objects of `known`. Errors are those of reading refs and
// objects.
Result<LateNeeds> FindLateNeeds(ObjectSource& now, const ObjectIdTable& known,
                                const ObjectIdTable& doomed);

}  // namespace zpack
