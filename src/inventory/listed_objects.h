// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of a source, read by whoever has them on a list. Functions without
// state; any thread.

#pragma once

#include <cstdint>
#include <memory>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Fills `content` with the object of this rank. Errors are those of
// ObjectSource::Read, and kSourceCorrupt when its type or size is another one
// than listed.
Status ReadListed(ObjectSource& source, const ObjectList& list, ListRank rank,
                  Bytes& content);

// The same for ObjectSource::Open.
Result<std::unique_ptr<ObjectStream>> OpenListed(ObjectSource& source,
                                                 const ObjectList& list,
                                                 ListRank rank);

}  // namespace zpack
