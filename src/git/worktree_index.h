// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects that an index file keeps alive (gitformat-index(5)): those of its
// entries, of its cache of trees, and of conflicts that were resolved. Pure.

#pragma once

#include <set>
#include <string>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Adds the ids in the index whose bytes are `content` to `tips`; `path` is what
// messages call it. kSourceCorrupt when it cannot be read to its end,
// kUnsupported for a version after 4.
Status AddIndexTips(ByteView content, const std::string& path,
                    std::set<ObjectId>& tips);

}  // namespace zpack
