// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects that an index file names (gitformat-index(5)). Pure.

#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

struct WorktreeIndex {
  // The ids of the entries, by position; empty for a submodule.
  std::vector<ObjectId> entries;
  // Ids in the cache of trees, and of files in resolved conflicts.
  std::set<ObjectId> others;
  // Ids of symbolic links in resolved conflicts, which Git does not keep alive.
  std::set<ObjectId> extra;
  // The hash of the shared index whose entries count, too, unless `hidden`, two
  // encoded bitmaps, has their positions. Empty if the index is not split.
  ObjectId shared;
  Bytes hidden;
};

// Parses an index with ids in `format`. `path` is its name in messages.
// kSourceCorrupt if the index cannot be parsed completely; kUnsupported for a
// version above 4, and for an extension that a reader has to know.
Result<WorktreeIndex> ReadIndex(ObjectFormat format, ByteView content,
                                const std::string& path);

// By position in the shared index, which has `count` entries: true if `index`
// deletes or replaces the entry. `path` is the name of `index` in messages.
// kSourceCorrupt if the bitmaps cannot be parsed, or name other positions.
Result<std::vector<bool>> ReadHidden(const WorktreeIndex& index, size_t count,
                                     const std::string& path);

}  // namespace zpack
