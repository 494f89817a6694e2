// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects that an index file keeps alive (gitformat-index(5)): in its
// entries, its cache of trees, and its resolved conflicts. Pure.

#pragma once

#include <set>
#include <string>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Adds the ids, in `format`, in the index `content` to `tips`, except those of
// submodules. `path` is its name in messages. kSourceCorrupt if the index
// cannot be parsed completely; kUnsupported for a version above 4.
Status AddIndexTips(ObjectFormat format, ByteView content,
                    const std::string& path, std::set<ObjectId>& tips);

}  // namespace zpack
