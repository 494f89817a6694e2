// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Bases in the blocks of an older archive, which the new archive reuses.
// Values.

#pragma once

#include <map>

#include "base/index_spaces.h"
#include "format/block_layout.h"
#include "zpack/object_id.h"

namespace zpack {

// An object of the older archive that a new object may be a delta against.
struct FarVersion {
  ObjectId id;
  ObjectType type = ObjectType::kBlob;  // a blob or a tree
  format::FarBase base;
  uint32_t changed = 0;  // as in OlderVersion
};

// By the rank of the new object.
using FarVersions = std::map<ListRank, FarVersion>;

}  // namespace zpack
