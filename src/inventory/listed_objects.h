// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads objects of a source that are in an ObjectList. The functions have no
// state and may be called from any thread.

#pragma once

#include <cstdint>
#include <memory>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Fills `content` with the object of `rank`. Errors are those of
// ObjectSource::Read, and kSourceCorrupt if type or size differ from those in
// `list`.
Status ReadListed(ObjectSource& source, const ObjectList& list, ListRank rank,
                  Bytes& content);

// Opens the object of `rank`. Errors are those of ObjectSource::Open, and
// kSourceCorrupt if type or size differ from those in `list`.
Result<std::unique_ptr<ObjectStream>> OpenListed(ObjectSource& source,
                                                 const ObjectList& list,
                                                 ListRank rank);

}  // namespace zpack
