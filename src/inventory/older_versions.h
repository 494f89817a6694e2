// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds what stood in the place of new objects before: the version that an
// older archive has, which the new one probably resembles. Pure, except for
// reading the source.

#pragma once

#include <map>
#include <stop_token>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// An object that the older archive has.
struct OlderVersion {
  ObjectId id;
  ObjectType type = ObjectType::kBlob;  // a blob or a tree
  uint32_t changed = 0;  // entries of the new tree that the older one lacks
};
// By the rank of the new object.
using OlderVersions = std::map<ListRank, OlderVersion>;

// Compares the trees of the commits of `added` with that of the nearest
// ancestor in `known`. Reads each new tree and commit once, and the old trees
// beside them; what cannot be read has no older version. Returns kIo and
// kInterrupted.
Result<OlderVersions> FindOlderVersions(ObjectSource& source,
                                        const ObjectList& added,
                                        const FileIds& known,
                                        const std::stop_token& stop);

}  // namespace zpack
