// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds out where a missing object is needed, for messages. Functions without
// state.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "object/tip_group.h"
#include "zpack/refs.h"

namespace zpack {

// What keeps objects alive.
struct NamedTips {
  const RefsSnapshot& refs;
  const std::vector<TipGroup>& others;
};

// Says what needs the object `missing`, which `source` lacks: "'src/a.c' in
// commit <id>", "the tree of commit <id>", "a parent of commit <id>", "the
// target of tag <id>", "ref '<name>'" or "'<name of a TipGroup>'". Looks at
// what `tips` reach, the tips first, and skips objects that cannot be read.
// `list` has the ids of the source. Empty if nothing is found, or if a stop is
// requested meanwhile.
//
// Reads each commit, tree and tag at most once, in one thread.
std::string PlaceOfMissing(ObjectSource& source, const NamedTips& tips,
                           const ObjectList& list, const ObjectId& missing,
                           const std::stop_token& stop);

// What needs a missing object.
struct MissingPlace {
  std::string text;  // as PlaceOfMissing
  // As a commit, tree or tag says. Empty if only refs name the object.
  std::optional<ObjectType> type;
};

// The same for many objects, which are read once for all of them. Objects of
// which nothing is found are left out.
std::map<ObjectId, MissingPlace> PlacesOfMissing(
    ObjectSource& source, const NamedTips& tips, const ObjectList& list,
    const std::set<ObjectId>& missing, const std::stop_token& stop);

}  // namespace zpack
