// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists the objects in object directories that other processes may change at
// the same time. Functions without state; any thread.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack {

// The packs in `object_directories`, without extension. As in Git, an index
// without a pack does not count. kIo if a directory cannot be read.
Result<std::vector<std::string>> IndexedPacks(
    const std::vector<std::string>& object_directories);

struct ObjectListing {
  ObjectIdTable all;
  ObjectIdTable only_loose;  // in no pack
  ObjectIdTable repeated;    // in several packs, or in a pack and loose
};

// Lists the objects, in `format`, in `object_directories`. `open` are the ids
// of packs that are open already. `read_ids` gets the name of a pack, as in
// IndexedPacks, and returns the ids in its index; none if they are in `open`.
// If an index is damaged, `otherwise` is called to list the objects of all
// packs.
//
// The listing is repeated until the packs stay the same, at most 10 times, so
// that objects that other processes move between packs and loose files are not
// missed. kIo if a directory or an index cannot be read.
Result<ObjectListing> ListObjects(
    ObjectFormat format, const std::vector<std::string>& object_directories,
    const std::vector<ObjectIdTable>& open,
    const std::function<Result<ObjectIdTable>(const std::string&)>& read_ids,
    const std::function<Result<ObjectIdTable>()>& otherwise);

}  // namespace zpack
