// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which objects are in object directories that others change meanwhile.
// Functions without state; any thread.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack {

// The packs in `object_directories`, without extension. As for Git, an index
// without its pack does not count. kIo when a directory cannot be read.
Result<std::vector<std::string>> IndexedPacks(
    const std::vector<std::string>& object_directories);

struct ObjectListing {
  ObjectIdTable all;
  ObjectIdTable only_loose;  // in no pack
  ObjectIdTable repeated;    // in several places
};

// The objects in `object_directories`. `open` are the ids of packs that are
// open already; their indexes are not read again, and `is_open` tells them by
// the name that IndexedPacks gives a pack. When an index is damaged,
// `otherwise` is called, which lists the objects of all packs.
//
// An object that others move between packs and loose files meanwhile is listed.
// For that, the listing is repeated until the packs stay the same, up to a
// limit.
Result<ObjectListing> ListObjects(
    const std::vector<std::string>& object_directories,
    const std::vector<ObjectIdTable>& open,
    const std::function<bool(const std::string&)>& is_open,
    const std::function<Result<ObjectIdTable>()>& otherwise);

}  // namespace zpack
